/** Net-truth (seed 003): a saving is measured on both sides of a named pair, or it is not stated. */
import assert from "node:assert/strict";
import { scorecardReport } from "../../../src/inspector/scorecardReport";
import type { Logged } from "../../../src/schema/event";
import type { ScorecardView } from "../../../src/schema/scorecard";
import { scorecardOf } from "../../../src/thimble/scorecard";
import { hash } from "../../support/house";
import { ASKED, call, cardOf, MORE, metricsOf, pair, verdictOf } from "../../support/limitPairs";
import { LIMIT_POLICY, limitSession } from "../../support/limitSessions";

const bytesOf = (events: readonly Logged[], at: string) =>
  events.find((event) => event.type === "measured" && event.call === at) as Logged & { bytes: number };

suite("thimble/scorecard", () => {
  test("Net-truth: observed sessions, however many, are not measured: proposed counts, no byte and no token saved", async () => {
    const observed = await limitSession([call(ASKED), call(ASKED)], { mode: "observe" });
    const metrics = [1, 2, 3].map((n) => metricsOf(observed, `s${n}`));
    const card = scorecardOf(metrics);
    assert.deepEqual(card.pairs, []);
    assert.deepEqual(card.verdicts, [
      {
        tool: "search",
        contract: "/limit",
        rulesSha256: card.rows[0]?.rulesSha256,
        verdict: "keep observing",
        reason: "not measured: no control and candidate were named",
        measured: false,
        counterfactual: { calls: 6, requested: 3000, proposed: 60 },
      },
    ]);
    assert.match(card.notes[0] ?? "", /^Savings are not measured/);
    const text = scorecardReport(card).join("\n");
    assert.match(text, /Counterfactual: 6 calls asked for 3000 items and would have asked for 60\./);
    assert.doesNotMatch(text, /\d (?:bytes|tokens)[^,;\n]*saved|saved \d/);
    // An enforced session beside them does not make it a measurement either: nobody said that they are one task.
    const enforced = metricsOf(await limitSession([call(ASKED)]), "e1");
    assert.equal(scorecardOf([...metrics, enforced]).verdicts[0]?.measured, false);
  });

  test("rows: tool × contract × reason × mode × policy identity, sums with unit and sample size", async () => {
    const observed = metricsOf(
      await limitSession([call(ASKED), call('{"limit":4}'), call('{"limit":"x"}')], { mode: "observe" }),
      "a",
    );
    const enforced = metricsOf(await limitSession([call(ASKED), call(MORE)]), "b");
    const other = { ...LIMIT_POLICY, version: "1.0.1" };
    const later = metricsOf(await limitSession([call(ASKED)], { policy: other }), "c");
    const { rows } = scorecardOf([observed, enforced, later]);
    assert.deepEqual(
      rows
        .map((row) => [
          row.reason,
          row.mode,
          row.policy,
          row.calls,
          row.requested.value,
          row.effective.value,
          row.returned.value,
          row.returned.calls,
        ])
        .map((row) => JSON.stringify(row))
        .toSorted(),
      [
        ["not_an_integer", "observe", "thimble/test 1.0.0", 1, 0, 0, 0, 1],
        ["observe_only", "observe", "thimble/test 1.0.0", 1, 500, 500, 500, 1],
        ["requested_items_above_policy_maximum", "enforce", "thimble/test 1.0.0", 1, 500, 10, 10, 1],
        ["requested_items_above_policy_maximum", "enforce", "thimble/test 1.0.1", 1, 500, 10, 10, 1],
        ["within_budget", "enforce", "thimble/test 1.0.0", 1, 10, 10, 10, 1],
        ["within_budget", "observe", "thimble/test 1.0.0", 1, 4, 4, 4, 1],
      ]
        .map((row) => JSON.stringify(row))
        .toSorted(),
    );
    const lowered = rows.find(({ continuations }) => continuations.length > 0);
    assert.deepEqual([lowered?.continuations, lowered?.refetches], [["b/t2c0"], ["b/t2c0"]]);
    assert.deepEqual(lowered?.marks, [{ session: "b", call: "t1c0", kind: "continued", by: "t2c0" }]);
    assert.deepEqual(
      lowered?.tokens.map(({ unit }) => unit),
      ["tokens (chars/3.3)"],
    );
    assert.deepEqual(rows.find(({ reason }) => reason === "not_an_integer")?.requested, {
      value: 0,
      unit: "items",
      calls: 0,
    });
  });

  test("what a micro-context branch took is taken off, in tokens, and never called a saving", async () => {
    const both = await pair();
    const netOf = (card: ScorecardView) =>
      card.pairs[0]?.contracts[0]?.figures.find(({ unit }) => unit.startsWith("tokens"));
    const before = netOf(cardOf(both)) ?? assert.fail();
    const at = both.candidate.findIndex((event) => event.type === "remembered" && event.call === "t1c0");
    const around = both.candidate[at] ?? assert.fail();
    const branched: Logged = {
      ...{ n: around.n, at: around.at, origin: around.origin, type: "branched", call: "t1c0" },
      ...{
        handle: `claim:${"0".repeat(32)}` as never,
        exceeded: { dimension: "bytes", actual: 2, limit: 1 },
        mode: "enforce",
        outcome: "answered",
      },
      ...{
        failure: null,
        detail: null,
        model: "m",
        policySha256: hash("p"),
        requestSha256: hash("r"),
        modelCalls: 1,
      },
      ...{
        usage: null,
        estimated: { inputTokens: 700, outputTokens: 55, estimator: "bytes/2" },
        elapsedMs: 5,
      },
      ...{ givenChars: 1, totalChars: 1, citations: { given: 1, verified: 1, dropped: 0 } },
      ...{ completeness: "complete", continuation: null },
    };
    const after =
      netOf(cardOf({ ...both, candidate: both.candidate.toSpliced(at, 0, branched) })) ?? assert.fail();
    assert.deepEqual([after.branch, after.net], [755, before.net - 755]);
    assert.deepEqual(
      [after.control, after.candidate, after.rereads],
      [before.control, before.candidate, before.rereads],
    );
  });

  test("a pair: net is what the control took, less the candidate, less the calls that its clamps caused", async () => {
    const both = await pair();
    const card = cardOf(both);
    const [figure] = card.pairs[0]?.contracts[0]?.figures ?? [];
    const [whole, first, more] = [
      bytesOf(both.control, "t1c0"),
      bytesOf(both.candidate, "t1c0"),
      bytesOf(both.candidate, "t2c0"),
    ].map(({ bytes }) => bytes) as [number, number, number];
    assert.deepEqual(figure, {
      of: "response",
      unit: "bytes",
      control: whole,
      candidate: first,
      rereads: more,
      branch: 0,
      net: whole - first - more,
      calls: { control: 1, candidate: 1, rereads: 1 },
    });
    assert.deepEqual(
      card.pairs[0]?.contracts[0]?.figures.map(({ of, unit }) => `${of} ${unit}`),
      ["response bytes", "response tokens (chars/3.3)", "shown bytes"],
    );
    const said = verdictOf(card);
    assert.deepEqual([said.verdict, said.measured], ["promote", true]);
    assert.match(
      said.reason ?? "",
      /^net of re-reads, 1 pair: \+\d+ response bytes, \+\d+ response tokens \(chars\/3\.3\), \+\d+ shown bytes, \+\d+ bytes of messages sent$/,
    );
    assert.ok(card.pairs[0]?.notes.some((note) => note.startsWith("Cache cost is not measured")));
  });

  test("cache cost: uncached input tokens are compared only where every reply of both reports them", async () => {
    const { control, candidate } = await pair();
    const reporting = (events: readonly Logged[], cachedTokens: number | null) =>
      events.map((event) =>
        event.type === "replied"
          ? { ...event, usage: { inputTokens: 100, outputTokens: 5, cachedTokens } }
          : event,
      );
    const units = (card: ScorecardView) => card.pairs[0]?.session.map(({ unit, net }) => `${net} ${unit}`);
    const cached = cardOf({ control: reporting(control, 20), candidate: reporting(candidate, 90) });
    assert.deepEqual(units(cached)?.slice(1), [
      "-100 input tokens (reported)",
      "130 uncached input tokens (reported)",
    ]);
    const partly = cardOf({ control: reporting(control, 20), candidate: reporting(candidate, null) });
    assert.deepEqual(units(partly)?.slice(1), ["-100 input tokens (reported)"]);
    assert.deepEqual(units(cardOf({ control, candidate: reporting(candidate, 1) }))?.length, 1);
  });
});
