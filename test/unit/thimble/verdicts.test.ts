/** Verdicts: only what was measured on both sides promotes, and a unit that gets worse is not paid for by another. */
import assert from "node:assert/strict";
import { scorecardOf } from "../../../src/thimble/scorecard";
import { ASKED, call, cardOf, metricsOf, type Pair, pair, verdictOf } from "../../support/limitPairs";
import { altered, LIMIT_POLICY, limitSession } from "../../support/limitSessions";

suite("thimble/verdicts", () => {
  test("re-reads can eat the gain: a candidate that pages through everything is demoted, a mixed one goes on being observed", async () => {
    const page = (i: number) =>
      ["search", JSON.stringify({ q: "open", limit: 10, offset: 10 * (i + 1) })] as const;
    const pages = (turns: number, each: number) =>
      Array.from({ length: turns }, (_, turn) =>
        Array.from({ length: each }, (_, i) => page(turn * each + i)),
      );
    const all = cardOf(await pair(pages(20, 3)));
    assert.equal(verdictOf(all).verdict, "demote", verdictOf(all).reason);
    assert.ok((all.pairs[0]?.contracts[0]?.figures[0]?.net ?? 0) < 0);
    const some = cardOf(await pair(pages(20, 1))); // fewer bytes come back, but the conversation is sent twenty times
    assert.equal(verdictOf(some).verdict, "keep observing", verdictOf(some).reason);
    assert.match(verdictOf(some).reason ?? "", /\+\d+ response bytes.*, -\d+ bytes of messages sent/);
  });

  test("what is not known is not measured: a failed call, an open run, another estimator, other rules, the wrong way round", async () => {
    const both = await pair();
    const swapped = (change: Partial<Pair>) => cardOf({ ...both, ...change });
    const failed = altered(
      both.candidate,
      "executed",
      (event) => {
        event.outcome = "failed";
      },
      1,
    );
    assert.deepEqual(verdictOf(swapped({ candidate: failed })), {
      verdict: "keep observing",
      reason: "not measured: not every call of both sides came back",
      measured: false,
    });
    const open = both.candidate.filter(({ type }) => type !== "run_ended");
    assert.equal(
      verdictOf(swapped({ candidate: open })).reason,
      "it is not known whether the task succeeded",
    );
    const worse = altered(both.candidate, "run_ended", (event) => {
      event.end = "turn_limit";
    });
    assert.deepEqual(verdictOf(swapped({ candidate: worse })), {
      verdict: "demote",
      reason: "runs answered fell from 1 of 1 to 0 of 1",
      measured: true,
    });
    const estimated = altered(
      both.candidate,
      "measured",
      (event) => {
        event.estimator = "o200k";
      },
      1,
    );
    assert.ok(
      !swapped({ candidate: estimated }).pairs[0]?.contracts[0]?.figures.some(({ unit }) =>
        unit.startsWith("tokens"),
      ),
    );
    const refusals: [Partial<Pair>, RegExp][] = [
      [{ candidate: both.control }, /enforced nothing/],
      [{ control: both.candidate }, /control has calls under enforce/],
      [
        { control: await limitSession([call(ASKED)], { mode: "off" }) },
        /no call that a contract speaks for|observed nothing/,
      ],
      [
        { candidate: await limitSession([call(ASKED)], { policy: { ...LIMIT_POLICY, name: "other" } }) },
        /different rules/,
      ],
    ];
    for (const [change, why] of refusals) {
      const card = swapped(change);
      assert.match(card.pairs[0]?.refused ?? "", why);
      assert.deepEqual(
        [card.pairs[0]?.contracts, card.pairs[0]?.session, card.verdicts.some(({ measured }) => measured)],
        [[], [], false],
      );
    }
    const metrics = metricsOf(both.control, "same");
    assert.match(scorecardOf([metrics], [[metrics, metrics]]).pairs[0]?.refused ?? "", /the same session/);
  });

  test("an override demotes, whatever was saved; a lowered count that nothing came of keeps observing", async () => {
    const both = await pair();
    const overridden = await limitSession([call('{"limit":5}')], {
      events: both.candidate,
      intent: "exhaustive",
      claimCheck: false,
    });
    const said = verdictOf(cardOf({ ...both, candidate: overridden }));
    assert.deepEqual([said.verdict, said.reason], ["demote", "the user went against it: candidate/t1c0"]);
    const small = '{"q":"open","limit":5}';
    const idle = {
      control: await limitSession([call(small)], { mode: "observe" }),
      candidate: await limitSession([call(small)]),
    };
    assert.equal(verdictOf(cardOf(idle)).reason, "not measured: nothing was lowered in the candidate");
  });
});
