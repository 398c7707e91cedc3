/** Sessions as they are replayed: whole results, in the order of the transcript, with the waits between requests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { loadSessions } from "../../../bench/traces/loadSessions";
import { sessionOf } from "../../../src/inspector/whatIf/session";
import { byteLength } from "../../../src/schema/text";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { units } from "../../support/benchSession";
import { sharedTest } from "../../support/sharedData";
import { linesOf, readOne, readText, transcriptPorts } from "../../support/transcripts";

const call = (id: string) => ({
  role: "assistant",
  content: "Looking.",
  tool_calls: [{ id, type: "function", function: { name: "look", arguments: '{"at":"x"}' } }],
});
const answer = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });

test("a result is what the tool returned: out of the fence, or whole from where the import put it", async () => {
  const long = "A long line of a result.\n".repeat(4000);
  const messages = [
    { role: "user", content: "Look." },
    call("a"),
    answer("a", "short\n[x]\n"),
    call("b"),
    answer("b", long),
    call("c"),
    answer("c", ""),
    { role: "assistant", content: "Done." },
  ];
  const session = sessionOf("one", await readOne(JSON.stringify(messages)), units);
  assert.deepEqual(
    session.items.map((item) => `${item.kind} ${item.tokens}`),
    [
      "user 5",
      "assistant 18",
      "result 10",
      "assistant 18",
      `result ${long.length}`,
      "assistant 18",
      "result 0",
      "assistant 5",
    ],
  );
  const results = session.items.filter((item) => item.kind === "result");
  assert.deepEqual(
    results.map(({ text }) => text),
    ["short\n[x]\n", long, ""],
  );
  assert.deepEqual(
    results.map(({ tool, turn }) => `${tool} ${turn}`),
    ["look 1", "look 2", "look 3"],
  );
  assert.deepEqual(
    session.requests.map(({ items }) => items),
    [1, 3, 5, 7],
  );
});

test("waits are the times between requests; without times there are none", async () => {
  const record = (type: string, seconds: number, message: object) => ({
    type,
    sessionId: "s",
    uuid: `u${seconds}`,
    timestamp: new Date(1_700_000_000_000 + seconds * 1000).toISOString(),
    message,
  });
  const reply = (id: string, text: string) => ({
    id,
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
  });
  const text = linesOf(
    record("user", 0, { role: "user", content: "One" }),
    record("assistant", 10, reply("m1", "first")),
    record("user", 20, { role: "user", content: "Two" }),
    record("assistant", 410, reply("m2", "second")),
  );
  const timed = sessionOf("timed", await readOne(text, "Claude Code"), units);
  assert.deepEqual(
    timed.requests.map(({ idleSeconds }) => idleSeconds),
    [0, 400],
  );
  const untimed = await readText(
    JSON.stringify([
      { role: "user", content: "One" },
      { role: "assistant", content: "first" },
      { role: "user", content: "Two" },
      { role: "assistant", content: "second" },
    ]),
  );
  assert.deepEqual(
    untimed.sessions.map((one) =>
      sessionOf("untimed", one, units).requests.map(({ idleSeconds }) => idleSeconds),
    ),
    [[0, 0]],
  );
});

sharedTest(
  "every transcript is replayed with all bytes of its results",
  ["traces/index.tsv"],
  async (index) => {
    const folder = path.dirname(index);
    const [, ...rows] = readFileSync(index, "utf8").trim().split("\n");
    const sessions = await loadSessions(path.dirname(folder), units);
    assert.ok(sessions.length >= rows.length);
    for (const row of rows) {
      const [file = ""] = row.split("\t");
      const { sessions: read } = await readTranscript(path.join(folder, file), transcriptPorts);
      const measured = read.flatMap(({ events }) => {
        const calls = new Set(
          events.flatMap((event) => (event.type === "replied" ? event.calls.map((one) => one.call) : [])),
        );
        return events.filter((event) => event.type === "measured" && calls.has(event.call));
      });
      const expected = measured.reduce(
        (sum, event) => sum + (event.type === "measured" ? event.bytes : 0),
        0,
      );
      const replayed = sessions
        .filter(({ name }) => name.startsWith(`${file}#`))
        .flatMap(({ items }) => items)
        .reduce((sum, item) => sum + (item.kind === "result" ? byteLength(item.text) : 0), 0);
      assert.ok(Math.abs(replayed - expected) <= measured.length * 2, `${file}: ${replayed} of ${expected}`); // blank ones
    }
  },
);
