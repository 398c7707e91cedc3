// test/support: a process that does pieces of a store's work, each on a copy of a prepared store and with a fault at one
// file operation.      faultyStore FILE     FILE: Case[] as JSON; prints an Outcome per case as JSON, then ends as if killed

import { cp, readFile } from "node:fs/promises";
import path from "node:path";
import type { Claim } from "../../src/schema/claim";
import { StoreCare } from "../../src/store/care";
import { sha256 } from "../../src/store/digest";
import type { OpenSession } from "../../src/store/openSession";
import { Sessions } from "../../src/store/sessions";
import { unwatched, watched } from "./faultyFiles"; // before the store
import { type FileFault, type FileStep, Watch, type Work } from "./fileFaults";
import type { Ack } from "./ledger";
import { forgetIn, HOUR_MS, keep } from "./lifetime";

export type Prepared = {
  readonly template: string;
  readonly workspace: string;
  readonly session: string; // with results
  readonly torn: string; // with a torn log and no index
  readonly archive: string;
};
export type Case = {
  readonly prepared: Prepared;
  readonly root: string;
  readonly work: Work;
  readonly fault: FileFault | null;
};
export type Outcome = {
  readonly steps: readonly FileStep[];
  readonly struck: number;
  readonly end: string; // "done", "stopped", or what it failed with
  readonly acks: readonly Ack[];
  readonly open: number; // files that were left open
};

const clock = { now: () => Date.now() };
const later = { now: () => Date.now() + 2 * HOUR_MS };

type Doing = { readonly one: Case; readonly acks: Ack[] };

/** Stores `text`; it is promised once it is on disk and the log too. */
async function promised(session: OpenSession, text: string, { one, acks }: Doing): Promise<void> {
  const handle = await keep(session, text, `t1c${acks.length}`);
  await session.sync();
  acks.push({ workspace: one.prepared.workspace, session: session.id, handle, sha256: sha256(text) });
}

/** As the loop does: a session is let go however its run ended, and that failing too hides nothing. */
async function closing(session: OpenSession, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    await session.close().catch(() => undefined);
    throw cause;
  }
  await session.close();
}

const works: Readonly<Record<Work, (doing: Doing) => Promise<unknown>>> = {
  begin: async (doing) => {
    const store = await Sessions.open(doing.one.root, doing.one.prepared.workspace, clock);
    const session = await store.create({ workspace: "work", title: "begun" });
    await closing(session, async () => {
      await promised(session, `${session.id} ${"a first result. ".repeat(4000)}`, doing);
      await session.checkpoint();
      await promised(session, `${session.id} and a second`, doing);
    });
  },
  "go on": async (doing) => {
    const store = await Sessions.open(doing.one.root, doing.one.prepared.workspace, clock);
    const session = await store.open(doing.one.prepared.session);
    await closing(session, async () => {
      const claim = session.events.find((event) => event.type === "tool_result_stored");
      if (claim?.type === "tool_result_stored") await session.window(claim, 100);
      await promised(session, `${session.id} went on`, doing);
    });
  },
  mend: async (doing) => {
    const store = await Sessions.open(doing.one.root, doing.one.prepared.workspace, clock);
    const session = await store.open(doing.one.prepared.torn);
    await closing(session, () => promised(session, `${session.id} went on`, doing));
  },
  sweep: async ({ one }) => (await StoreCare.open(one.root, one.prepared.workspace, later)).sweep(),
  forget: async ({ one }) =>
    (await StoreCare.open(one.root, one.prepared.workspace, clock)).forgetSession(one.prepared.session),
  "forget result": async ({ one }) => {
    const store = await Sessions.open(one.root, one.prepared.workspace, clock);
    const session = await store.open(one.prepared.session);
    await closing(session, async () => {
      const claim = session.events.find((event) => event.type === "tool_result_stored") as Claim | undefined;
      if (claim) await forgetIn(session, claim);
    });
  },
  fork: async (doing) => {
    const { root, prepared } = doing.one;
    const { session } = await (await StoreCare.open(root, prepared.workspace, clock)).fork(prepared.session);
    await adopted(session, doing);
  },
  export: async ({ one }) =>
    (await StoreCare.open(one.root, one.prepared.workspace, clock)).export(
      one.prepared.session,
      path.join(one.root, "out.zip"),
    ),
  import: async ({ one }) =>
    (await StoreCare.open(one.root, one.prepared.workspace, clock)).import(one.prepared.archive),
  verify: async ({ one }) =>
    (await StoreCare.open(one.root, one.prepared.workspace, later)).verify({ everywhere: true }),
};

/** A fork that was told to be there has what it took over. */
async function adopted(session: string, { one, acks }: Doing): Promise<void> {
  const store = await Sessions.open(one.root, one.prepared.workspace, clock);
  const [, took] = await unwatched(() => store.events(session));
  if (took?.type !== "adopted") throw new Error("a fork without its handles");
  for (const { handle, sha256 } of took.claims)
    acks.push({ workspace: one.prepared.workspace, session, handle, sha256 });
}

async function perform(one: Case): Promise<Outcome> {
  await cp(one.prepared.template, one.root, { recursive: true, preserveTimestamps: true });
  const acks: Ack[] = [];
  const watch = new Watch(one.fault);
  const work = watched(watch, () => works[one.work]({ one, acks })).then(
    () => "done",
    (cause) => String((cause as { code?: unknown }).code ?? (cause as Error).stack),
  );
  const end = await Promise.race([work, watch.stopped]);
  return { steps: watch.steps, struck: watch.struck, end, acks: [...acks], open: watch.open.size };
}

const SIDE_BY_SIDE = 6;
const cases = JSON.parse(await readFile(process.argv[2] ?? "", "utf8")) as Case[];
let next = 0;
await Promise.all(
  Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let at = next++; at < cases.length; at = next++) {
      const outcome = await perform(cases[at] as Case);
      process.stdout.write(`${at} ${JSON.stringify(outcome)}\n`);
    }
  }),
);
process.kill(process.pid, "SIGKILL"); // whatever stopped on its way holds its locks until here
