/** Details: whatever row is asked about, its events, why it is so and its whole texts come; whatever is in the log can be reached. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { windowOf } from "../../../src/inspector/detailTexts";
import { viewOf } from "../../../src/inspector/project";
import { keyOfEvent, placeOfKey } from "../../../src/inspector/rowPlace";
import { headOnWire, turnOnWire } from "../../../src/inspector/rows";
import { allTurns } from "../../../src/inspector/turnPages";
import type { Logged } from "../../../src/schema/event";
import { Details, WINDOW_CHARS } from "../../../src/schema/inspector";
import type { Row } from "../../../webview-ui/row";
import { Attack, anyRun } from "../../support/anySession";
import { eventWith, everyEvent, logged } from "../../support/everyEvent";
import { LoggedRows } from "../../support/inspectorDetails";
import { richHouse } from "../../support/inspectorHouse";
import { rowsFrom } from "../../support/inspectorTree";

/** Every row that the page makes of a session, as it has it. */
function rowsIn({ fold }: LoggedRows): readonly Row[] {
  const head = fold.head ?? assert.fail("a log without a beginning");
  const turns = allTurns(fold.turns).map(turnOnWire);
  const all = (rows: readonly Row[]): Row[] => rows.flatMap((row) => [row, ...all(row.children())]);
  return all(rowsFrom({ ...headOnWire(head), turns }));
}

const WITH_TEXTS = new Set([
  "asked",
  "turn",
  "call",
  "arguments",
  "receipt",
  "result",
  "stored",
  "shortened",
]);

function checkRow(log: LoggedRows, { key, kind, event }: Row, byNumber: ReadonlyMap<number, Logged>): void {
  const details = log.details(key);
  assert.deepEqual(Details.parse(details), details);
  assert.ok(details.why !== null && details.events.length > 0, `${key} says neither why nor where`);
  if (event !== null) {
    const numbers = details.events.map(({ n }) => n);
    assert.ok(numbers.includes(event.n), `${key} is of event ${event.n}, and has ${numbers}`);
    assert.equal(byNumber.get(event.n)?.type, event.type, key);
  }
  if (/^(note|repair|recovery|shortened)\d/.test(key.split("/").at(-1) ?? ""))
    assert.deepEqual([details.why.n, details.events.length], [event?.n, 1], key);
  const named = details.texts.map(({ label, text }) => [label, text] as const);
  const versions = (["returned", "shown", "now"] as const).map((part) => [part, details[part]] as const);
  for (const [part, window] of [...named, ...versions]) {
    const whole = log.text(key, part);
    if (window === null) assert.ok(whole === null || typeof whole === "object" || kind !== "result", key);
    else assert.deepEqual(windowOf(whole as string), window, `${key} ${part}`);
  }
  const hasText = [...named, ...versions].some(([, window]) => window !== null);
  if (WITH_TEXTS.has(kind) && byNumber.size > 0 && log.placeOf(key).call !== null)
    assert.ok(hasText, `${key} has no text`);
}

test("every row that a page makes leads to why it is so, to its events, and to its texts; asked again, they are the same", async () => {
  const house = await richHouse();
  for (const events of [everyEvent(), house.events]) {
    const log = new LoggedRows(events);
    const byNumber = new Map(events.map((event) => [event.n, event]));
    const rows = rowsIn(log);
    for (const row of rows) checkRow(log, row, byNumber);
    const kinds = new Set(rows.map(({ kind }) => kind));
    for (const kind of WITH_TEXTS) assert.ok(kinds.has(kind as Row["kind"]), `no row of kind ${kind}`);
  }
});

test("rows of which there are several say each its own: notes, repairs, steps that made room, shortenings", () => {
  const repair = (call: string) => ({
    kind: "result_missing" as const,
    call,
    detail: `Nothing for ${call}.`,
  });
  const events = logged([
    eventWith("session_started"),
    eventWith("configured"),
    eventWith("asked"),
    eventWith("replied"),
    eventWith("budgeted", { turn: 1, cuts: eventWith("aged").decisions }),
    eventWith("aged"),
    eventWith("gated", { turn: 2, verdict: "say", text: "You have not read all." }),
    eventWith("configured", { intent: null }),
    eventWith("forgotten", { call: null }),
    eventWith("repaired", { repairs: [repair("t1c1")] }),
    eventWith("repaired", { repairs: [repair("t1c2"), repair("t1c0")] }),
    eventWith("overflowed", { turn: 2 }),
    eventWith("overflowed", { turn: 2, step: "blocks" }),
    eventWith("resumed", { turn: 2 }),
  ]);
  const log = new LoggedRows(events);
  const saying = (key: string) => log.details(`s1/${key}`).events.map(({ type, n }) => `${n} ${type}`);
  assert.deepEqual(["t1/t1c0/shortened0", "t1/t1c0/shortened1"].flatMap(saying), ["4 budgeted", "5 aged"]);
  assert.deepEqual(
    ["note0", "note1", "note2", "note3", "repair0", "repair1", "repair2", "recovery0", "recovery1"].flatMap(
      (part) => saying(`t2/${part}`),
    ),
    [
      ...["6 gated", "7 configured", "8 forgotten", "13 resumed"],
      ...["9 repaired", "10 repaired", "10 repaired", "11 overflowed", "12 overflowed"],
    ],
  );
  assert.equal(log.details("s1/t2/note2").why?.type, "forgotten");
});

test("every event there is leads to a row that the page has", () => {
  const log = new LoggedRows(everyEvent());
  const keys = new Set(rowsIn(log).map(({ key }) => key));
  for (const event of everyEvent()) {
    const key = keyOfEvent(log.fold, event);
    assert.ok(keys.has(key), `${event.type} leads to ${key}`);
  }
  const orphan = { ...eventWith("remembered", { call: "t1c77" }), n: 99, at: 0, origin: "import" } as const;
  assert.equal(keyOfEvent(log.fold, orphan), "s1/t1", "a result that nothing asked for");
  const later = { ...eventWith("remembered", { call: "t9c0" }), n: 99, at: 0, origin: "import" } as const;
  assert.equal(keyOfEvent(log.fold, later), "s1");
});

test("any session: each event of its log is among the details of the row that it leads to, and that row is there", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 2 }), async (runs) => {
      const attack = new Attack();
      for (const [n, run] of runs.entries()) await attack.run(run, `Question ${n}?`);
      const log = new LoggedRows(attack.events);
      const rows = new Map(rowsIn(log).map((row) => [row.key, row]));
      const told = new Map<string, Set<number>>();
      for (const event of attack.events) {
        const key = keyOfEvent(log.fold, event);
        assert.ok(rows.has(key), `${event.type} leads to ${key}`);
        const numbers = told.get(key) ?? new Set(log.details(key).events.map(({ n }) => n));
        told.set(key, numbers);
        assert.ok(numbers.has(event.n), `${event.type} is not among the details of ${key}`);
      }
    }),
    { numRuns: 40 },
  );
});

test("for every text: windows read one after another are the text, each character once and none in halves, wherever one begins", () => {
  const near = fc.integer({ min: WINDOW_CHARS - 4, max: WINDOW_CHARS + 4 });
  const part = fc.string({ unit: "binary", maxLength: 30 });
  fc.assert(
    fc.property(near, part, near, part, fc.nat(40_000), (first, middle, second, end, offset) => {
      const text = `${"x".repeat(first)}🌊${middle}🌊${"y".repeat(second)}🌊${end}`.toWellFormed();
      let read = "";
      for (let at: number | null = 0; at !== null; ) {
        const window = windowOf(text, at);
        assert.ok(window.text.isWellFormed() && window.text.length <= WINDOW_CHARS);
        assert.deepEqual([window.offset, window.totalChars], [at, text.length]);
        assert.ok(window.next === null || window.next > at);
        read += window.text;
        at = window.next;
      }
      assert.equal(read, text);
      const anywhere = windowOf(text, Math.min(offset, text.length));
      assert.ok(anywhere.text.isWellFormed() && anywhere.offset >= Math.min(offset, text.length) - 1);
    }),
    { numRuns: 300 },
  );
});

test("a row of hundreds of large events is told in one message: the newest, each cut", () => {
  const arguments_ = "é".repeat(20_000);
  const calls = [{ call: "t1c0", id: "a", name: "write", arguments: arguments_ }];
  const many = Array.from({ length: 400 }, () => eventWith("replied", { calls }));
  const events = logged([eventWith("session_started"), eventWith("configured"), ...many]);
  const { events: told } = new LoggedRows(events).details("s1/t1");
  assert.ok(told.length >= 20 && told.at(-1)?.n === events.length - 1);
  assert.ok(told.every(({ json }) => json.length <= 8001));
  assert.ok(Buffer.byteLength(JSON.stringify(told)) < 1024 * 1024);
});

test("what is no key of a row has no place; what is one has, whatever its part is called", () => {
  const { fold } = new LoggedRows(everyEvent());
  for (const key of ["s1/x/y", "s1/t/t1c0", "s1/tt1/asked"]) assert.equal(placeOfKey(fold, key), null, key);
  const log = new LoggedRows(everyEvent());
  for (const part of ["constructor", "__proto__", "toString", "note99", "repair4294967296", "stored/reader0"])
    assert.ok(Array.isArray(log.details(`s1/t1/t1c0/${part}`).events), part);
  assert.deepEqual(log.details("s1/t7").events, []);
  assert.ok(viewOf(fold));
});
