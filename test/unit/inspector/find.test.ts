/** Finding: what is found is what looking at every row and every event of a session, one by one, finds. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { turnOfCall } from "../../../src/history/fold";
import { findRows } from "../../../src/inspector/find";
import { projectSession } from "../../../src/inspector/project";
import type { Logged } from "../../../src/schema/event";
import type { FindQuery } from "../../../src/schema/inspector";
import type { CallView, SessionView, TurnView } from "../../../src/schema/view";
import { Attack, anyRun } from "../../support/anySession";
import { eventWith, logged } from "../../support/everyEvent";
import { foldOf } from "../../support/inspectorDetails";

const ANYTHING: FindQuery = { text: "", tool: null, state: null, kind: null, minimumChars: null };
const keysOf = (events: readonly Logged[], query: Partial<FindQuery>) =>
  findRows(foldOf(events), { ...ANYTHING, ...query }, events).turns.flatMap(({ keys }) => keys);

/** The texts of a row, as the log has them: `key` without the session. */
function textsOf(events: readonly Logged[], turn: TurnView, key: string): string[] {
  return events.flatMap((event): string[] => {
    switch (event.type) {
      case "asked":
        return key === "asked" && event.turn === turn.turn ? [event.text] : [];
      case "replied": {
        const call = event.calls.find((one) => one.call === key);
        if (call) return [call.name, call.arguments];
        return key === "reply" && event.turn === turn.turn ? [event.text, event.error ?? ""] : [];
      }
      case "remembered":
        return event.call === key ? [event.text] : [];
      case "tool_result_stored":
        return event.call === key ? [event.handle] : [];
      case "gated":
        return turn.notes.some(({ n }, at) => n === event.n && key === `note${at}`)
          ? [event.text, ...event.unread.map(({ tool }) => tool)]
          : [];
      case "repaired":
        return turn.repairs.flatMap(({ n, detail }, at) =>
          n === event.n && key === `repair${at}` ? [detail] : [],
        );
      default:
        return [];
    }
  });
}

/** What the log says of a call, without the inspector's view where it can be said without. */
function isInState(
  events: readonly Logged[],
  view: CallView,
  state: NonNullable<FindQuery["state"]>,
): boolean {
  const { call } = view;
  const stored = new Set(
    events.flatMap((event) =>
      event.type === "tool_result_stored" && event.call === call ? [event.handle] : [],
    ),
  );
  switch (state) {
    case "stored":
      return stored.size > 0 || view.media.some(({ handle }) => handle !== null);
    case "shortened":
      return events.some((event) => {
        const cuts = event.type === "aged" ? event.decisions : event.type === "budgeted" ? event.cuts : [];
        return cuts.some((one) => one.call === call);
      });
    case "lowered":
    case "proposed":
      return events.some((event) => {
        if (event.type !== "clamped" || event.call !== call) return false;
        return (state === "lowered" ? event.proposal.changes : event.proposal.proposedChanges).length > 0;
      });
    case "pinned": {
      const last = events.findLast((event) => event.type === "pinned" && event.call === call);
      return last?.type === "pinned" && last.isPinned;
    }
    case "readBack":
      return events.some((event) => {
        const handle = event.type === "redeemed" ? event.handle : null;
        return handle !== null && "call" in event && (event.call === call || view.stored?.handle === handle);
      });
    case "failed":
      return view.state === "failed" || view.result?.isError === true;
    case "refused":
      return view.state === "refused";
    case "incomplete":
      return view.page !== null && (view.page.first > 1 || view.page.last < view.page.total);
  }
}

function slowly(events: readonly Logged[], { turns, session }: SessionView, query: FindQuery): string[] {
  const text = query.text.toLowerCase();
  const hasText = (turn: TurnView, key: string) =>
    text === "" || textsOf(events, turn, key).some((one) => one.toLowerCase().includes(text));
  const isOfCalls = query.tool !== null || query.state !== null || query.minimumChars !== null;
  return turns.flatMap((turn) => {
    const others: [kind: FindQuery["kind"], key: string][] = [
      ...(turn.asked === null ? [] : [["asked", "asked"] as const]),
      ...(turn.reply === null ? [] : [["reply", "reply"] as const]),
      ...turn.notes.map((_, at) => ["note", `note${at}`] as const),
      ...turn.repairs.map((_, at) => ["note", `repair${at}`] as const),
      ...turn.recovery.map((_, at) => ["note", `recovery${at}`] as const),
    ].map(([kind, key]) => [kind, key]);
    const found = isOfCalls
      ? []
      : others.filter(([kind, key]) => (query.kind ?? kind) === kind && hasText(turn, key));
    const calls = turn.calls.filter((view) => {
      const chars = view.stored?.chars ?? view.result?.shownChars ?? 0;
      return (
        (query.kind ?? "call") === "call" &&
        (query.tool ?? view.tool) === view.tool &&
        chars >= (query.minimumChars ?? 0) &&
        (query.state === null || isInState(events, view, query.state)) &&
        hasText(turn, view.call)
      );
    });
    return [...found.map(([, key]) => key), ...calls.map(({ call }) => call)].map(
      (key) => `${session}/t${turn.turn}/${key}`,
    );
  });
}

const STATES = [
  ...(["stored", "shortened", "lowered", "proposed", "refused", "failed", "pinned"] as const),
  ...(["incomplete", "readBack"] as const),
];
const anyQuery: fc.Arbitrary<FindQuery> = fc.record({
  text: fc.constantFrom("", "", "question", "I LOOK", "some words", '"n":1', "claim:", "read", "nothing"),
  tool: fc.option(fc.constantFrom("read", "run", "fetch_result", "none"), { freq: 1 }),
  state: fc.option(fc.constantFrom(...STATES)),
  kind: fc.option(fc.constantFrom("asked" as const, "reply" as const, "call" as const, "note" as const)),
  minimumChars: fc.option(fc.constantFrom(0, 100, 900, 5000), { freq: 1 }),
});

test("any session, any query: what is found is what looking at every row finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 2 }),
      fc.array(anyQuery, { minLength: 30, maxLength: 30 }),
      async (runs, queries) => {
        const attack = new Attack();
        for (const [n, run] of runs.entries()) await attack.run(run, `Question ${n}?`);
        const { events } = attack;
        const view = projectSession(events) ?? assert.fail("no view");
        for (const query of queries)
          assert.deepEqual(keysOf(events, query), slowly(events, view, query), JSON.stringify(query));
      },
    ),
    { numRuns: 30 },
  );
});

const call = (n: number, name: string, given: string) => ({
  call: `t1c${n}`,
  id: `${n}`,
  name,
  arguments: given,
});

test("a text is found in any case, with any alphabet, quotes and line ends; a note and a repair each alone", () => {
  const repair = (detail: string) => ({ kind: "result_missing" as const, call: "t1c0", detail });
  const events = logged([
    eventWith("session_started"),
    eventWith("asked", { text: 'Wer ruft "ΣΊΣΥΦΟΣ"\nan?' }),
    eventWith("replied", {
      text: "Größe: 漢字",
      calls: [call(0, "read_file", '{"a":"b\\n"}'), call(1, "run", "{}")],
    }),
    eventWith("remembered", { call: "t1c1", text: "(a.b)* 🌊" }),
    eventWith("gated", { turn: 1, text: "You have not read the tides." }),
    eventWith("gated", { turn: 1, text: "" }),
    eventWith("repaired", { turn: 1, repairs: [repair("It was lost."), repair("It came twice.")] }),
  ]);
  const cases: readonly [text: string, ...keys: string[]][] = [
    ['"σίσυφος"\nAN', "asked"],
    ["σίσυ", "asked"],
    ["GRÖße", "reply"],
    ["漢字", "reply"],
    ['{"A":"B\\N', "t1c0"],
    ["(A.B)* 🌊", "t1c1"],
    ["axb"],
    ["TIDES", "note0"],
    ["twice", "repair1"],
    ["It ", "repair0", "repair1"],
  ];
  for (const [text, ...keys] of cases)
    assert.deepEqual(
      keysOf(events, { text }),
      keys.map((key) => `s1/t1/${key}`),
      text,
    );
  assert.equal(turnOfCall("t1c1"), 1);
});

test("sizes are at least, in characters of the whole result; a page that is not the whole list is incomplete at either end", () => {
  const shown = (n: number) =>
    eventWith("remembered", { call: `t1c${n}`, shown: "page", text: "x".repeat(10) });
  const page = (n: number, first: number, last: number) =>
    eventWith("covered", { call: `t1c${n}`, page: { first, last, references: [] }, total: 40 });
  const events = logged([
    eventWith("session_started"),
    eventWith("replied", { calls: [0, 1, 2, 3].map((n) => call(n, "list", "{}")) }),
    ...[page(0, 1, 40), page(1, 1, 39), page(2, 2, 40)].flatMap((covered, n) => [covered, shown(n)]),
    eventWith("tool_result_stored", { call: "t1c3", chars: 5000 }),
    shown(3),
  ]);
  const found = (query: Partial<FindQuery>) => keysOf(events, query).map((key) => key.slice(6));
  assert.deepEqual(found({ state: "incomplete" }), ["t1c1", "t1c2"]);
  assert.deepEqual(found({ minimumChars: 10, kind: "call" }), ["t1c0", "t1c1", "t1c2", "t1c3"]);
  assert.deepEqual(found({ minimumChars: 11 }), ["t1c3"]);
  assert.deepEqual([found({ minimumChars: 5000 }), found({ minimumChars: 5001 })], [["t1c3"], []]);
});

test("more than a page can be told is counted: rows of one turn, and turns", () => {
  const calls = Array.from({ length: 30 }, (_, n) => call(n, "run", "{}"));
  const wide = logged([eventWith("session_started"), eventWith("replied", { calls })]);
  const found = findRows(foldOf(wide), { ...ANYTHING, tool: "run" }, wide);
  assert.deepEqual([found.total, found.isCut, found.turns[0]?.keys.length], [30, true, 20]);
  const many = logged([
    eventWith("session_started"),
    ...Array.from({ length: 2100 }, (_, turn) => eventWith("asked", { turn: turn + 1 })),
  ]);
  const cut = findRows(foldOf(many), { ...ANYTHING, kind: "asked" }, many);
  assert.deepEqual([cut.total, cut.isCut, cut.turns.length], [2100, true, 2000]);
});
