/** Where a contract stands in the text of a policy file. Pure. */
import { findNodeAtLocation, findNodeAtOffset, getNodePath, type Node, parseTree } from "jsonc-parser";

/** The contract's index, and its text: `length` code units from `offset` on. */
export type Place = { readonly index: number; readonly offset: number; readonly length: number };

/** The contract around `offset`, or null. Contract: `checkPolicy` has found an artifact in `text`. */
export function contractAt(text: string, offset: number): Place | null {
  const tree = parseTree(text);
  const node = tree && findNodeAtOffset(tree, offset);
  const [section, index] = node === undefined ? [] : getNodePath(node);
  if (tree === undefined || section !== "contracts" || typeof index !== "number") return null;
  const contract: Node | undefined = findNodeAtLocation(tree, [section, index]);
  return contract === undefined ? null : { index, offset: contract.offset, length: contract.length };
}
