/** Session files that were made to keep us busy, or to show what should be hidden. The slow ways take minutes, and time out. */
import assert from "node:assert/strict";
import { analyse } from "../../../src/inspector/whatIf/analyse";
import { countedOnce } from "../../../src/inspector/whatIf/tokens";
import { linesOf, notesOf, readOne, transcriptPorts } from "../../support/transcripts";

const SECRET = ["AKIA", "IOSFODNN7EXAMPLE"].join(""); // put together here, so that no scanner takes this file for a leak

const call = (id: string, name: string) => ({ id, function: { name, arguments: "{}" } });
const asks = (...calls: readonly unknown[]) => ({ role: "assistant", content: "", tool_calls: calls });
const chat = (...messages: readonly unknown[]): string =>
  JSON.stringify({ messages: [{ role: "user", content: "Go." }, ...messages] });

suite("attack/transcripts", () => {
  test("a reply in a hundred thousand pieces is put together at the cost of its text", async function () {
    this.timeout(30_000);
    const part = { type: "text", text: "Some words of the reply." };
    const event = { type: "content.part", stepUuid: "s", part };
    const session = await readOne(
      linesOf(
        { type: "context.append_message", message: { role: "user", content: "Go." } },
        ...new Array(100_000).fill({ type: "context.append_loop_event", event }),
      ),
    );
    const reply = session.events.find(({ type }) => type === "replied");
    assert.equal(reply?.type === "replied" && reply.text.length, 100_000 * (part.text.length + 2) - 2);
  });

  test("a message of a hundred thousand steps is read step by step, each with what it took", async function () {
    this.timeout(30_000);
    const step = [{ type: "step-start" }, { type: "step-finish", tokens: { input: 7, output: 2 } }];
    const parts = new Array(100_000).fill(step).flat();
    const session = await readOne(
      JSON.stringify({
        info: { id: "s" },
        messages: [
          { info: { role: "user" }, parts: [{ type: "text", text: "Go." }] },
          { info: { role: "assistant" }, parts },
        ],
      }),
    );
    const replies = session.events.filter((event) => event.type === "replied");
    assert.equal(replies.length, 19_999);
    assert.ok(replies.every(({ usage }) => usage?.inputTokens === 7 && usage.outputTokens === 2));
  });

  test("a name of a megabyte is cut before it is told with every result", async function () {
    this.timeout(30_000);
    const results = Array.from({ length: 1000 }, (_, n) => ({
      role: "tool",
      tool_call_id: "c",
      content: `${n} `.repeat(10_000),
    }));
    const session = await readOne(chat(asks(call("c", "aB".repeat(500_000))), ...results));
    const log = session.events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    assert.ok(log < 8_000_000, `the log has ${log} chars`);
    const analysis = analyse(session, { tokens: countedOnce(transcriptPorts.tokens) });
    assert.equal(analysis.requests, 1);
  });

  test("a result finds its call by a name that is cut in both", async () => {
    const name = "n".repeat(300);
    const session = await readOne(
      chat(asks({ function: { name } }, { function: { name: `${name.slice(1)}m` } }), {
        role: "function",
        name,
        content: "found",
      }),
    );
    const remembered = session.events.find(({ type }) => type === "remembered");
    assert.equal(remembered?.type === "remembered" && remembered.call, "t1c0");
  });

  test("C29 a secret in a name or an id of another agent is hidden like any other", async () => {
    const session = await readOne(
      JSON.stringify({
        ...JSON.parse(
          chat(
            asks(call(SECRET, `x ${SECRET}`)),
            { role: "tool", tool_call_id: SECRET, content: "found" },
            { role: "tool", name: `y ${SECRET}`, content: "of nobody" },
          ),
        ),
        model: `m ${"x".repeat(190)} ${SECRET}`,
      }),
    );
    const log = JSON.stringify(session.events);
    assert.ok(!log.includes(SECRET.slice(0, 8)), log.slice(Math.max(0, log.indexOf("AKIA") - 200)));
    assert.ok(notesOf(session).some((note) => note.endsWith("secret(s) were hidden")));
    assert.deepEqual(
      session.events.flatMap((event) => (event.type === "remembered" ? [event.call] : [])).slice(0, 1),
      ["t1c0"],
    );
  });

  test("what kind of tool a result is of is not asked of ten thousand results before each request", async function () {
    this.timeout(30_000);
    const turns = Array.from({ length: 9900 }, (_, n) => [
      asks(call(`c${n}`, `toolWithName ${n} `.repeat(9))),
      { role: "tool", tool_call_id: `c${n}`, content: `result ${n}` },
    ]);
    const session = await readOne(chat(...turns.flat()));
    const { requests } = analyse(session, { tokens: countedOnce(transcriptPorts.tokens) });
    assert.equal(requests, 9900);
  });
});
