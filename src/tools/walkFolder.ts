/** Lists a folder's files in JavaScript, by the same rules as ripgrep: used where there is none. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { decodeText } from "./decodeText";
import { errorCode } from "./errorCode";
import { ALWAYS_SKIPPED, type IgnoreRules, ignores, parseIgnoreRules } from "./ignoreRules";
import { readFromDisk } from "./nodeWorkspace";

/** Files found, as paths relative to the folder with forward slashes, and how many folders could not be read. */
export type Walk = { readonly files: string[]; readonly unreadable: number };

const MAX_IGNORE_FILE_BYTES = 1024 * 1024;

/** Regular files below `folder`; links are neither listed nor followed. Rejects with the signal's reason when it aborts. */
export async function walkFolder(folder: string, signal: AbortSignal): Promise<Walk> {
  const files: string[] = [];
  let unreadable = 0;

  /** `above` holds each enclosing folder's rules with its depth, outermost first. */
  async function visit(segments: readonly string[], above: readonly (readonly [number, IgnoreRules])[]) {
    signal.throwIfAborted();
    const here = join(folder, ...segments);
    const entries = await readdir(here, { withFileTypes: true }).catch((cause: unknown) => {
      errorCode(cause); // a folder that vanished or may not be read is counted; any other fault is thrown
      unreadable++;
      return [];
    });
    const own = entries.some((entry) => entry.name === ".gitignore" && entry.isFile())
      ? await readRules(join(here, ".gitignore"))
      : [];
    const stack = own.length === 0 ? above : [...above, [segments.length, own] as const];
    for (const entry of entries) {
      const isFolder = entry.isDirectory();
      if ((!isFolder && !entry.isFile()) || ALWAYS_SKIPPED.includes(entry.name)) continue;
      const path = [...segments, entry.name];
      if (isIgnored(stack, path, isFolder)) continue;
      if (isFolder) await visit(path, stack);
      else files.push(path.join("/"));
    }
  }

  await visit([], []);
  return { files, unreadable };
}

function isIgnored(
  stack: readonly (readonly [number, IgnoreRules])[],
  path: readonly string[],
  isFolder: boolean,
): boolean {
  for (let i = stack.length - 1; i >= 0; i--) {
    const [depth, rules] = stack[i] as readonly [number, IgnoreRules];
    const verdict = ignores(rules, path.slice(depth), isFolder);
    if (verdict !== null) return verdict;
  }
  return false;
}

async function readRules(path: string): Promise<IgnoreRules> {
  const read = await readFromDisk(path, MAX_IGNORE_FILE_BYTES);
  if (read.kind !== "file") return [];
  const decoded = decodeText(read.bytes);
  return decoded.kind === "text" ? parseIgnoreRules(decoded.text) : [];
}
