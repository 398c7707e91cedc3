/**
 * bench traces, by hand: what one policy costs in each session, dearest first, as tab-separated values.
 *   npx tsx bench/traces/printSessions.ts POLICY PROFILE
 */
import { root } from "../../scripts/bootstrap.mjs";
import { PROFILES } from "../../src/inspector/whatIf/profiles";
import { countedOnce } from "../../src/inspector/whatIf/tokens";
import { openTokenizer } from "../../src/models/tokenizer";
import { sharedFolder } from "../../test/support/sharedData";
import { perSession } from "./compare";
import { loadSessions } from "./loadSessions";
import { POLICIES } from "./policies";

const [policyName, profileName] = process.argv.slice(2);
const policy = POLICIES.find(({ name }) => name === policyName);
const profile = PROFILES.find(({ name }) => name === profileName);
if (!policy || !profile) {
  const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).join(", ");
  console.error(`usage: POLICY PROFILE\nPOLICY: ${names(POLICIES)}\nPROFILE: ${names(PROFILES)}`);
  process.exit(2);
}
const tokens = countedOnce(await openTokenizer());
const sessions = await loadSessions(sharedFolder(process.env, root), tokens);
const rows = [...perSession(sessions, policy, profile, tokens)].sort((a, b) => b.naive - a.naive);
const cellOf = (cell: string | number): string =>
  typeof cell === "number" && !Number.isInteger(cell) ? cell.toFixed(3) : String(cell);
const lines = rows.map((row) => Object.values(row).map(cellOf).join("\t"));
console.log([Object.keys(rows[0] ?? {}).join("\t"), ...lines].join("\n"));
