/** Whatever happens to the disk or the process, and whenever: what was acknowledged is there, verify is clean or says what is gone. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
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
} from "../../support/faults";
import { WORKS } from "../../support/fileFaults";
import { randomFrom } from "../../support/random";
import { bundleWriter } from "../../support/writerProcess";

const folder = await mkdtemp(path.join(os.tmpdir(), "clk-faults-"));
suiteTeardown(() => rm(folder, { recursive: true, force: true }));

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};
const storeProgram = once(() => bundleWriter(folder, "test/support/faultyStore.ts"));
const writerProgram = once(() => bundleWriter(folder, "test/support/storeWriter.ts"));
const prepared = once(() => prepare(folder));
const steps = once(async () => stepsOf(await storeProgram(), folder, (await prepared()).prepared, WORKS));

test("killed before any change to a file, or in the middle of any write, of a session, a sweep, a deletion, a fork, an export and an import: no promise is lost", async function () {
  this.timeout(60_000);
  const { prepared: store, acks } = await prepared();
  const plan = [...(await steps())].flatMap(([work, all]) => kills(all).map((fault) => ({ work, fault })));
  assert.ok(plan.length > 200, `${plan.length} places`);
  const tally = newTally();
  const outcomes = await endure(await storeProgram(), folder, store, acks, plan, tally);
  assert.deepEqual(tally.losses, []);
  assert.deepEqual(
    outcomes.filter(({ end }) => end !== "stopped"),
    [],
    "each one was stopped",
  );
});

test("C21 a disk that answers ENOSPC, EACCES or EIO, or writes short, at any operation, once or from then on: no promise is lost, no file is left open", async function () {
  this.timeout(60_000);
  const { prepared: store, acks } = await prepared();
  const random = randomFrom(3);
  const plan = [...(await steps())].flatMap(([work, all]) =>
    all.flatMap((step, at) => {
      const answers = refusals(all).filter((fault) => fault.at === at); // the soak does them all
      const fault = answers[random(answers.length)];
      return fault && (step !== "read" || random(3) === 0) ? [{ work, fault }] : [];
    }),
  );
  const tally = newTally();
  const outcomes = await endure(await storeProgram(), folder, store, acks, plan, tally);
  assert.deepEqual(tally.losses, []);
  for (const kind of ["ENOSPC", "EACCES", "EIO", "short write"])
    for (const when of ["", " from then on"]) assert.ok((tally.faults[kind + when] ?? 0) > 5, kind + when);
  assert.ok(
    outcomes.every(({ end }) => /^(done|E[A-Z]+|[a-z-]+)$/.test(end)),
    "each failure has a code",
  );
});

test("killed at random moments, two writers at a time: every acknowledged result is read back", async function () {
  this.timeout(60_000);
  const tally = newTally();
  await killWriters(await writerProgram(), path.join(folder, "killed"), 6, randomFrom(1), tally);
  assert.deepEqual(tally.losses, []);
});

test("two processes with three sessions each, 2000 puts and fetches, beside a sweep and deletions: nothing is lost, nothing of another is served", async function () {
  this.timeout(60_000);
  const tally = newTally();
  const done = await besides(await writerProgram(), path.join(folder, "beside"), 2000, randomFrom(2), tally);
  assert.deepEqual(tally.losses, []);
  assert.equal(done.puts + done.fetches, 2000);
  assert.equal(done.erasures, 12);
  assert.ok(done.sweeps > 0 && done.refusals > 0);
});

test("a store copied while it was written, from another machine: what was promised before is served, what is missing is named, its locks are left alone", async function () {
  this.timeout(60_000);
  const tally = newTally();
  const random = randomFrom(4);
  const kind = "a store copied from another machine while it was written";
  for (let tries = 0; tries < 20 && (tally.faults[kind] ?? 0) < 3; tries++)
    await copyWhileWritten(await writerProgram(), path.join(folder, `copied ${tries}`), random, tally);
  assert.deepEqual(tally.losses, []);
  assert.equal(tally.faults[kind], 3);
});

test("a clock that goes back, at every operation and by ten years: nothing is lost, and nothing expires", async function () {
  this.timeout(60_000);
  const tally = newTally();
  await goBackInTime(await writerProgram(), path.join(folder, "clock"), randomFrom(5), tally);
  assert.deepEqual(tally.losses, []);
});
