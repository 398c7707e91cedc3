import assert from "node:assert/strict";
import { Wholes } from "../../../../src/inspector/whatIf/wholes";
import type { Logged, SessionEvent } from "../../../../src/schema/event";
import { eventWith } from "../../../support/everyEvent";
import { transcriptPorts } from "../../../support/transcripts";

const logged = <E extends SessionEvent>(event: E) =>
  ({ ...event, n: 1, at: 0, origin: "loop" }) as Logged & E;

test("results that are gone have their sizes, however many of whatever size a log names, in bounded memory", () => {
  const wholes = new Wholes({ events: [], contents: new Map() }, transcriptPorts.tokens);
  let chars = 0;
  for (let n = 0; n < 500; n++) {
    const call = `t1c${n}`;
    const measured = eventWith("measured", { call, chars: 900_000_000, tokensEstimated: 77 });
    wholes.note(logged({ ...measured, estimator: transcriptPorts.tokens.name }));
    const shown = eventWith("remembered", {
      call,
      shown: "cut",
      text: "The beginning of it.",
    });
    const whole = wholes.of(logged(shown));
    assert.equal(whole.tokens, 77);
    assert.ok(whole.text.startsWith("The beginning of it."));
    chars += whole.text.length;
  }
  assert.ok(chars > 1 << 24 && chars < (1 << 25) + 500 * 100, `${chars} characters`);
});
