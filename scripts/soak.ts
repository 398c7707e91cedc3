// scripts: faults of every kind done to real stores in a loop, and the proof after each.
//   npm run soak -- [--seconds N] [--seed N] [--json]     ten minutes; --json: the last line is one JSON object
// Exit 1 when anything that was promised was lost. A loss is printed at once, with the seed of its round.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import {
  besides,
  copyWhileWritten,
  endure,
  goBackInTime,
  kills,
  killWriters,
  newTally,
  prepare,
  refusals,
  stepsOf,
  type Tally,
} from "../test/support/faults";
import { WORKS } from "../test/support/fileFaults";
import { FLIPPED, flipOne, soundStore } from "../test/support/flips";
import { type Random, randomFrom } from "../test/support/random";
import { bundleWriter } from "../test/support/writerProcess";

const { values } = parseArgs({
  options: { seconds: { type: "string" }, seed: { type: "string" }, json: { type: "boolean" } },
});
const seconds = Number(values.seconds ?? 600);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
if (!(seconds > 0) || !Number.isInteger(seed)) {
  console.error("usage: npm run soak -- [--seconds N] [--seed N] [--json]");
  process.exit(2);
}
console.log(`seed ${seed}, ${seconds} seconds`);

const CASES_A_ROUND = 60;
const FLIPS_A_ROUND = 4;
const KILLS_A_ROUND = 6;
const BESIDE_OPERATIONS = 2000;

const folder = await mkdtemp(path.join(os.tmpdir(), "clk-soak-"));
const began = performance.now();
const tally = newTally();
let rounds = 0;
try {
  await soak();
} finally {
  await rm(folder, { recursive: true, force: true });
}
report();

async function soak(): Promise<void> {
  const storeProgram = await bundleWriter(folder, "test/support/faultyStore.ts");
  const writerProgram = await bundleWriter(folder, "test/support/storeWriter.ts");
  const { prepared, acks } = await prepare(folder);
  const steps = await stepsOf(storeProgram, folder, prepared, WORKS);
  const every = [...steps].flatMap(([work, all]) =>
    [...kills(all), ...refusals(all)].map((fault) => ({ work, fault })),
  );
  const sound = await soundStore(path.join(folder, "sound"));
  const parts: ((random: Random, root: string, tally: Tally) => Promise<unknown>)[] = [
    (random, root, into) => killWriters(writerProgram, root, KILLS_A_ROUND, random, into),
    (random, root, into) =>
      endure(storeProgram, root, prepared, acks, some(every, CASES_A_ROUND, random), into),
    async (random, root, into) => {
      for (const kind of FLIPPED)
        for (let n = 0; n < FLIPS_A_ROUND; n++) await flipOne(sound, root, kind, random, into);
    },
    (random, root, into) => killWriters(writerProgram, root, KILLS_A_ROUND, random, into),
    (random, root, into) => copyWhileWritten(writerProgram, root, random, into),
    (random, root, into) => goBackInTime(writerProgram, root, random, into),
    (random, root, into) => besides(writerProgram, root, BESIDE_OPERATIONS, random, into),
  ];
  const isOver = () => performance.now() - began > seconds * 1000;
  while (!isOver()) {
    for (const part of parts) {
      if (isOver()) break;
      const roundSeed = (seed + rounds) >>> 0;
      const root = await mkdtemp(path.join(folder, "round-"));
      const before = tally.losses.length;
      await part(randomFrom(roundSeed), path.join(root, "store"), tally).catch((cause: Error) =>
        tally.losses.push(`what nobody expected: ${cause.stack}`),
      );
      for (const loss of tally.losses.slice(before)) console.log(`LOST (seed ${roundSeed}): ${loss}`);
      await rm(root, { recursive: true, force: true });
      rounds++;
    }
  }
}

/** So many of them, any; or all where there are fewer. */
function some<T>(all: readonly T[], wanted: number, random: Random): T[] {
  const left = [...all];
  return Array.from({ length: Math.min(wanted, left.length) }, () =>
    left.splice(random(left.length), 1),
  ).flat();
}

function report(): void {
  const elapsedSeconds = Math.round((performance.now() - began) / 100) / 10;
  const { operations, faults, verifications, losses } = tally;
  const sorted = Object.entries(faults).sort(([a], [b]) => (a < b ? -1 : 1));
  const injected = sorted.reduce((sum, [, times]) => sum + times, 0);
  const rows: [string, number | string][] = [
    ["seed", seed],
    ["seconds", elapsedSeconds],
    ["rounds", rounds],
    ["operations", operations],
    ["faults", injected],
    ...sorted.map(([kind, times]): [string, number] => [`  ${kind}`, times]),
    ["verifications", verifications],
    ["losses", losses.length],
  ];
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) console.log(`${label.padEnd(width)}  ${value}`);
  const json = {
    seed,
    seconds: elapsedSeconds,
    rounds,
    operations,
    faults,
    injected,
    verifications,
    losses: losses.length,
  };
  if (values.json) console.log(JSON.stringify(json));
  process.exitCode = losses.length > 0 ? 1 : 0;
}
