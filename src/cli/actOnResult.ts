/** `pin`, `shorten`, and `forget` of one result: what the editor's inspector does, on a session that does not run. */
import { type ActStore, actOnSession } from "../agent/actOnSession";
import type { Ports } from "../agent/ports";
import { SessionAct } from "../schema/act";
import type { Judged } from "./judge";

export type ActWords = { readonly no: boolean; readonly yes: boolean };

/** Whether these words are about one result, not about a session. */
export const isAboutResult = ([command, , result]: readonly string[]): boolean =>
  command === "pin" || command === "shorten" || (command === "forget" && result !== undefined);

/** Throws `Failure` where the act is refused. */
export async function actOnResult(
  store: ActStore,
  [command = "", session, result]: readonly string[],
  { no, yes }: ActWords,
  ports: Pick<Ports, "clock" | "hash" | "tokens">,
): Promise<Judged> {
  const what = command === "forget" ? "HANDLE" : "CALL";
  if (session === undefined || result === undefined)
    return wrong(`Name the session and the result: ${command} SESSION ${what}.`);
  if (command === "forget" && !yes)
    return wrong("This deletes from disk and cannot be undone. Say --yes if that is what you want.");
  const act = SessionAct.safeParse({ kind: command, call: result, handle: result, isPinned: !no });
  if (!act.success) return wrong(`${result} is no handle. It looks like claim:0123…, with 32 hex digits.`);
  await actOnSession(store, session, act.data, ports);
  return { code: 0, lines: [toldOf(act.data)], problems: [] };
}

function toldOf(act: SessionAct): string {
  if (act.kind === "pin")
    return act.isPinned ? `Pinned: ${act.call} stays as it is.` : `${act.call} may be shortened again.`;
  return act.kind === "shorten"
    ? `Shortened: ${act.call}. The whole of it is stored.`
    : `Deleted: the content of ${act.handle}. What was shown of it stays in the session.`;
}

const wrong = (problem: string): Judged => ({ code: 2, lines: [], problems: [problem] });
