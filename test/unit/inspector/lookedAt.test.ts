/** Another agent's file that is looked at: what is said of it is that it was read, and how its figures come about. */
import assert from "node:assert/strict";
import { estimatedTokens } from "../../../src/history/tokens";
import { analysisSentence } from "../../../src/inspector/analysisSentence";
import { foldLookedAt, lookedAtFrom } from "../../../src/inspector/lookedAt";
import { analyse } from "../../../src/inspector/whatIf/analyse";
import { openHouse } from "../../support/house";
import { linesOf, readOne } from "../../support/transcripts";

const TRANSCRIPT = linesOf(
  { sessionId: "s1", uuid: "u", type: "user", message: { role: "user", content: "Look." } },
  {
    ...{ sessionId: "s1", uuid: "v", type: "assistant" },
    message: { role: "assistant", id: "m1", model: "claude-x", content: [{ type: "text", text: "Seen." }] },
  },
);

test("nothing was imported of a file that is only looked at", async () => {
  const fold = foldLookedAt(lookedAtFrom("file-1", await readOne(TRANSCRIPT)));
  assert.match(fold.head?.notices[0] ?? "", /^Read from a transcript of Claude Code\./);
  assert.doesNotMatch(fold.head?.notices.join("\n") ?? "", /Imported/);
});

test("what is assumed in an analysis is said beside its figures; of a session of ours nothing is", async () => {
  const foreign = analysisSentence(analyse(await readOne(TRANSCRIPT), { tokens: estimatedTokens }));
  assert.match(
    foreign,
    /with 12,000 tokens that are assumed for the agent’s system prompt and tools, which its file does not have/,
  );
  assert.ok(foreign.includes(estimatedTokens.name));
  const house = await openHouse({ replies: [{ say: "Done." }] });
  await house.ask("Look.");
  const ours = analysisSentence(
    analyse({ events: house.events, contents: new Map() }, { tokens: estimatedTokens }),
  );
  assert.doesNotMatch(ours, /assumed/);
});
