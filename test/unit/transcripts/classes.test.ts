/** Results of a transcript are of the class of their tool: what is long is stored with the ticket that the loop would give it. */
import assert from "node:assert/strict";
import { linesOf, readOne } from "../../support/transcripts";

const LONG = Array.from({ length: 400 }, (_, n) => `line ${n} of what came back`).join("\n");
const base = { sessionId: "s1", uuid: "u", timestamp: "2026-01-02T03:04:05Z" };

async function rememberedFrom(name: string, isError: boolean) {
  const use = { type: "tool_use", id: "a", name, input: {} };
  const result = { type: "tool_result", tool_use_id: "a", content: LONG, is_error: isError };
  const { events } = await readOne(
    linesOf(
      { ...base, type: "user", message: { role: "user", content: "Go." } },
      { ...base, type: "assistant", message: { id: "m", role: "assistant", model: "x", content: [use] } },
      { ...base, type: "user", message: { role: "user", content: [result] } },
    ),
  );
  const event = events.find(({ type }) => type === "remembered");
  assert.ok(event?.type === "remembered");
  return event;
}

test("an imported result has the class of its tool; an error is an error whatever made it", async () => {
  const found: string[] = [];
  for (const name of ["Read", "Bash", "run_in_terminal", "Grep", "list_dir", "WebFetch"])
    found.push(`${name} ${(await rememberedFrom(name, false)).class}`);
  assert.deepEqual(found, [
    "Read read",
    "Bash execute",
    "run_in_terminal execute",
    "Grep list",
    "list_dir list",
    "WebFetch other",
  ]);
  assert.equal((await rememberedFrom("Bash", true)).class, "error");
});

test("what a command put out keeps its end beside its ticket, as in the loop; a file's head is enough", async () => {
  const command = await rememberedFrom("Bash", false);
  assert.equal(command.shown, "ticket");
  assert.match(command.text, /^\[Incomplete: first \d+ and last \d+ of \d+ characters from Bash/);
  assert.match(command.text, /line 0 of what came back[\s\S]*line 399 of what came back/);
  const file = await rememberedFrom("Read", false);
  assert.match(file.text, /^\[Incomplete: first \d+ of \d+ characters from Read/);
  assert.ok(!file.text.includes("line 399"));
});
