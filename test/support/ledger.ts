// test/support: what a store has acknowledged, and the proof that it still has it, and nothing of others is served.

import type { Digest, Handle } from "../../src/schema/claim";
import { sha256 } from "../../src/store/digest";
import { listTenants } from "../../src/store/layout";
import type { OpenSession } from "../../src/store/openSession";
import { Sessions } from "../../src/store/sessions";
import { sweep } from "../../src/store/sweep";
import { plainRoot } from "../../src/store/vault";
import { verify } from "../../src/store/verify";
import { HOUR_MS } from "./lifetime";

/** A stored result whose content and event are on disk: a promise. */
export type Ack = {
  readonly workspace: string;
  readonly session: string;
  readonly handle: Handle;
  readonly sha256: Digest;
};

export type Expectation = {
  readonly acks: readonly Ack[];
  /** Sessions that may be gone as a whole. */
  readonly mayBeGone?: ReadonlySet<string>;
  /** Somebody forgot stored results: what was forgotten must then be gone. */
  readonly mayBeForgotten?: boolean;
  /** Problems that verify may tell before anything is mended: what the fault itself did. */
  readonly mayTell?: RegExp;
};

const KEEP_MS = 30 * 24 * HOUR_MS;
const code = (cause: unknown) => String((cause as { code?: unknown }).code ?? cause);

/**
 * What is wrong with a store that nobody uses any more, one line each; empty where every promise is kept. In the order in
 * which a person meets it: verify, the next start's sweep, every session opened and read, a sweep after the grace, verify.
 */
export async function lossesOf(root: string, expected: Expectation): Promise<string[]> {
  const { acks, mayBeGone = new Set<string>(), mayTell = /^$/ } = expected;
  const lost: string[] = [];
  const proved = async (when: string, laterMs: number) => {
    const now = () => Date.now() + laterMs;
    const { findings } = await verify(
      plainRoot(root),
      { tenants: await listTenants(plainRoot(root)) },
      { now },
    );
    for (const { weight, session, what } of findings)
      if (weight === "problem" && !mayTell.test(what)) lost.push(`verify ${when}: ${session}: ${what}`);
  };
  const swept = async (laterMs: number) => {
    const { pinned } = await sweep(plainRoot(root), {
      clock: { now: () => Date.now() + laterMs },
      keepMs: KEEP_MS,
    });
    for (const { folder, why } of pinned) lost.push(`sweep left ${folder}: ${why}`);
  };
  await proved("at once", 0);
  await swept(0);
  for (const workspace of new Set(acks.map((ack) => ack.workspace))) {
    const mine = acks.filter((ack) => ack.workspace === workspace);
    const store = await Sessions.open(root, workspace, { now: () => Date.now() });
    const listed = new Set((await store.list()).map(({ session }) => session));
    for (const session of new Set(mine.map((ack) => ack.session))) {
      if (!listed.has(session)) {
        if (!mayBeGone.has(session)) lost.push(`${session} is not listed`);
        continue;
      }
      try {
        const open = await store.open(session);
        lost.push(...(await lostOf(open, expected)));
        await open.append({ type: "asked", turn: 1, text: "it goes on" });
        await open.sync();
        await open.close();
      } catch (cause) {
        lost.push(`${session} cannot be opened: ${code(cause)}`);
      }
    }
    lost.push(...(await strangersIn(store, workspace, acks)));
  }
  await swept(2 * HOUR_MS);
  await proved("after the sweep", 2 * HOUR_MS);
  return lost;
}

/** Every promise of this session is kept; no handle of another is known here. */
async function lostOf(
  session: OpenSession,
  { acks, mayBeForgotten = false }: Pick<Expectation, "acks" | "mayBeForgotten">,
): Promise<string[]> {
  const lost: string[] = [];
  const mine = new Set(acks.filter((ack) => ack.session === session.id).map(({ handle }) => handle));
  for (const ack of acks) {
    const claim = session.find(ack.handle);
    if (ack.session !== session.id) {
      if (claim && !mine.has(ack.handle)) lost.push(`${session.id} knows ${ack.handle} of ${ack.session}`);
      continue;
    }
    if (claim?.sha256 !== ack.sha256) lost.push(`${session.id} has lost ${ack.handle}`);
    else if (claim.forgotten && mayBeForgotten)
      await session.read(ack.sha256).then(
        () => lost.push(`${session.id} still has the content of ${ack.handle}`),
        (cause) => {
          if (code(cause) !== "blob-missing") lost.push(`${ack.handle}: ${code(cause)}`);
        },
      );
    else
      await session.read(ack.sha256).then(
        (text) => {
          if (sha256(text) !== ack.sha256) lost.push(`${session.id} serves other bytes for ${ack.handle}`);
        },
        (cause) => lost.push(`${session.id} cannot read ${ack.handle}: ${code(cause)}`),
      );
  }
  return lost;
}

/** What a workspace can get at of the others' sessions. */
async function strangersIn(store: Sessions, workspace: string, acks: readonly Ack[]): Promise<string[]> {
  const foreign = acks.filter((ack) => ack.workspace !== workspace);
  const served: string[] = [];
  for (const { session, handle } of foreign.slice(0, 3)) {
    const refusal = await store.content(session, handle).then(() => "served", code);
    if (refusal !== "session-missing") served.push(`${workspace} and ${handle} of ${session}: ${refusal}`);
  }
  return served;
}
