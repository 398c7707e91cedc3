/** Claude Code JSONL, with what real ones do (QUIRKS 2, 5, 7, 8, 12). */
import assert from "node:assert/strict";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import { countsOf, linesOf, notesOf, pictureOf, readOne } from "../../support/transcripts";

const base = { sessionId: "s1", uuid: "u", cwd: "/home/me/boat", timestamp: "2026-01-02T03:04:05Z" };
const user = (content: unknown) => ({ ...base, type: "user", message: { role: "user", content } });
const model = (id: string, ...content: unknown[]) => ({
  ...base,
  type: "assistant",
  message: {
    id,
    role: "assistant",
    model: "claude-x",
    content,
    usage: { input_tokens: 5, output_tokens: 7 },
  },
});
const use = (id: string, name: string, input: unknown) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown, more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});

test("Claude Code: pieces with one message id are one reply, also with results between them", async () => {
  const session = await readOne(
    linesOf(
      user("Look."),
      model("m1", { type: "thinking", thinking: "Hm." }),
      model("m1", { type: "text", text: "I look." }),
      model("m1", use("a", "Read", { path: "x" })),
      user([result("a", "X")]),
      model("m1", use("b", "Bash", { command: "ls" })),
      user([
        result("b", [{ type: "text", text: "Y" }], { is_error: true }),
        { type: "text", text: "Go on." },
      ]),
      model("m2", { type: "text", text: "Done." }),
    ),
    "Claude Code",
  );
  assert.deepEqual(pictureOf(session), [
    "u: Look.",
    'a: I look. [t1c0 Read {"path":"x"}] [t1c1 Bash {"command":"ls"}]',
    "t: t1c0 X",
    "t: t1c1 failed Y",
    "u: Go on.",
    "a: Done.",
  ]);
  assert.deepEqual(notesOf(session), ["1 part(s) of the model's reasoning were left out"]);
  const [started, configured] = session.events;
  assert.ok(started?.type === "session_started" && configured?.type === "configured");
  assert.deepEqual(
    [started.title, started.workspace, started.at],
    ["Look.", "boat", Date.UTC(2026, 0, 2, 3, 4, 5)],
  );
  assert.equal(configured.model.id, "claude-x");
});

test("Claude Code: copies of a resumed session stay what they are, each with a key of its own", async () => {
  const lines = [user("Go."), model("m1", use("a", "Read", {})), user([result("a", "X")])];
  const session = await readOne(linesOf(...lines, ...lines));
  assert.deepEqual(pictureOf(session).slice(1), [
    "a: [t1c0 Read {}]",
    "t: t1c0 X",
    "u: Go.",
    "a: [t2c0 Read {}]",
    "t: t2c0 X",
  ]);
});

test("Claude Code: lines that are none, wrong types and unknown kinds are counted, and the rest is read", async () => {
  const session = await readOne(
    linesOf(
      "// a comment",
      "42",
      '"text"',
      user("Go."),
      { ...base, type: "user", message: "bare" },
      { ...base, type: "user", message: { role: "user", contenst: 1 } },
      {
        ...base,
        type: "assistant",
        message: { id: 3, content: [7, { type: "fallback" }, use("a", "Read", null)] },
      },
      { ...base, type: "hologram" },
      user([result("nobody", "lost")]),
      '{"type":"user","message":{"cut',
    ),
  );
  assert.deepEqual(notesOf(session), [
    "2 line(s) were no JSON, and not read",
    "2 line(s) were JSON, but no record",
    "1 message(s) without content",
    "1 part(s) of messages were no text and no record",
    "1 part(s) of the kind “fallback” were not read",
    "1 record(s) of the kind “hologram” were not read",
    "1 result(s) without a call: kept in the log, shown nowhere",
    "1 call(s) without a result",
  ]);
  assert.equal(countsOf(session.events).orphans, 1);
});

test("P16 Claude Code: a call that the provider ran itself is left out with its result, whichever half is missing (anthropics/claude-code#66548)", async () => {
  const half = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "knots" } };
  const other = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [{ type: "web_search_result" }],
  };
  const advice = { type: "advisor_tool_result", tool_use_id: "srvtoolu_2", content: { text: "Do it." } };
  const mcp = { type: "mcp_tool_use", id: "mcptoolu_1", name: "echo", server_name: "s", input: {} };
  for (const blocks of [[half, other], [half], [other], [advice], [mcp], [other, half, advice]]) {
    const session = await readOne(
      linesOf(
        user("Look."),
        model("m1", { type: "text", text: "I look." }, ...blocks, use("a", "Read", {})),
        user([result("a", "X"), ...blocks]),
        model("m2", ...blocks, { type: "text", text: "Done." }),
      ),
    );
    assert.deepEqual(pictureOf(session), ["u: Look.", "a: I look. [t1c0 Read {}]", "t: t1c0 X", "a: Done."]);
    assert.deepEqual(notesOf(session), [
      `${3 * blocks.length} part(s) of calls that the provider ran itself were left out`,
    ]);
    const { messages } = foldHistory(session.events);
    assert.equal(
      pair(messages, () => undefined).messages,
      messages,
      "nothing is answered in the provider's place",
    );
  }
});
