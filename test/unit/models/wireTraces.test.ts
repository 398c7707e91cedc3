/** Real sessions of other agents, taken up at every request they made: both providers would take what is sent. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { withImages } from "../../../src/agent/images";
import { type HistoryState, historyFold } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import { anthropicBody } from "../../../src/models/wire/anthropic";
import { openaiBody } from "../../../src/models/wire/openai";
import type { Digest } from "../../../src/schema/claim";
import type { Message } from "../../../src/schema/message";
import type { DraftedSession } from "../../../src/transcripts/draft";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { sharedDir, sharedTest } from "../../support/sharedData";
import { transcriptPorts } from "../../support/transcripts";
import { anthropicProblems, openaiProblems } from "../../support/wireCheckers";

/** Every request of a session, and one more where it is gone on with: its history, paired as the loop does when it loads one. */
function* requestsOf({ events }: DraftedSession): Iterable<readonly Message[]> {
  let state: HistoryState = historyFold.begin();
  for (const event of events) {
    if (event.type === "requested") yield paired(state);
    state = historyFold.reduce(state, event);
  }
  const last = paired(state);
  yield last;
  yield [...last, { role: "user", text: "Go on." }];
}

function paired(state: HistoryState): readonly Message[] {
  const { messages } = pair(state.messages, (call) => state.pending.get(call));
  assert.equal(pair(messages, () => undefined).messages, messages, "pairing twice is pairing once");
  return messages;
}

function problemsOf(messages: readonly Message[], session: DraftedSession): readonly string[] {
  const loaded = new Map(
    [...session.contents].map(([digest, bytes]): [Digest, Uint8Array] => [digest, bytes]),
  );
  const request = withImages({ system: "Be brief.", tools: [], messages }, loaded);
  const options = { model: "m", maxTokens: 100, breakpoints: ["system", messages.length - 1] as const };
  return [
    ...openaiProblems(openaiBody(request, { model: "m" })).map((problem) => `OpenAI: ${problem}`),
    ...anthropicProblems(anthropicBody(request, options)).map((problem) => `Anthropic: ${problem}`),
  ];
}

const folder = sharedDir() && path.join(sharedDir() ?? "", "traces");
const files = folder ? readdirSync(folder).filter((name) => !/\.(md|tsv)$/.test(name)) : [];

suite("requests of real sessions", function () {
  this.timeout(120_000); // the longest has 500 requests of up to 1.6 MB
  for (const file of files) {
    sharedTest(`${file}: every request is one that providers take`, [`traces/${file}`], async (real) => {
      const { sessions } = await readTranscript(real, transcriptPorts);
      let requests = 0;
      for (const session of sessions) {
        for (const messages of requestsOf(session)) {
          assert.deepEqual(
            problemsOf(messages, session),
            [],
            `request ${requests} of ${messages.length} messages`,
          );
          requests++;
        }
      }
      assert.ok(requests >= 2 * sessions.length);
    });
  }
});
