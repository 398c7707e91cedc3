/**
 * Which calls ask for the same list: tool and arguments without count, page, offset and cursor (CONFORMANCE §5 Paging).
 * Names are the contracts', never guessed: of a tool without one, every argument counts. Pure.
 */
import type { Hash } from "../schema/claim";
import { canonicalise } from "./identity";
import type { LoadedPolicy, ReadyContract } from "./policy";
import { type Path, pathOf, scan } from "./scan";

/** `position`: where in the list the call begins, as its tokens; "" = at the start. */
export type CallIdentity = { readonly identity: string; readonly position: string };

const DEEPEST = 64; // canonicalise is recursive

export function callIdentityOf(
  tool: string,
  argumentsText: string,
  policy: LoadedPolicy,
  hash: Hash,
  contracted = tool, // its name in contracts, where the host offers it under another
): CallIdentity {
  const contracts = policy.contracts.get(contracted) ?? [];
  const scanned = scan(argumentsText, contracts.flatMap(wayOn));
  if (scanned.kind === "invalid" || scanned.depth > DEEPEST)
    return { identity: hash(JSON.stringify([tool, argumentsText])), position: "" };
  const left = contracts
    .flatMap((ready) => [...ready.paths, ...wayOn(ready)])
    .reduce(without, JSON.parse(exactly(argumentsText)) as unknown);
  return {
    identity: hash(`${JSON.stringify(tool)} ${canonicalText(left)}`),
    position: positionIn(argumentsText, contracts),
  };
}

/** Lone surrogates have no canonical text; the text itself then tells calls apart. */
function canonicalText(value: unknown): string {
  const text = JSON.stringify(value);
  return /\\ud[89a-f][0-9a-f]{2}/.test(text) ? text : canonicalise(value);
}

const wayOn = ({ contract }: ReadyContract): Path[] =>
  contract.continuation?.argument === undefined ? [] : [pathOf(contract.continuation.argument)];

function positionIn(text: string, contracts: readonly ReadyContract[]): string {
  const tokens = contracts.flatMap((ready) => {
    const scanned = scan(text, wayOn(ready));
    const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
    if (found?.kind !== "token") return [];
    const raw = text.slice(found.token.start, found.token.end);
    const { kind } = ready.contract.continuation ?? {};
    const isStart =
      raw === "null" ||
      (kind === "offset" && raw === "0") ||
      (kind === "page" && ready.firstPages.includes(raw));
    return isStart ? [] : [raw];
  });
  return [...new Set(tokens)].join(" ");
}

/** Numbers become text, so that two ids of 19 digits stay two ids. */
const exactly = (json: string): string =>
  json.replace(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs, (token) =>
    token.startsWith('"') ? token : `"\\u0001${token}"`,
  );

/** The value without what stands at the path; an object that becomes empty by it goes too. */
function without(value: unknown, path: Path): unknown {
  const [name, ...rest] = path;
  if (name === undefined || typeof value !== "object" || value === null || !Object.hasOwn(value, name))
    return value;
  if (Array.isArray(value))
    return value.with(Number(name), rest.length === 0 ? null : without(value[Number(name)], rest));
  const { [name]: inner, ...others } = value as Record<string, unknown>;
  const left = rest.length === 0 ? undefined : without(inner, rest);
  const isGone =
    left === undefined || (typeof left === "object" && left !== null && Object.keys(left).length === 0);
  return isGone ? others : { ...others, [name]: left };
}
