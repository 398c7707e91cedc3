/** The replays' engine on sessions small enough to add up by hand. One token per code unit, so sizes are lengths. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { naive } from "../../../bench/traces/peers/naive";
import { PROFILES } from "../../../src/inspector/whatIf/profiles";
import { type Redemption, simulate } from "../../../src/inspector/whatIf/simulate";
import type { Policy, Profile, Session, Shown } from "../../../src/inspector/whatIf/types";
import { policyOf, sessionOf, units } from "../../support/benchSession";

const [ANTHROPIC, OPENAI, UNCACHED] = PROFILES as [Profile, Profile, Profile];
const run = (session: Session, policy: Policy, profile = UNCACHED, redemption: Redemption = "result") =>
  simulate(session, policy, profile, units, { redemption });
const picture = (session: Session, policy: Policy, profile?: Profile, redemption?: Redemption): string[] =>
  run(session, policy, profile, redemption).perRequest.map(
    ({ tokens, reused, isAsking }) =>
      `${tokens - 12_000} ${reused && reused - 12_000}${isAsking ? " asks" : ""}`,
  );
const hidden = (isKept: boolean, text = "-"): Shown => ({ text, kept: [], isKept });

/** Ten characters of question, reply and result each; three requests. */
const PLAIN = sessionOf(
  { u: "question.." },
  { a: "reply one." },
  { t: "result one" },
  { a: "reply two." },
  { t: "result two" },
  { a: "the end..." },
);
/** "needle thread" stands behind 5,000 characters of a result of 10,000; the second reply says it. */
const LONG = `${"a".repeat(4999)} needle thread ${"b".repeat(4986)}`;
const NEEDED = sessionOf(
  { u: "question" },
  { a: "look" },
  { t: LONG },
  { a: "needle thread" },
  { u: "go on" },
  { a: "needle thread" },
);

test("the first request is written whole, the second reads what the first carried", () => {
  assert.deepEqual(picture(PLAIN, naive), ["10 0", "30 10", "50 30"]);
  assert.equal(
    run(PLAIN, naive, ANTHROPIC).cost,
    1.25 * 12_010 + (0.1 * 12_010 + 1.25 * 20) + (0.1 * 12_030 + 1.25 * 20),
  );
  assert.equal(run(PLAIN, naive, OPENAI).cost, 12_010 + (1201 + 20) + (1203 + 20));
  assert.equal(run(PLAIN, naive, UNCACHED).cost, 12_010 + 12_030 + 12_050);
});

test("after more than its time a provider has nothing, after exactly that it has all", () => {
  const session = sessionOf(
    { u: "question" },
    { a: "one" },
    { u: "more" },
    { a: "two", idle: 300 },
    { u: "more" },
    { a: "end", idle: 301 },
  );
  assert.deepEqual(picture(session, naive, ANTHROPIC), ["8 0", "15 8", "22 0"]);
  assert.deepEqual(picture(session, naive, OPENAI), ["8 0", "15 8", "22 15"]);
  assert.deepEqual(picture(session, naive, UNCACHED), ["8 0", "15 8", "22 15"]);
});

test("a result that is changed is written again with all behind it; one that was not sent yet costs nothing more", () => {
  assert.deepEqual(picture(PLAIN, policyOf({ 3: { 2: hidden(true) } })), ["10 0", "30 10", "41 20"]);
  assert.deepEqual(picture(PLAIN, policyOf({ 2: { 2: hidden(true) } })), ["10 0", "21 10", "41 21"]);
});

test("the same text again is no change", () => {
  const again = policyOf({ 2: { 2: hidden(true) }, 3: { 2: hidden(false) } });
  assert.deepEqual(picture(PLAIN, again), ["10 0", "21 10", "41 21"]);
});

test("what is hidden with a handle and needed is asked for: one more request, and its windows stay", () => {
  const found = run(NEEDED, policyOf({ 2: { 2: hidden(true) } }));
  // 8 + 4 + 1, asked; the window [4096, 8192) behind it; then 13 + 5 more.
  assert.deepEqual(picture(NEEDED, policyOf({ 2: { 2: hidden(true) } })), [
    "8 0",
    "13 8 asks",
    "4109 13",
    "4127 4109",
  ]);
  assert.equal(found.cost, 12_008 + (12_013 + 300) + 16_109 + 16_127);
  assert.deepEqual([found.roundTrips, found.evidenceHidden, found.requests, found.peak], [1, 1, 4, 16_127]);
});

test("what is lost and needed comes back whole, as a result like any other", () => {
  const lost = policyOf({ 2: { 2: hidden(false) } });
  assert.deepEqual(picture(NEEDED, lost), ["8 0", "13 8 asks", "10013 13", "10031 10013"]);
  const lostAgain = policyOf({ 2: { 2: hidden(false) }, 3: { 3: hidden(false) } });
  assert.deepEqual(picture(NEEDED, lostAgain), ["8 0", "13 8 asks", "10013 13", "32 13"]);
});

test("what came back whole is visible, and not lost", () => {
  const session = sessionOf(
    { u: "q" },
    { a: "look" },
    { t: "needle thread pin cloth" },
    { a: "needle thread" },
    { u: "r" },
    { a: "pin cloth" },
  );
  const lost = run(session, policyOf({ 2: { 2: hidden(false) } }));
  assert.deepEqual([lost.roundTrips, lost.unrecoverableBytes], [1, 0]);
});

test("without redemption nothing is asked for, and what was needed is still counted", () => {
  const found = run(NEEDED, policyOf({ 2: { 2: hidden(true) } }), UNCACHED, "none");
  assert.deepEqual([found.cost, found.roundTrips, found.evidenceHidden], [12_008 + 12_013 + 12_031, 0, 1]);
});

test("what is shown is not asked for", () => {
  const shown = { text: "needle thread", kept: [[5000, 5013]] as const, isKept: true };
  assert.equal(run(NEEDED, policyOf({ 2: { 2: shown } })).roundTrips, 0);
  const half = { text: "needle", kept: [[5000, 5006]] as const, isKept: true }; // one token of two is hidden
  assert.equal(run(NEEDED, policyOf({ 2: { 2: half } })).roundTrips, 0);
  const cut = { text: "needl", kept: [[5000, 5005]] as const, isKept: true }; // both are
  assert.equal(run(NEEDED, policyOf({ 2: { 2: cut } })).roundTrips, 1);
});

test("one hidden line is enough, one token is not, nor two that were said elsewhere", () => {
  const line = "-".repeat(24);
  const asks = (before: string, result: string, reply: string) =>
    run(
      sessionOf({ u: before }, { a: "look" }, { t: result }, { a: reply }),
      policyOf({ 2: { 2: hidden(true) } }),
    ).roundTrips;
  assert.equal(asks("question", `one\n  ${line}\ntwo`, line), 1);
  assert.equal(asks("question", "needle thread", "needle"), 0);
  assert.equal(asks("question", "needle thread", "thread, needle!"), 1);
  assert.equal(asks("a needle?", "needle thread", "needle thread"), 0);
});

test("a token with a place that is shown is not hidden", () => {
  const session = sessionOf(
    { u: "q" },
    { a: "look" },
    { t: "needle thread, needle thread" },
    { a: "needle thread" },
  );
  const tail = { text: "needle thread", kept: [[15, 28]] as const, isKept: true };
  assert.equal(run(session, policyOf({ 2: { 2: tail } })).roundTrips, 0);
});

test("windows that were read before are visible; others of the same result are asked for", () => {
  const long = `needle thread ${"a".repeat(4068)} spool bobbin ${"b".repeat(4095)} button yarn`;
  const session = sessionOf(
    { u: "q" },
    { a: "look" },
    { t: long },
    { a: "needle thread" },
    { u: "more" },
    { a: "spool, bobbin" },
    { u: "more" },
    { a: "button yarn" },
  );
  const policy = policyOf({ 2: { 2: hidden(true) } });
  const first = 1 + 4 + 1 + 4096;
  assert.deepEqual(picture(session, policy), [
    "1 0",
    "6 1 asks",
    `${first} 6`,
    `${first + 17} ${first}`,
    `${first + 34} ${first + 17} asks`,
    `${first + 34 + 11} ${first + 34}`,
  ]);
  assert.equal(run(session, policy, UNCACHED, "none").evidenceHidden, 3);
});

test("two results that one reply needs are two requests more, the second behind what the first brought", () => {
  const session = sessionOf(
    { u: "q" },
    { a: "look" },
    { t: "needle thread" },
    { t: "pin cloth" },
    { a: "needle thread pin cloth" },
  );
  const both = policyOf({ 2: { 2: hidden(true), 3: hidden(true) } });
  assert.deepEqual(picture(session, both), ["1 0", "7 1 asks", "20 7 asks", "29 20"]);
});

test("the request that asks first bears the wait, those behind it none", () => {
  const session = sessionOf(
    { u: "q" },
    { a: "look" },
    { t: "needle thread" },
    { a: "needle thread", idle: 1000 },
  );
  assert.deepEqual(picture(session, policyOf({ 2: { 2: hidden(true) } }), ANTHROPIC), [
    "1 0",
    "6 0 asks",
    "19 6",
  ]);
});

test("bytes that were shown and are nowhere at the end are counted, in UTF-8; what has a handle is not", () => {
  const session = sessionOf(
    { u: "q" },
    { a: "one" },
    { t: "äöü and so on" },
    { a: "two" },
    { u: "r" },
    { a: "end" },
  );
  assert.equal(run(session, policyOf({ 3: { 2: hidden(false) } })).unrecoverableBytes, 16);
  assert.equal(run(session, policyOf({ 3: { 2: hidden(true) } })).unrecoverableBytes, 0);
  assert.equal(run(session, policyOf({ 2: { 2: hidden(false) } })).unrecoverableBytes, 0); // it was never shown
  const head = { text: "äöü", kept: [[0, 3]] as const, isKept: false };
  assert.equal(run(session, policyOf({ 3: { 2: head } })).unrecoverableBytes, 10);
});

test("a policy is told of the request as it would be, and as it would be with all results whole", () => {
  const told: string[] = [];
  const watching: Policy = {
    name: "watching",
    open:
      () =>
      (items, { request, inputTokens, wholeTokens }) => {
        told.push(`${request}: ${items.length} items, ${inputTokens - 12_000} of ${wholeTokens - 12_000}`);
        return request === 2 ? [{ at: 2, shown: hidden(true) }] : [];
      },
  };
  run(PLAIN, watching);
  assert.deepEqual(told, ["1: 1 items, 10 of 10", "2: 3 items, 30 of 30", "3: 5 items, 41 of 50"]);
});

test("a session is not changed by its replays", () => {
  const before = JSON.stringify(NEEDED);
  run(NEEDED, policyOf({ 2: { 2: hidden(false) } }));
  assert.equal(JSON.stringify(NEEDED), before);
});

test("what is reused is what two requests in a row have in common, for every session and every way of changing it", () => {
  const word = fc.stringMatching(/^[a-c]{0,3}$/);
  const told = fc.oneof(
    fc.record({ u: word }),
    fc.record({ a: word, idle: fc.constantFrom(0, 400) }),
    fc.record({ t: word }),
  );
  const changing = fc.dictionary(fc.constantFrom("1", "2", "3", "4"), fc.array(fc.tuple(fc.nat(6), word)));
  fc.assert(
    fc.property(fc.array(told, { maxLength: 12 }), changing, (session, changes) => {
      const carried: string[][] = [];
      const random: Policy = {
        name: "random",
        open:
          () =>
          (items, { request }) => {
            const made = new Map<number, Shown>();
            for (const [at, text] of changes[String(request)] ?? [])
              if (items[at]?.kind === "result") made.set(at, hidden(true, text));
            carried.push(
              items.map(
                (item, at) => made.get(at)?.text ?? (item.kind === "result" ? item.shown.text : item.text),
              ),
            );
            return [...made].map(([at, shown]) => ({ at, shown }));
          },
      };
      const idle = session.filter((one) => "a" in one).map((one) => one.idle);
      const found = run(sessionOf(...session), random, ANTHROPIC, "none").perRequest;
      assert.equal(found.length, carried.length);
      for (const [n, { tokens, reused }] of found.entries()) {
        const sizes = (texts: readonly string[]) => 12_000 + texts.join("").replaceAll("\n", "").length;
        const [now = [], before = []] = [carried[n], carried[n - 1]];
        const differs = now.findIndex((text, at) => text !== before[at]);
        const common = differs < 0 ? now.length : differs;
        assert.equal(tokens, sizes(now));
        assert.equal(reused, n === 0 || idle[n] === 400 ? 0 : sizes(now.slice(0, common)));
      }
    }),
  );
});
