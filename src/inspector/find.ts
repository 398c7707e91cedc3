/** Finds rows: by what they are in the view, and by texts in the log, which has them whole. */
import { turnOfCall } from "../history/fold";
import type { Logged } from "../schema/event";
import type { FindQuery, Found } from "../schema/inspector";
import { inOneCase } from "../schema/text";
import type { CallView, TurnView } from "../schema/view";
import type { InspectorFold } from "./draft";
import { turnAt } from "./turnPages";

const TURNS = 2000;
const KEYS_OF_A_TURN = 20;

/** `null`: nothing is looked for, and every row is. `events`: of the log, where a text is looked for. */
export function findRows(fold: InspectorFold, query: FindQuery, events: Iterable<Logged>): Found {
  const isText = query.text.trim() !== "";
  const hits = isText ? textHits(inOneCase(query.text.trim()), events) : null;
  const found: Found = { turns: [], total: 0, isCut: false };
  for (let at = 0; at < fold.turns.numbers.length; at++) {
    const number = fold.turns.numbers[at] as number;
    if (hits && !hits.turns.has(number)) continue;
    const turn = turnAt(fold.turns, at);
    const keys = turn ? keysIn(turn, query, hits?.keys ?? null) : [];
    if (keys.length === 0) continue;
    found.total += keys.length;
    if (found.turns.length >= TURNS || keys.length > KEYS_OF_A_TURN) found.isCut = true;
    const base = `${fold.head?.session ?? ""}/t${number}`;
    if (found.turns.length < TURNS)
      found.turns.push({ at, keys: keys.slice(0, KEYS_OF_A_TURN).map((key) => `${base}/${key}`) });
  }
  return found;
}

/** Rows by the end of their key, and the turns that they are in. */
type Hits = { readonly keys: ReadonlySet<string>; readonly turns: ReadonlySet<number> };

function textHits(text: string, events: Iterable<Logged>): Hits {
  const keys = new Set<string>();
  const turns = new Set<number>();
  const has = (...parts: readonly string[]) => parts.some((part) => inOneCase(part).includes(text));
  const hit = (turn: number, key: string) => {
    turns.add(turn);
    keys.add(`${turn} ${key}`);
  };
  for (const event of events) {
    if (event.type === "asked" && has(event.text)) hit(event.turn, "asked");
    else if (event.type === "replied") {
      if (has(event.text, event.error ?? "")) hit(event.turn, "reply");
      for (const call of event.calls) if (has(call.name, call.arguments)) hit(event.turn, call.call);
    } else if (event.type === "remembered" && has(event.text)) hit(turnOfCall(event.call), event.call);
    else if (event.type === "tool_result_stored" && has(event.handle))
      hit(turnOfCall(event.call), event.call);
    else if (event.type === "gated" && has(event.text, ...event.unread.map(({ tool }) => tool)))
      hit(event.turn, `event ${event.n}`);
    else if (event.type === "repaired")
      for (const { detail } of event.repairs) if (has(detail)) hit(event.turn, `event ${event.n}: ${detail}`);
  }
  return { keys, turns };
}

function keysIn(turn: TurnView, query: FindQuery, hits: ReadonlySet<string> | null): string[] {
  const isHit = (key: string) => hits === null || hits.has(`${turn.turn} ${key}`);
  const isCallQuery = query.tool !== null || query.state !== null || query.minimumChars !== null;
  const wants = (kind: NonNullable<FindQuery["kind"]>) => query.kind === null || query.kind === kind;
  const keys: string[] = [];
  if (!isCallQuery) {
    if (turn.asked !== null && wants("asked") && isHit("asked")) keys.push("asked");
    if (turn.reply && wants("reply") && isHit("reply")) keys.push("reply");
    if (wants("note")) keys.push(...noteKeys(turn, hits === null ? null : isHit));
  }
  if (wants("call"))
    keys.push(
      ...turn.calls.filter((call) => isHit(call.call) && isWanted(call, query)).map(({ call }) => call),
    );
  return keys;
}

/** What is said of a turn besides what was asked, replied and called; `isHit` null: all of it. */
function noteKeys(
  { notes, repairs, recovery }: TurnView,
  isHit: ((key: string) => boolean) | null,
): string[] {
  const keys = (name: string, rows: readonly boolean[]) =>
    rows.flatMap((isFound, at) => (isFound ? [`${name}${at}`] : []));
  return [
    ...keys(
      "note",
      notes.map(({ n }) => isHit === null || isHit(`event ${n}`)),
    ),
    ...keys(
      "repair",
      repairs.map(({ n, detail }) => isHit === null || isHit(`event ${n}: ${detail}`)),
    ),
    ...keys(
      "recovery",
      recovery.map(() => isHit === null),
    ),
  ];
}

function isWanted(call: CallView, { tool, state, minimumChars }: FindQuery): boolean {
  if (tool !== null && call.tool !== tool) return false;
  const chars = call.stored?.chars ?? call.result?.shownChars ?? 0;
  if (minimumChars !== null && chars < minimumChars) return false;
  return state === null || STATES[state](call);
}

const STATES: Readonly<Record<NonNullable<FindQuery["state"]>, (call: CallView) => boolean>> = {
  stored: ({ stored, media }) => stored !== null || media.some(({ handle }) => handle !== null),
  shortened: ({ shortened }) => shortened.length > 0,
  lowered: ({ receipt }) => (receipt?.changes.length ?? 0) > 0,
  proposed: ({ receipt }) => (receipt?.proposed_changes.length ?? 0) > 0,
  refused: ({ state }) => state === "refused",
  failed: ({ state, result }) => state === "failed" || result?.isError === true,
  pinned: ({ isPinned }) => isPinned,
  incomplete: ({ page }) => page !== null && (page.first > 1 || page.last < page.total),
  readBack: ({ stored, redeemed }) => redeemed !== null || (stored?.readBacks ?? 0) > 0,
};
