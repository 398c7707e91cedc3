/**
 * Real sessions of other agents, had again with our loop and its defaults: what is sent shares every byte with the request
 * before up to the first recorded decision, and providers would take it.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import path from "node:path";
import { anthropicBody } from "../../../src/models/wire/anthropic";
import { openaiBody } from "../../../src/models/wire/openai";
import type { SentMessage } from "../../../src/schema/model";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { replayTrace } from "../../support/replayTrace";
import { sharedDir, sharedTest } from "../../support/sharedData";
import { transcriptPorts } from "../../support/transcripts";
import { anthropicProblems, openaiProblems } from "../../support/wireCheckers";

const folder = sharedDir() && path.join(sharedDir() ?? "", "traces");
const files = folder ? readdirSync(folder).filter((name) => !/\.(md|tsv)$/.test(name)) : [];

suite("real sessions through the loop", function () {
  this.timeout(240_000); // the longest has 500 requests of up to 1.5 MB
  for (const file of files) {
    sharedTest(
      `${file}: requests share all bytes up to the first recorded decision, and are ones that providers take`,
      [`traces/${file}`],
      async (real) => {
        const { sessions } = await readTranscript(real, transcriptPorts);
        for (const session of sessions) {
          let before: readonly string[] = [];
          let n = 0;
          const { house } = await replayTrace(session, (request, house) => {
            const where = `request ${++n}`;
            const now = request.messages.map((message: SentMessage) => JSON.stringify(message));
            const { prefix } =
              house.eventsOf("requested").at(-1) ?? assert.fail("a request that is not on record");
            const same = now.findIndex((text, at) => text !== before[at]);
            const shared = same < 0 ? now.length : same;
            if (n > 1 && shared < before.length) {
              const by = house.events[prefix?.by?.n ?? -1]?.type;
              assert.ok(by === "aged" || by === "repaired", `${where}: changed by ${by}`);
              assert.equal(prefix?.messages, shared, where);
            } else if (n > 1) assert.deepEqual([prefix?.by, prefix?.messages], [null, before.length], where);
            before = now;
            if (n % 7 !== 1 && now.length > 200) return; // each of them is checked as it was imported
            const wire = { model: "m", maxTokens: 100, breakpoints: ["system", now.length - 1] as const };
            assert.deepEqual(openaiProblems(openaiBody(request, { model: "m" })), [], where);
            assert.deepEqual(anthropicProblems(anthropicBody(request, wire)), [], where);
          });
          if (n > 150) assert.ok(house.eventsOf("aged").length > 0, "a long session is shortened");
        }
      },
    );
  }
});
