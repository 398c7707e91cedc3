// test/support: faults of every kind done to real stores, each with the proof afterwards. The tests run a small slice of
// this with a fixed seed; `npm run soak` runs it in a loop.

import { spawn } from "node:child_process";
import { appendFile, cp, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { StoreCare } from "../../src/store/care";
import { sha256 } from "../../src/store/digest";
import { INDEX, LOCK, LOG, placeOf, tenantOf } from "../../src/store/layout";
import { Sessions } from "../../src/store/sessions";
import { plainRoot } from "../../src/store/vault";
import type { Case, Outcome, Prepared } from "./faultyStore";
import { CHANGES, canFail, type FileFault, type FileStep, type Work } from "./fileFaults";
import { type Ack, lossesOf } from "./ledger";
import { HOUR_MS, LONG, sessionWith } from "./lifetime";
import type { Random } from "./random";
import { safe } from "./storeFolder";
import { startWriter } from "./writerProcess";

export const HERE = "file:///work";
export const ELSEWHERE = "file:///elsewhere";
const clock = { now: () => Date.now() };

/** What was done and what came of it. */
export type Tally = {
  operations: number;
  faults: Record<string, number>;
  verifications: number;
  readonly losses: string[];
};
export const newTally = (): Tally => ({ operations: 0, faults: {}, verifications: 0, losses: [] });

export function count(tally: Tally, kind: string, times = 1): void {
  tally.faults[kind] = (tally.faults[kind] ?? 0) + times;
}

export const acksOf = (
  workspace: string,
  { id, handles }: { id: string; handles: readonly Ack["handle"][] },
  texts: readonly string[],
): Ack[] =>
  handles.map((handle, at) => ({ workspace, session: id, handle, sha256: sha256(texts[at] ?? "") }));

/** A store with everything that a crash, an older version of a session and a second workspace leave in it. */
export async function prepare(folder: string): Promise<{ prepared: Prepared; acks: readonly Ack[] }> {
  const template = path.join(folder, "template");
  const archive = path.join(folder, "session.zip");
  const acks: Ack[] = [];
  const store = await Sessions.open(template, HERE, clock);
  const filled = async (workspace: string, texts: readonly string[]) => {
    const made = await sessionWith(await Sessions.open(template, workspace, clock), texts);
    acks.push(...acksOf(workspace, made, texts));
    return made.id;
  };
  const session = await filled(HERE, [LONG, `${LONG} more`.repeat(5), ""]);
  const torn = await filled(HERE, [`${LONG} of a torn session`]);
  await filled(ELSEWHERE, [LONG]);
  await (await StoreCare.open(template, HERE, clock)).export(session, archive);
  const tornFolder = folderOfSession(template, HERE, torn);
  await rm(path.join(tornFolder, "claims.json"));
  await appendFile(path.join(tornFolder, "log.jsonl"), '{"n":3,"at":17,"type":"as');
  const orphaned = await store.open(session);
  await orphaned.put(safe("no event names this"));
  await orphaned.close();
  const own = folderOfSession(template, HERE, session);
  await writeFile(path.join(own, "blobs", ".left.tmp"), "half");
  await writeFile(path.join(own, ".left.tmp"), "half");
  const beside = path.dirname(own);
  await mkdir(path.join(beside, ".gone-half-deleted"));
  await writeFile(path.join(beside, ".gone-half-deleted", "log.jsonl"), "x");
  await mkdir(path.join(beside, ".draft-half-built"));
  await mkdir(path.join(beside, "20200101-000000-deadbeef")); // never began
  return { prepared: { template, workspace: HERE, session, torn, archive }, acks };
}

/** The session's folder, whichever workspace it is of. */
export const folderOfSession = (root: string, workspace: string, session: string): string =>
  placeOf(plainRoot(root), tenantOf(workspace), session).folder;

/** Runs cases in a process that ends as if it were killed; their outcomes, in order. */
export async function performed(program: string, folder: string, cases: readonly Case[]): Promise<Outcome[]> {
  await mkdir(folder, { recursive: true });
  const list = path.join(folder, "cases.json");
  await writeFile(list, JSON.stringify(cases));
  const child = spawn(process.execPath, [program, list], { stdio: ["ignore", "pipe", "inherit"] });
  const outcomes: Outcome[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const space = line.indexOf(" ");
    outcomes[Number(line.slice(0, space))] = JSON.parse(line.slice(space + 1)) as Outcome;
  }
  if (cases.some((_, at) => outcomes[at] === undefined))
    throw new Error(`the process ended early: ${outcomes.filter(Boolean).length} of ${cases.length} cases`);
  return outcomes;
}

const ERRORS = ["ENOSPC", "EACCES", "EIO", "SHORT"] as const;

/** Every place where `work` can be killed: before each change, and in the middle of each write. */
export const kills = (steps: readonly FileStep[]): FileFault[] =>
  steps.flatMap((step, at) => [
    ...(CHANGES.includes(step) ? [{ at, kind: "stop" as const }] : []),
    ...(step === "write" ? [{ at, kind: "half" as const }] : []),
  ]);

/** Every answer a bad disk can give at each operation, once and from then on. */
export const refusals = (steps: readonly FileStep[]): FileFault[] =>
  steps.flatMap((step, at) =>
    ERRORS.filter((kind) => canFail(step, kind)).flatMap((kind) => [
      { at, kind, lasts: false },
      { at, kind, lasts: true },
    ]),
  );

/** Does `work` once without a fault: what it does to the disk, operation by operation. */
export async function stepsOf(
  program: string,
  folder: string,
  prepared: Prepared,
  works: readonly Work[],
): Promise<ReadonlyMap<Work, readonly FileStep[]>> {
  const cases = works.map((work) => ({
    prepared,
    root: path.join(folder, `clean ${work}`),
    work,
    fault: null,
  }));
  const outcomes = await performed(program, folder, cases);
  for (const [at, { end }] of outcomes.entries())
    if (end !== "done") throw new Error(`${works[at]} without a fault: ${end}`);
  return new Map(works.map((work, at) => [work, outcomes[at]?.steps ?? []]));
}

const WORDS: Readonly<Record<string, string>> = {
  stop: "killed before a change to a file",
  half: "killed in the middle of a write",
  SHORT: "short write",
};
const LOOKS_SIDE_BY_SIDE = 4;

/** Does each case, then proves the store that it left. */
export async function endure(
  program: string,
  folder: string,
  prepared: Prepared,
  acks: readonly Ack[],
  plan: readonly { work: Work; fault: FileFault }[],
  tally: Tally,
): Promise<readonly Outcome[]> {
  const cases = plan.map((one, at) => ({ ...one, prepared, root: path.join(folder, `case ${at}`) }));
  const outcomes = await performed(program, folder, cases);
  let next = 0;
  await Promise.all(
    Array.from({ length: LOOKS_SIDE_BY_SIDE }, async () => {
      for (let at = next++; at < cases.length; at = next++) {
        const { root, work, fault } = cases[at] as (typeof cases)[number];
        const outcome = outcomes[at] as Outcome;
        tally.operations += outcome.steps.length;
        if (outcome.struck >= 0)
          count(tally, `${WORDS[fault.kind] ?? fault.kind}${fault.lasts ? " from then on" : ""}`);
        const mayBeGone = new Set(work === "forget" ? [prepared.session] : []);
        const lost = await lossesOf(root, {
          acks: [...acks, ...outcome.acks],
          mayBeGone,
          mayBeForgotten: work === "forget result",
        });
        tally.verifications += 2;
        const step = `${fault.kind} at ${outcome.steps[fault.at]} ${fault.at} of "${work}" (${outcome.end})`;
        if (outcome.end !== "stopped" && outcome.open > 0) lost.push(`${outcome.open} files were left open`);
        tally.losses.push(...lost.map((what) => `${step}: ${what}`));
        await rm(root, { recursive: true, force: true });
      }
    }),
  );
  return outcomes;
}

/** A running `storeWriter`, and what it has promised so far. */
export function liveWriter(
  program: string,
  root: string,
  {
    seed,
    workspace = HERE,
    operations = 1e9,
    sessions = 3,
    backMs = 0,
  }: { seed: number; workspace?: string; operations?: number; sessions?: number; backMs?: number },
) {
  const writer = startWriter(program, [root, workspace, seed, operations, sessions, backMs].map(String));
  const words = (word: string) => writer.lines.filter((line) => line.startsWith(`${word} `));
  return {
    ...writer,
    acks: (): Ack[] =>
      words("ack").map((line) => {
        const [, session = "", handle = "", digest = ""] = line.split(" ");
        return { workspace, session, handle: handle as Ack["handle"], sha256: digest as Ack["sha256"] };
      }),
    wrong: () => words("wrong"),
    done: () => words("done")[0]?.split(" ").slice(1).map(Number),
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Two writers on one store, both killed at a random moment, `rounds` times; then the proof. */
export async function killWriters(
  program: string,
  root: string,
  rounds: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const acks: Ack[] = [];
  const lost: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const writers = [HERE, random(3) === 0 ? ELSEWHERE : HERE].map((workspace) =>
      liveWriter(program, root, { seed: random(2 ** 31), workspace, backMs: random(3) * 60_000 }),
    );
    const wanted = random(20);
    const ended = () => writers.filter(({ child }) => child.exitCode !== null).length;
    const isOver = () => ended() > 0 || writers.every((writer) => writer.acks().length >= wanted);
    for (let waited = 0; !isOver() && waited < 5000; waited += 5) await pause(5);
    await pause(random(40));
    if (ended() > 0) lost.push("a writer ended before it was killed");
    for (const { child } of writers) {
      child.kill("SIGKILL");
      await pause(random(10));
    }
    await Promise.all(writers.map(({ ended }) => ended));
    count(tally, "kill -9 of a writer at a random moment", writers.length);
    acks.push(...writers.flatMap((writer) => writer.acks()));
    lost.push(...writers.flatMap((writer) => writer.wrong()));
    tally.operations += writers.reduce((sum, { lines }) => sum + lines.length, 0);
    if (round % 3 < 2 && round < rounds - 1) continue; // what the dead left also meets the next writers unproven
    lost.push(...(await lossesOf(root, { acks })));
    tally.verifications += 2;
  }
  tally.losses.push(...lost.map((what) => `killed writers: ${what}`));
}

/**
 * Two processes on one workspace, three sessions each, and beside them a sweep whose clock is two hours ahead and the
 * deletion of other sessions, one after another. Resolves with how often each was done meanwhile.
 */
export async function besides(
  program: string,
  root: string,
  operations: number,
  random: Random,
  tally: Tally,
): Promise<{ puts: number; fetches: number; sweeps: number; erasures: number; refusals: number }> {
  const done = { puts: 0, fetches: 0, sweeps: 0, erasures: 0, refusals: 0 };
  const store = await Sessions.open(root, HERE, clock);
  const victims: string[] = [];
  for (let n = 0; n < 12; n++) victims.push((await sessionWith(store, [`${n} ${LONG}`])).id);
  const kept = await sessionWith(store, [LONG]);
  const held = await store.open(kept.id); // whatever the writers do, the workspace has a session that runs
  const elsewhere = await sessionWith(await Sessions.open(root, ELSEWHERE, clock), [LONG]);
  const writers = [1, 2].map(() =>
    liveWriter(program, root, { seed: random(2 ** 31), operations: operations / 2 }),
  );
  let running = writers.length;
  for (const { ended } of writers) void ended.then(() => running--);
  const ahead = await StoreCare.open(root, HERE, { now: () => Date.now() + 2 * HOUR_MS });
  const care = await StoreCare.open(root, HERE, clock);
  await Promise.all(writers.map((writer) => writer.line("ack")));
  const sweeping = (async () => {
    while (running > 0) {
      await ahead.sweep();
      done.sweeps++;
    }
  })();
  while (running > 0) {
    const victim = victims.pop();
    if (victim !== undefined) done.erasures += (await care.forgetSession(victim)).sessions;
    else
      await care.forgetWorkspace().then(
        () => tally.losses.push("a workspace was deleted while its sessions ran"),
        (cause: { code?: unknown }) => {
          if (cause.code !== "session-in-use") throw cause;
          done.refusals++;
        },
      );
    await pause(20);
  }
  await sweeping;
  await held.close();
  for (const writer of writers) {
    const [puts, fetches] = writer.done() ?? [];
    if (puts === undefined || fetches === undefined) {
      await writer
        .line("done")
        .catch((cause: Error) => tally.losses.push(`a writer failed: ${cause.message}`));
      continue;
    }
    done.puts += puts;
    done.fetches += fetches;
  }
  const acks = [
    ...writers.flatMap((writer) => writer.acks()),
    ...acksOf(HERE, kept, [LONG]),
    ...acksOf(ELSEWHERE, elsewhere, [LONG]),
  ];
  if (acks.length !== done.puts + 2) tally.losses.push(`${acks.length - 2} promises for ${done.puts} puts`);
  const lost = [...writers.flatMap((writer) => writer.wrong()), ...(await lossesOf(root, { acks }))];
  tally.losses.push(...lost.map((what) => `side by side: ${what}`));
  tally.operations += done.puts + done.fetches + done.sweeps + done.erasures + done.refusals;
  tally.verifications += 2;
  count(tally, "sweep beside two writers", done.sweeps);
  count(tally, "erase beside two writers", done.erasures + done.refusals);
  return done;
}

/** The locks of a copied store as the other machine wrote them; the sessions that have one. */
async function fromAnotherMachine(root: string, sessions: Iterable<string>): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const session of sessions) {
    const folder = path.join(folderOfSession(root, HERE, session), LOCK);
    for (const name of await readdir(folder)) {
      const { sum: _, ...owner } = JSON.parse(await readFile(path.join(folder, name), "utf8"));
      await writeFile(path.join(folder, name), JSON.stringify({ ...owner, host: "another-machine" }));
      held.add(session);
    }
  }
  return held;
}

/** A store copied, file by file, while a writer is at work, and opened on another machine. */
export async function copyWhileWritten(
  program: string,
  root: string,
  random: Random,
  tally: Tally,
): Promise<void> {
  const copy = `${root}-copied`;
  const lost: string[] = [];
  const writer = liveWriter(program, root, { seed: random(2 ** 31), sessions: 2 });
  const wanted = 5 + random(20);
  while (writer.acks().length < wanted) await pause(5);
  const acks = writer.acks();
  const shown = await cp(root, copy, { recursive: true, filter: (name) => !name.endsWith(".tmp") }).then(
    () => true,
    (cause: { code?: unknown }) => {
      if (cause.code !== "ENOENT") throw cause; // a lock let go meanwhile: whoever copies tries again
      return false;
    },
  );
  writer.child.kill("SIGKILL");
  await writer.ended;
  if (!shown) return;
  const sessions = new Set(acks.map(({ session }) => session));
  const held = await fromAnotherMachine(copy, sessions);
  const store = await Sessions.open(copy, HERE, clock);
  const care = await StoreCare.open(copy, HERE, { now: () => Date.now() + 400 * 24 * HOUR_MS });
  if (held.size === sessions.size) await care.sweep(); // one that was let go at that moment would rightly expire
  for (const session of sessions) {
    const isHeld = held.has(session);
    const mine = acks.filter((ack) => ack.session === session);
    const from = isHeld ? await store.fork(session) : session; // a fork is the way on where the lock is in doubt
    for (const { handle, sha256: digest } of mine)
      for (const id of [session, from]) {
        const text = await store.content(id, handle).catch(() => null);
        if (text === null || sha256(text) !== digest) lost.push(`${id} of the copy does not serve ${handle}`);
      }
    if (!isHeld) continue;
    for (const attempt of [() => store.open(session), () => care.forgetSession(session)]) {
      const told = await attempt().then(
        () => "taken",
        (cause: { code?: unknown }) => String(cause.code),
      );
      if (told !== "session-in-use") lost.push(`${session} of another machine: ${told}`);
    }
    await rm(path.join(folderOfSession(copy, HERE, session), LOCK), { recursive: true });
  }
  // What the writer added between the copy of its contents and the copy of its log is not in the copy, and is named.
  lost.push(...(await lossesOf(copy, { acks, mayTell: /^stored result claim:\w+ of read_file is missing/ })));
  tally.operations += acks.length;
  tally.verifications += 2;
  count(tally, "a store copied from another machine while it was written");
  tally.losses.push(...lost.map((what) => `copied: ${what}`));
  await rm(copy, { recursive: true, force: true });
}

/** A writer whose clock goes back at every operation, in a store whose sessions are of a time to come. */
export async function goBackInTime(
  program: string,
  root: string,
  random: Random,
  tally: Tally,
): Promise<void> {
  const tenYears = 10 * 365 * 24 * HOUR_MS;
  const future = await Sessions.open(root, HERE, { now: () => Date.now() + tenYears });
  const made = await sessionWith(future, [LONG]);
  const again = await future.open(made.id);
  await again.append({ type: "asked", turn: 1, text: "in ten years" });
  await again.close();
  const own = folderOfSession(root, HERE, made.id);
  await rm(path.join(own, INDEX)); // a sweep then reads the log
  const then = new Date(Date.now() + tenYears);
  await utimes(path.join(own, LOG), then, then);
  const backMs = 1 + random(48) * HOUR_MS;
  const writer = liveWriter(program, root, { seed: random(2 ** 31), operations: 60, backMs });
  while (writer.done() === undefined) {
    await (await StoreCare.open(root, HERE, { now: () => Date.now() - random(400) * 24 * HOUR_MS })).sweep();
    await Promise.race([writer.ended, pause(20)]);
    if (writer.child.exitCode !== null && writer.child.exitCode !== 0) break;
  }
  await writer.ended;
  const acks = [...writer.acks(), ...acksOf(HERE, made, [LONG])];
  const lost = [...writer.wrong(), ...(await lossesOf(root, { acks }))];
  if (writer.done() === undefined) lost.push("the writer failed");
  tally.operations += writer.lines.length;
  tally.verifications += 2;
  count(tally, "a clock that goes back", 60);
  tally.losses.push(...lost.map((what) => `clock: ${what}`));
}
