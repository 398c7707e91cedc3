/** ARCHITECTURE, Storage: a torn, fused, lost or edited line is found; what stands before it is kept; nothing is thrown away. */
import assert from "node:assert/strict";
import { open, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import type { Logged, SessionEvent } from "../../../src/schema/event";
import { CHAIN_START, lineOf, readChain } from "../../../src/store/chain";
import { readFirstEvent, readLog, SessionLog } from "../../../src/store/log";
import { readStretches } from "../../../src/store/readStretches";
import { hasCode, withFolder } from "../../support/storeFolder";

const asked = (text: string): SessionEvent => ({ type: "asked", turn: 1, text });
const clock = { now: () => 1_700_000_000_000 };

/** A log's bytes and events, `texts` as questions. */
function written(texts: readonly string[]): { bytes: Buffer; events: Logged[]; ends: number[] } {
  const events: Logged[] = [];
  const ends = [0];
  let sum = CHAIN_START;
  let content = "";
  for (const text of texts) {
    const event: Logged = { n: events.length, at: 1, origin: "loop", ...asked(text) };
    const next = lineOf(event, sum);
    events.push(event);
    sum = next.sum;
    content += `${next.line}\n`;
    ends.push(Buffer.byteLength(content));
  }
  return { bytes: Buffer.from(content), events, ends };
}

const LOG = written(["first", "second 😀 \ufffd", "third", 'with "quotes" \n and breaks', "last"]);
const lines = LOG.ends.slice(1).map((end, i) => LOG.bytes.subarray(LOG.ends[i], end));
const joined = (...parts: readonly (Uint8Array | undefined)[]) =>
  Buffer.concat(parts.filter((part) => part !== undefined));

/** How many events a damaged log still gives, and why it stops there. */
function check(cases: [string, Uint8Array, number, RegExp | null][]): void {
  for (const [name, bytes, count, problem] of cases) {
    const read = readChain(bytes);
    assert.deepEqual(read.events, LOG.events.slice(0, count), name);
    assert.equal(read.goodBytes, LOG.ends[count], name);
    if (problem === null) assert.equal(read.problem, null, name);
    else assert.match(read.problem ?? "", problem, name);
  }
}

test("a log that is read in stretches says what it says as a whole, wherever it is altered or ends (property)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: LOG.bytes.length + 10 }),
      fc.nat({ max: LOG.bytes.length }),
      fc.option(fc.nat({ max: LOG.bytes.length - 1 })),
      async (stretchBytes, length, altered) => {
        const bytes = Buffer.from(LOG.bytes.subarray(0, length));
        if (altered !== null && altered < length) bytes[altered] = (bytes[altered] ?? 0) ^ 1;
        assert.deepEqual(await readStretches(bytes, null, undefined, stretchBytes), readChain(bytes));
      },
    ),
  );
});

test("a log reads back as it was written, and stops where its chain stops", () => {
  const [a, b, c, d, e] = lines;
  check([
    ["whole", LOG.bytes, 5, null],
    ["empty", Buffer.alloc(0), 0, null],
    ["torn in the last line", LOG.bytes.subarray(0, -3), 4, /line 5 is torn/],
    ["torn at the newline", LOG.bytes.subarray(0, -1), 4, /line 5 is torn/],
    ["two lines fused", joined(a, b?.subarray(0, -1), c, d, e), 1, /line 2 does not follow/],
    ["half a line, then a whole one", joined(a, b?.subarray(0, 9), c, d, e), 1, /line 2 does not follow/],
    ["a lost line", joined(a, c, d, e), 1, /line 2 does not follow/],
    ["two lines swapped", joined(a, c, b, d, e), 1, /line 2 does not follow/],
    ["a line twice", joined(a, a, b), 1, /line 2 does not follow/],
    ["the first line lost", joined(b, c, d, e), 0, /line 1 does not follow/],
    ["an edited line", joined(a, Buffer.from(String(b).replace("second", "secund")), c), 1, /line 2/],
    ["an empty line", joined(a, Buffer.from("\n"), b), 1, /line 2/],
    ["zeros, as some disks leave", joined(a, b, Buffer.alloc(512)), 2, /line 3 is torn/],
    ["a mark at a line's start", joined(a, Buffer.from("\ufeff"), b), 1, /line 2/],
    [
      "other bytes of the same text",
      joined(a, Buffer.from(String(b).replace("\ufffd", "?"), "utf8"), c),
      1,
      /line 2/,
    ],
    [
      "bytes that are no text",
      joined(a, Buffer.from(String(b).replace("\ufffd", "\xff"), "latin1"), c),
      1,
      /line 2/,
    ],
  ]);
});

test("any flipped bit, any cut and any byte put in is found; the lines before it stay", () => {
  fc.assert(
    fc.property(
      fc.nat(LOG.bytes.length - 1),
      fc.nat(7),
      fc.constantFrom("flip", "cut", "insert"),
      (at, bit, kind) => {
        const before = LOG.bytes.subarray(0, at);
        const damaged =
          kind === "flip"
            ? joined(before, Buffer.from([(LOG.bytes[at] ?? 0) ^ (1 << bit)]), LOG.bytes.subarray(at + 1))
            : kind === "cut"
              ? before
              : joined(before, Buffer.from([bit * 31]), LOG.bytes.subarray(at));
        const whole = LOG.ends.findLastIndex((end) => end <= at);
        const read = readChain(damaged);
        assert.deepEqual(read.events, LOG.events.slice(0, whole));
        assert.equal(read.problem === null, kind === "cut" && LOG.ends[whole] === at);
      },
    ),
    { numRuns: 2000 },
  );
});

test("an event kind, a field or an origin of a later version closes the log: it is data, not damage", () => {
  for (const event of [
    { n: 0, at: 1, origin: "loop", type: "dreamt", turn: 1 },
    { n: 0, at: 1, origin: "telepathy", type: "asked", turn: 1, text: "" },
    { n: 0, at: 1, origin: "loop", type: "asked", turn: "first", text: "" },
  ]) {
    const { line } = lineOf(event as never, CHAIN_START);
    assert.throws(() => readChain(Buffer.from(`${line}\n`)), hasCode("store-too-new"), event.type);
  }
});

test("opening a damaged log keeps the good part, moves the rest aside byte for byte, and goes on", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    for (const tail of ["{torn", "\0".repeat(100), `${lines[0]}`]) {
      await writeFile(file, joined(lines[0], lines[1], Buffer.from(tail)));
      const { log, events, damage } = await SessionLog.open(file, { clock });
      assert.deepEqual(events, LOG.events.slice(0, 2));
      const aside = /moved to (\S+)$/.exec(damage ?? "")?.[1] ?? assert.fail(String(damage));
      assert.equal(await readFile(path.join(folder, aside), "utf8"), tail);
      await log.append(asked("more"));
      await log.close();
      assert.deepEqual(
        (await readLog(file)).map(({ n }) => n),
        [0, 1, 2],
      );
    }
    assert.equal((await readdir(folder)).filter((name) => name.includes("damaged")).length, 3);
  });
});

test("a log that is damaged from its first line on is left as it is", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    const bytes = joined(Buffer.from("x"), LOG.bytes);
    await writeFile(file, bytes);
    await assert.rejects(SessionLog.open(file, { clock }), hasCode("log-damaged"));
    assert.deepEqual(await readFile(file), bytes);
    assert.deepEqual(await readdir(folder), ["log.jsonl"]);
    await assert.rejects(
      SessionLog.open(path.join(folder, "none.jsonl"), { clock }),
      hasCode("session-missing"),
    );
  });
});

test("appends that were begun together stand in the order they were begun", async () => {
  await withFolder(async (folder) => {
    const log = await SessionLog.create(path.join(folder, "log.jsonl"), { clock });
    const logged = await Promise.all(Array.from({ length: 200 }, (_, i) => log.append(asked(`${i}`))));
    await log.sync();
    await log.close();
    assert.deepEqual(await readLog(path.join(folder, "log.jsonl")), logged);
    assert.deepEqual(
      logged.map((event) => event.type === "asked" && event.text),
      logged.map((_, i) => `${i}`),
    );
  });
});

test("after a write that failed nothing more is appended, and every caller is told", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    const log = await SessionLog.create(file, { clock });
    await log.append(asked("one"));
    await log.close(); // from here on the disk takes nothing
    const refusals = await Promise.allSettled([
      log.append(asked("two")),
      log.append(asked("three")),
      log.sync(),
    ]);
    for (const refusal of refusals)
      assert.ok(refusal.status === "rejected" && hasCode("log-unwritable")(refusal.reason));
    assert.equal((await readLog(file)).length, 1);
  });
});

test("a write that fails once, halfway: nothing follows it, though the disk has room again", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    const log = await SessionLog.create(file, { clock });
    await log.append(asked("one"));
    const handle = await open(file, "a");
    const disk: Pick<typeof handle, "appendFile"> = Object.getPrototypeOf(handle);
    const { appendFile } = disk;
    disk.appendFile = async function (this: typeof handle, data) {
      disk.appendFile = appendFile;
      await appendFile.call(this, String(data).slice(0, 20));
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    };
    for (const text of ["two", "three"])
      await assert.rejects(log.append(asked(text)), hasCode("log-unwritable"));
    await assert.rejects(log.sync(), hasCode("log-unwritable"));
    await log.close();
    await handle.close();
    const again = await SessionLog.open(file, { clock });
    assert.deepEqual([again.events.length, again.damage?.startsWith("line 2 is torn; 20 bytes")], [1, true]);
    await again.log.close();
  });
});

test("an event that could not be read back is never written, and the log goes on", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    const log = await SessionLog.create(file, { clock });
    await assert.rejects(log.append({ type: "asked", turn: 1.5, text: "" }), hasCode("log-unwritable"));
    await assert.rejects(log.append({ type: "asked" } as never), hasCode("log-unwritable"));
    await log.append(asked("one"));
    await log.close();
    assert.equal((await readLog(file)).length, 1);
  });
});

test("the first event is read without the rest, whatever the rest is", async () => {
  await withFolder(async (folder) => {
    const file = path.join(folder, "log.jsonl");
    for (const [bytes, expected] of [
      [LOG.bytes, LOG.events[0]],
      [joined(lines[0], Buffer.from("damage")), LOG.events[0]],
      [Buffer.alloc(0), null],
      [lines[0]?.subarray(0, -1), null],
      [written(["x".repeat(20_000)]).bytes, null], // a list reads only the first bytes
    ] as const) {
      await writeFile(file, bytes ?? "");
      assert.deepEqual(await readFirstEvent(file, null), expected);
    }
  });
});
