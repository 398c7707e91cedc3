// test/support: a copy of the sample workspace to work in. The big files are written into the copy, always the same: the
// repository stays small.
//   sample.ts FOLDER     makes the copy there, unless there is one
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../scripts/bootstrap.mjs";

/** A fact that stands far below what stays of a long result: nobody can answer without reading on. */
export const SAMPLE_FACT = {
  file: "docs/service-agreement.md",
  question: "What does a night at the north quay cost?",
  clause: "17.9",
  text: "A night at the north quay costs 418 crowns for a vessel of up to 24 metres.",
} as const;

/** A word of the sample's sources with more than 500 matches. */
export const SAMPLE_WORD = "highWater(";

const SECTIONS = [
  "Purpose and words",
  "The harbour office",
  "Hours of service",
  "The tide log",
  "Pilotage",
  "The sill and the swing bridge",
  "Arrival and reporting",
  "Berths and their order",
  "Mooring lines",
  "Water and current",
  "Waste and bilge water",
  "Fuel",
  "Fish landing",
  "Ice and storm",
  "Fire watch",
  "Works at the quays",
  "Fees",
  "Accounts",
  "Records and their keeping",
  "Complaints",
  "Insurance",
  "Breach and remedy",
  "Changes to this agreement",
  "Final provisions",
];
const PARTIES = [
  "The harbour office",
  "The town",
  "The duty pilot",
  "The berth master",
  "The master of a vessel",
];
const DUTIES = [
  "inspects the fenders and ladders of every quay",
  "enters the height of each high water in the tide log",
  "reports a vessel that has lain longer than it announced",
  "keeps the approach to the sill free of moored craft",
  "tells the duty pilot of every change in the order of berths",
  "has the lights of the breakwater tested",
  "lays out the storm moorings",
  "hands over the keys of the fuel store against a signature",
  "weighs the landed fish before it leaves the quay",
];
const TIMES = [
  "before noon",
  "at each change of watch",
  "within two hours",
  "by the last day of the month",
  "without delay",
];
const CONDITIONS = [
  "unless ice or a warning of storm from the coast station makes that unsafe",
  "and notes the name of whoever did it in the logbook of the day",
  "and sends the other party a copy within a week",
  "provided that the swing bridge has not been closed for works",
  "and keeps the record of it for five years",
  "except on the two days of the harbour fair",
  "and bears the cost of it, as far as clause 22.4 does not say otherwise",
];

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? "";

/** The agreement between town and harbour office: over 92 000 characters of numbered clauses. */
export function serviceAgreement(): string {
  const lines = [
    "# Service agreement",
    "",
    "between the town of Sandvik and its harbour office, in force from 1 March 2019.",
  ];
  for (const [index, title] of SECTIONS.entries()) {
    const section = index + 1;
    lines.push("", `## ${section}. ${title}`, "");
    for (let clause = 1; clause <= 24; clause += 1) {
      const number = `${section}.${clause}`;
      const turn = section * 31 + clause * 7;
      const duty = `${pick(PARTIES, turn)} ${pick(DUTIES, turn + section)} ${pick(TIMES, clause + section)}`;
      const text = `${duty}, ${pick(CONDITIONS, turn + clause)}. Clause ${1 + (turn % 24)}.${1 + (turn % 23)} applies.`;
      lines.push(`${number} ${number === SAMPLE_FACT.clause ? SAMPLE_FACT.text : text}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

/** A month of high waters as source text, two a day. */
export function monthOfReadings(month: number): string {
  const days = new Date(Date.UTC(2025, month, 0)).getUTCDate();
  const two = (value: number) => String(value).padStart(2, "0");
  const lines = ['import { highWater } from "../tides.js";', "", "export const readings = ["];
  for (let half = 0; half < days * 2; half += 1) {
    const minute = (half * 745 + month * 97) % 720;
    const hour = (half % 2) * 12 + Math.floor(minute / 60);
    const at = `2025-${two(month)}-${two(1 + Math.floor(half / 2))}T${two(hour)}:${two(minute % 60)}`;
    const metres = 3.2 + 0.9 * Math.cos((half + month * 5) / 4.7);
    lines.push(`  highWater("${at}", ${metres.toFixed(2)}),`);
  }
  return `${lines.join("\n")}\n];\n`;
}

/** Writes the whole sample into `folder`. */
export function writeSample(folder: string): void {
  cpSync(path.join(root, "sample"), folder, { recursive: true });
  mkdirSync(path.join(folder, "docs"), { recursive: true });
  mkdirSync(path.join(folder, "src", "readings"), { recursive: true });
  writeFileSync(path.join(folder, SAMPLE_FACT.file), serviceAgreement());
  for (let month = 1; month <= 12; month += 1) {
    const name = `${String(month).padStart(2, "0")}.ts`;
    writeFileSync(path.join(folder, "src", "readings", name), monthOfReadings(month));
  }
}

/** A fresh copy in a temporary folder. */
export function sampleCopy(): { readonly folder: string; readonly remove: () => void } {
  const parent = mkdtempSync(path.join(os.tmpdir(), "clk-sample-"));
  const folder = path.join(parent, "harbour-log");
  writeSample(folder);
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }) };
}

const [, started, target] = process.argv;
if (started && target && path.resolve(started) === fileURLToPath(import.meta.url) && !existsSync(target))
  writeSample(target);
