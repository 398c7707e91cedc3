/**
 * Real transcripts of other agents, replayed under ways of keeping a context small: what each would have cost beside sending
 * everything, and what it hid that was needed. The rules stand in src/inspector/whatIf/simulate.ts and docs/benchmarks.md.
 */

import { PROFILES } from "../src/inspector/whatIf/profiles";
import { countedOnce } from "../src/inspector/whatIf/tokens";
import { openTokenizer } from "../src/models/tokenizer";
import type { BenchContext, BenchResult } from "./run";
import { perSession, type Summary, summaryOf } from "./traces/compare";
import { loadSessions } from "./traces/loadSessions";
import { regretOf } from "./traces/oracle";
import { POLICIES } from "./traces/policies";

export async function run({ data }: BenchContext): Promise<BenchResult> {
  const tokens = countedOnce(await openTokenizer());
  const sessions = await loadSessions(data, tokens);
  const profiles: Record<string, Record<string, Summary>> = {};
  for (const profile of PROFILES) {
    const found: Record<string, Summary> = {};
    for (const policy of POLICIES)
      found[policy.name] = summaryOf(perSession(sessions, policy, profile, tokens));
    profiles[profile.name] = found;
  }
  const oracle = Object.fromEntries(
    PROFILES.filter(({ read, write }) => read !== write).map((profile) => [
      profile.name,
      regretOf(sessions, profile, tokens),
    ]),
  );
  return {
    json: { profiles, oracle, tokenizer: tokens.name, sessions: sessions.length },
    rows: [
      ["sessions, tokenizer", `${sessions.length}, ${tokens.name}`],
      ...Object.entries(profiles).flatMap(([profile, found]) => [
        [`${profile}`, HEADER] as const,
        ...Object.entries(found).map(([policy, summary]) => [`  ${policy}`, rowOf(summary)] as const),
      ]),
      ...Object.entries(oracle).map(
        ([profile, { worst, mean, stops, at }]) =>
          [
            `oracle, ${profile}`,
            `ours costs at most ${worst} × (${at}), on average ${mean} × at ${stops} stops`,
          ] as const,
      ),
    ],
  };
}

const COLUMNS = [
  "geo",
  "total",
  "geo again",
  "total again",
  "geo bound",
  "total bound",
  "trips",
  "hidden",
  "peak",
  "lost bytes",
];
const HEADER = COLUMNS.map((column) => column.padStart(11)).join(" ");

const rowOf = (summary: Summary): string =>
  [
    summary.geo.toFixed(3),
    summary.total.toFixed(3),
    summary.geo_as_result.toFixed(3),
    summary.total_as_result.toFixed(3),
    summary.geo_no_redemption.toFixed(3),
    summary.total_no_redemption.toFixed(3),
    String(summary.round_trips),
    String(summary.evidence_hidden),
    summary.peak.toLocaleString("en"),
    summary.unrecoverable_bytes.toLocaleString("en"),
  ]
    .map((cell) => cell.padStart(11))
    .join(" ");
