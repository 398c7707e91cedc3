/**
 * The first whole records of a JSON result, with what stands beside them: how many there are, how to go on. Everything
 * kept is a slice of the source; where the source can be read in two ways nothing is (seed 003 §Micro-context branch).
 */
import type { ProjectedRecords, ProjectionReason } from "../schema/branch";
import { byteLength, charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import { type Found, type Path, pathOf, scan, type Token } from "./scan";
import { countOf, type Member, membersOf, partsOf, type Slice } from "./slices";

/** Null: no limit. Bytes, chars and tokens are of the whole projection. */
export type ProjectionBounds = {
  readonly items: number | null;
  readonly bytes: number | null;
  readonly chars: number | null;
  readonly tokens: { readonly maximum: number; readonly counter: TokenCounter } | null;
};

/** `text` is a JSON object of pointers and slices; the key of the records says which of how many they are. */
export type ProjectedText =
  | { readonly kind: "projected"; readonly text: string; readonly records: ProjectedRecords }
  | { readonly kind: "passed"; readonly reason: ProjectionReason };

/** Members beside the records: each, and all of them. Longer ones are counted and left out. */
const MEMBER_BYTES = 256;
const MEMBERS_BYTES = 1024;

const passed = (reason: ProjectionReason): ProjectedText => ({ kind: "passed", reason });

/** `items`: where the contract says the records are; `cursor`: where the next cursor is, copied whatever its length. */
export function project(
  content: string,
  { items, cursor }: { readonly items: string | null; readonly cursor: string | null },
  bounds: ProjectionBounds,
): ProjectedText {
  if (items === null) return passed("no_pointer");
  const path = pathOf(items);
  const holders = path.map((_, depth) => path.slice(0, depth));
  const scanned = scan(content, [path, ...holders, ...(cursor === null ? [] : [pathOf(cursor)])]);
  if (scanned.kind === "invalid") return passed("not_json");
  const [list, ...rest] = scanned.found;
  if (list?.kind === "ambiguous" || rest.some(({ kind }) => kind === "ambiguous")) return passed("ambiguous");
  if (list?.kind !== "token") return passed("pointer_missing");
  if (list.token.kind !== "array") return passed("not_an_array");
  const beside = membersBeside(content, path, rest);
  if (beside === null) return passed("ambiguous");
  const next = cursor === null ? undefined : rest.at(-1);
  const chosen = chosenFrom(
    content,
    beside,
    next?.kind === "token" && cursor ? cursorAt(cursor, next) : null,
  );
  return fitted(
    content,
    items,
    list.token,
    { chosen, leftOut: beside.length - countIn(beside, chosen) },
    bounds,
  );
}

/** How many records a JSON text has at that pointer; null where it cannot be told. */
export function recordsAt(content: string, items: string): number | null {
  const scanned = scan(content, [pathOf(items)]);
  const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
  return found?.kind === "token" && found.token.kind === "array"
    ? countOf(partsOf(content, found.token))
    : null;
}

/** A member by its pointer in the source. */
type Placed = { readonly pointer: string; readonly value: Slice };
const cursorAt = (pointer: string, { token }: Found & { kind: "token" }): Placed => ({
  pointer,
  value: token,
});

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Members of the objects around the records, the way to the records left out; null where a name occurs twice. */
function membersBeside(content: string, path: Path, found: readonly Found[]): Placed[] | null {
  const beside: Placed[] = [];
  for (const [depth, step] of path.entries()) {
    const holder = found[depth];
    if (holder?.kind !== "token" || holder.token.kind !== "object") continue; // an element of an array
    const members = [...membersOf(content, holder.token)];
    if (new Set(members.map(({ name }) => name)).size < members.length) return null;
    const above = path.slice(0, depth).map((name) => `/${escaped(name)}`);
    const placed = ({ name, value }: Member) => ({ pointer: `${above.join("")}/${escaped(name)}`, value });
    beside.push(...members.filter(({ name }) => name !== step).map(placed));
  }
  return beside;
}

/** The cursor first, then numbers and literals, then texts, then the rest, as far as there is room; in the source's order. */
function chosenFrom(content: string, beside: readonly Placed[], cursor: Placed | null): Placed[] {
  const bytesOf = ({ value }: Placed) => byteLength(content.slice(value.start, value.end));
  const rank = ({ value }: Placed) => {
    const first = content[value.start] ?? "";
    return first === '"' ? 1 : first === "{" || first === "[" ? 2 : 0;
  };
  const chosen = new Map<number, Placed>(cursor === null ? [] : [[cursor.value.start, cursor]]);
  let room = MEMBERS_BYTES;
  for (const member of beside.toSorted((a, b) => rank(a) - rank(b) || a.value.start - b.value.start)) {
    const bytes = bytesOf(member);
    if (chosen.has(member.value.start) || bytes > Math.min(room, MEMBER_BYTES)) continue;
    chosen.set(member.value.start, member);
    room -= bytes;
  }
  return [...chosen.values()].sort((a, b) => a.value.start - b.value.start);
}

const countIn = (beside: readonly Placed[], chosen: readonly Placed[]): number =>
  beside.filter(({ pointer }) => chosen.some((one) => one.pointer === pointer)).length;

const isOver = (size: number, limit: number | null): boolean => limit !== null && size > limit;

/** As many whole records as the bounds allow, from the first on. */
function fitted(
  content: string,
  items: string,
  list: Token,
  { chosen, leftOut }: { readonly chosen: readonly Placed[]; readonly leftOut: number },
  bounds: ProjectionBounds,
): ProjectedText {
  const tokensOf = (text: string): number => bounds.tokens?.counter.count(text) ?? 0;
  const maximumTokens = bounds.tokens?.maximum ?? null;
  const totalRecords = countOf(partsOf(content, list));
  const members = chosen.map(
    ({ pointer, value }) => `${JSON.stringify(pointer)}:${content.slice(value.start, value.end)}`,
  );
  const around = (kept: number, slices: string) =>
    `{${[...members, `${JSON.stringify(`${items} (first ${kept} of ${totalRecords})`)}:[${slices}]`].join(",")}}`;
  const frame = around(totalRecords, "");
  let bytes = byteLength(frame);
  let chars = charLength(frame);
  let tokens = tokensOf(frame);
  const slices: string[] = [];
  for (const { start, end } of partsOf(content, list)) {
    const slice = content.slice(start, end);
    bytes += byteLength(slice) + 1; // and a comma
    chars += charLength(slice) + 1;
    tokens += tokensOf(slice) + 1; // together they are hardly ever more
    if (isOver(slices.length + 1, bounds.items) || isOver(bytes, bounds.bytes)) break;
    if (isOver(chars, bounds.chars) || isOver(tokens, maximumTokens)) break;
    slices.push(slice);
  }
  let text = around(slices.length, slices.join(","));
  while (slices.length > 0 && isOver(tokensOf(text), maximumTokens)) {
    slices.pop();
    text = around(slices.length, slices.join(","));
  }
  if (slices.length === 0) return passed("no_record_fits");
  const copied = chosen.map(({ pointer }) => pointer);
  const facts = { pointer: items, records: slices.length, totalRecords, copied, leftOut };
  return { kind: "projected", text, records: { ...facts, bytes: byteLength(text) } };
}
