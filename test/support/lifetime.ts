// test/support: sessions with stored results, as the loop leaves them, and what must hold for a store of them.
import assert from "node:assert/strict";
import { handleOf } from "../../src/claims/handle";
import type { Claim, Handle } from "../../src/schema/claim";
import type { Logged } from "../../src/schema/event";
import { byteLength, charLength, lineCount } from "../../src/schema/text";
import type { StoreCare } from "../../src/store/care";
import { sha256 } from "../../src/store/digest";
import type { Imported } from "../../src/store/importArchive";
import { listTenants } from "../../src/store/layout";
import type { OpenSession } from "../../src/store/openSession";
import type { Sessions } from "../../src/store/sessions";
import { plainRoot } from "../../src/store/vault";
import { type Verified, verify } from "../../src/store/verify";
import { safe } from "./storeFolder";

export const DAY_MS = 86_400_000;
export const HOUR_MS = 3_600_000;

export const LONG = `${"A clause of a contract. ".repeat(400)}The end.`;

/** Stores `text` and shows its ticket, as the loop does: blob first, then the log, then the model. */
export async function keep(
  session: OpenSession,
  text: string,
  call = "t1c0",
  more: Pick<Claim, "reclaimable"> = {},
): Promise<Handle> {
  const started = session.events[0];
  assert.ok(started?.type === "session_started");
  const { sha256: digest, frames } = await session.put(safe(text));
  const handle = handleOf(started.salt, digest, sha256);
  const sizes = { chars: charLength(text), bytes: byteLength(text), lines: lineCount(text) };
  await session.append({
    type: "tool_result_stored",
    call,
    handle,
    sha256: digest,
    frames,
    tool: "read_file",
    class: "read",
    ...sizes,
    ...more,
  });
  await session.append({
    type: "remembered",
    call,
    shown: "ticket",
    class: "read",
    limitChars: 4096,
    why: "over its limit",
    handle,
    isError: false,
    text: text.slice(0, 100),
  });
  return handle;
}

/** Deletes a stored result, as the loop does: intent first. */
export async function forgetIn(
  session: OpenSession,
  { handle, sha256: digest }: Pick<Claim, "handle" | "sha256">,
): Promise<void> {
  await session.append({ type: "forgotten", call: null, handle, sha256: digest });
  await session.sync();
  await session.removeForgotten();
}

/** A closed session with these results, and the handles that were shown. */
export async function sessionWith(
  store: Sessions,
  texts: readonly string[],
  title = "A session",
): Promise<{ id: string; handles: Handle[] }> {
  const session = await store.create({ workspace: "work", title });
  const handles: Handle[] = [];
  for (const [at, text] of texts.entries()) handles.push(await keep(session, text, `t1c${at}`));
  await session.close();
  return { id: session.id, handles };
}

/** The session of an archive that has one. */
export async function importOne(care: StoreCare, file: string): Promise<Imported> {
  const [imported, ...others] = await care.import(file);
  assert.ok(imported);
  assert.deepEqual(others, []);
  return imported;
}

/** The whole store, verified. */
export async function verified(root: string, now = () => Date.now()): Promise<Verified> {
  return verify(plainRoot(root), { tenants: await listTenants(plainRoot(root)) }, { now });
}

export const problems = ({ findings }: Verified): string[] =>
  findings.filter(({ weight }) => weight === "problem").map(({ what }) => what);

/** Every ticket of every session that is left still resolves. */
export async function assertClean(root: string, now?: () => number): Promise<Verified> {
  const found = await verified(root, now);
  assert.deepEqual(problems(found), []);
  return found;
}

export const typesOf = (events: readonly Logged[]): string[] => events.map(({ type }) => type);
