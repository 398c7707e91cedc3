/** Why: every kind of event has a sentence; a setting that it names is one, and moves what the sentence is about. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../../scripts/bootstrap.mjs";
import { whyOf } from "../../../src/inspector/why";
import type { EventType, SessionEvent } from "../../../src/schema/event";
import { EVENT_TYPES, eventWith, logged } from "../../support/everyEvent";

const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const sections = [manifest.contributes.configuration].flat() as { properties: Record<string, unknown> }[];
const SETTINGS = new Set(sections.flatMap(({ properties }) => Object.keys(properties)));

/** The settings that move what these say; the others name none. */
const MOVED: Partial<Record<EventType, string>> = {
  clamped: "resultLimits.mode",
  tool_result_stored: "claimCheck.thresholdChars",
  projected: "resultLimits.responseBytes",
  branched: "resultLimits.responseBytes",
  covered: "claimCheck.thresholdChars",
  paged: "claimCheck.thresholdChars",
  remembered: "claimCheck.thresholdChars",
  aged: "ageing.strategy",
  budgeted: "budgets.perTurnChars",
};

const why = (event: SessionEvent, call: string | null = null) => {
  const [one] = logged([event]);
  assert.ok(one);
  return whyOf(one, call);
};

test("every kind of event has a sentence, and names the setting that moves it where one does", () => {
  for (const type of EVENT_TYPES) {
    const { rule, setting, type: told } = why(eventWith(type));
    assert.match(rule, /^[A-Z].{8,}/, type);
    assert.doesNotMatch(rule, /undefined|null|NaN|\w_\w/, type);
    assert.equal(told, type);
    assert.equal(setting, MOVED[type] ? `cloakroom.${MOVED[type]}` : null, type);
  }
});

test("every setting that any answer names is a setting of the extension", () => {
  const shown = ["inline", "ticket", "page", "projection", "branch", "cut", "window", "refusal"] as const;
  const limits = ["perResultChars", "perTurnChars", "perTurnBytes"] as const;
  const { cost, ...uncosted } = eventWith("aged");
  assert.ok(cost);
  const answers = [
    ...EVENT_TYPES.map((type) => eventWith(type)),
    ...shown.map((one) => eventWith("remembered", { shown: one })),
    ...limits.map((limit) => eventWith("budgeted", { limit })),
    ...(["pays", "cold", "uncached", "overflow"] as const).map((rule) =>
      eventWith("aged", { cost: { ...cost, rule } }),
    ),
    ...(["age", "recovery", "person"] as const).map((strategy) => ({ ...uncosted, strategy })),
    ...(["answered", "stopped", "failed", "turn_limit"] as const).map((end) =>
      eventWith("run_ended", { end }),
    ),
  ].map((event) => why(event));
  const named = answers.flatMap(({ setting }) => (setting === null ? [] : [setting]));
  assert.deepEqual(
    [...new Set(named)].filter((setting) => !SETTINGS.has(setting)),
    [],
  );
  assert.ok(new Set(named).size >= 9, String([...new Set(named)]));
});

test("an image that became a line says so of the call that asks", () => {
  const [part] = eventWith("media_replaced").parts;
  assert.ok(part);
  const other = { ...part, call: "t1c1", text: "Another image." };
  const event = eventWith("media_replaced", { parts: [part, other] });
  assert.match(why(event, "t1c1").rule, /Another image\.$/);
  assert.match(why(event).rule, /An image\.$/);
});
