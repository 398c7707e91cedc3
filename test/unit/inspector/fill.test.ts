/** What fills requests, and what they cost: the sums of a session are what its log says, counted anew request by request. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { cacheProfileOf, requestCost } from "../../../src/history/promptCache";
import { inspectorFold } from "../../../src/inspector/project";
import type { EventOf, Logged } from "../../../src/schema/event";
import { FILL_KINDS, type RequestFill, type Totals } from "../../../src/schema/view";
import { Attack, anyRun } from "../../support/anySession";
import { eventWith, logged } from "../../support/everyEvent";
import { foldOf } from "../../support/inspectorDetails";

type Sums = Pick<Totals, "requests" | "sentTokens" | "naiveTokens" | "sentCost" | "naiveCost">;
const sum = (parts: readonly number[]) => parts.reduce((all, part) => all + part, 0);
const isRequest = (event: Logged): event is Logged & EventOf<"requested"> => event.type === "requested";

/** Whether everything that the reply before a request asked for was to read something back. */
function onlyReadsBack(before: readonly Logged[]): boolean {
  const at = before.findLastIndex(({ type }) => type === "replied");
  const reply = before[at];
  if (reply?.type !== "replied" || reply.calls.length === 0) return false;
  const readBack = before
    .slice(at)
    .flatMap((event) => (event.type === "redeemed" || event.type === "paged" ? [event.call] : []));
  return reply.calls.every(({ call }) => readBack.includes(call));
}

/** The sums, from the log alone, for each request from its beginning. */
function sumsAnew(events: readonly Logged[]): Sums {
  const sums = { requests: 0, sentTokens: 0, naiveTokens: 0, sentCost: 0, naiveCost: 0 };
  for (const [at, event] of events.entries()) {
    if (!isRequest(event) || !event.fills || !event.prefix) continue;
    const before = events.slice(0, at);
    const last = before.findLast(isRequest);
    const configured = before.findLast((one) => one.type === "configured");
    assert.ok(configured?.type === "configured");
    const profile = cacheProfileOf(configured.model.id, configured.settings.ageing.cacheProfiles);
    const idle = last ? Math.max(0, event.at - last.at) / 1000 : null;
    const { naive } = event.fills;
    const { tokens: reusedTokens, totalTokens } = event.prefix;
    sums.requests++;
    sums.sentTokens += totalTokens;
    sums.sentCost += requestCost(profile, { reusedTokens, totalTokens }, idle);
    if (onlyReadsBack(before)) continue;
    sums.naiveTokens += naive;
    const both = Math.min(last?.fills?.naive ?? 0, naive);
    sums.naiveCost += requestCost(profile, { reusedTokens: both, totalTokens: naive }, idle);
  }
  return sums;
}

const totalsOf = (events: readonly Logged[]): Sums => {
  const { requests, sentTokens, naiveTokens, sentCost, naiveCost } =
    foldOf(events).head?.totals ?? assert.fail("no head");
  return { requests, sentTokens, naiveTokens, sentCost, naiveCost };
};

/** What each request was said to be filled with. */
function fillsIn(events: readonly Logged[]): RequestFill[] {
  let fold = inspectorFold.begin();
  return events.flatMap((event) => {
    fold = inspectorFold.reduce(fold, event);
    if (!isRequest(event)) return [];
    const page = fold.turns.pages.at(-1);
    assert.ok(Array.isArray(page));
    return page.find(({ turn }) => turn === event.turn)?.request?.fill ?? assert.fail("no fill");
  });
}

/** As a log from before there were counts, or another program's. */
const withoutCounts = (events: readonly Logged[], keepsTotal: boolean): Logged[] =>
  events.map((event) => {
    if (!isRequest(event)) return event;
    const { fills: _fills, prefix, ...rest } = event;
    return keepsTotal && prefix ? { ...rest, prefix } : rest;
  });

test("any session: the sums are those of its requests, and one that only reads back is none of the naive ones", async () => {
  let readBacks = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 2 }), async (runs) => {
      const attack = new Attack();
      for (const [n, run] of runs.entries()) await attack.run(run, `Question ${n}?`);
      const { events } = attack;
      const [found, anew] = [totalsOf(events), sumsAnew(events)];
      for (const key of Object.keys(anew) as (keyof Sums)[])
        assert.ok(
          Math.abs(found[key] - anew[key]) <= 1e-6 * anew[key],
          `${key}: ${found[key]}, ${anew[key]}`,
        );
      for (const [at, fill] of fillsIn(events).entries()) {
        const { fills, prefix } = events.filter(isRequest)[at] ?? assert.fail();
        assert.equal(sum(fill.tokens), prefix?.totalTokens);
        assert.deepEqual([fill.naive, fill.isEstimate], [fills?.naive, false]);
      }
      readBacks += events.filter(
        (event, at) => isRequest(event) && onlyReadsBack(events.slice(0, at)),
      ).length;
    }),
    { numRuns: 40, seed: 20_261_130 }, // sessions that read back are rare
  );
  assert.ok(readBacks > 0, "no session read anything back");
});

test("any session without counts in its log: the kinds are the whole estimate, or the total that is known, and none is below nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyRun, fc.boolean(), async (run, keepsTotal) => {
      const attack = new Attack();
      await attack.run(run, "A question?");
      const events = withoutCounts(attack.events, keepsTotal);
      const requests = events.filter(isRequest);
      for (const [at, { tokens, naive, isEstimate, counter }] of fillsIn(events).entries()) {
        const { prefix, chars } = requests[at] ?? assert.fail();
        assert.ok(isEstimate && tokens.every((part) => Number.isInteger(part) && part >= 0), String(tokens));
        assert.ok(Number.isInteger(naive) && naive >= 0);
        if (prefix) assert.deepEqual([sum(tokens), counter], [prefix.totalTokens, prefix.counter]);
        else assert.ok(sum(tokens) >= Math.round(chars / 4), `${sum(tokens)} of ${chars} characters`);
      }
      assert.equal(totalsOf(events).requests, requests.length);
    }),
    { numRuns: 40 },
  );
});

test("an estimate divides the characters by kind: what was shortened is aged, what was read back is not in the naive one", () => {
  const call = (turn: number) => ({
    call: `t${turn}c0`,
    id: `${turn}`,
    name: "read_file",
    arguments: "1234",
  });
  const { fills: _fills, prefix: _prefix, ...request } = eventWith("requested");
  const [decision] = eventWith("aged").decisions;
  assert.ok(decision);
  const events = logged([
    eventWith("session_started"),
    eventWith("configured", { system: "s".repeat(400), tools: [] }),
    eventWith("asked", { text: "u".repeat(80) }),
    { ...request, turn: 1, chars: 0 },
    eventWith("replied", { turn: 1, text: "a".repeat(36), calls: [call(1)] }),
    eventWith("measured", { call: "t1c0", chars: 8000 }),
    eventWith("remembered", { call: "t1c0", shown: "ticket", text: "h".repeat(800) }),
    { ...request, turn: 2, chars: 0 },
    eventWith("replied", { turn: 2, text: "", calls: [call(2)] }),
    eventWith("redeemed", { call: "t2c0" }),
    eventWith("measured", { call: "t2c0", chars: 4000 }),
    eventWith("remembered", { call: "t2c0", shown: "window", text: "w".repeat(4000) }),
    eventWith("aged", { turn: 3, decisions: [{ ...decision, call: "t1c0", charsAfter: 40 }] }),
    { ...request, turn: 3, chars: 0 },
  ]);
  const named = fillsIn(events).map(({ tokens, naive }) => [
    ...tokens.flatMap((count, at) => (count > 0 ? [`${FILL_KINDS[at]} ${count}`] : [])),
    `naive ${naive}`,
  ]);
  assert.deepEqual(named, [
    ["system 100", "user 20", "naive 120"],
    ["system 100", "user 20", "assistant 10", "heads 200", "naive 2130"],
    ["system 100", "user 20", "assistant 11", "inline 1000", "aged 10", "naive 2131"],
  ]);
  assert.equal(totalsOf(events).naiveTokens, 120 + 2130, "the third request was made to read back");
});
