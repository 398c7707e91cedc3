/** `cloakroom list`: all records of a stored list in one call, proved as they are read. Nothing is written. */
import { snapshotFor } from "../agent/cover";
import { coverageFold } from "../coverage/fold";
import { bytesOf, readAll } from "../coverage/readList";
import { Handle, type Hash } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { SafeText } from "../schema/text";
import type { Judged, LogStore } from "./judge";

export type ListStore = LogStore & {
  contents(session: string): Promise<(handle: Handle) => Promise<SafeText>>;
};

const problem = (code: 1 | 2, sentence: string): Judged => ({ code, lines: [], problems: [sentence] });

/** A record is a line, as it stands in the source: only JSON records that are written over several lines take more. */
export async function listRecords(
  store: ListStore,
  session: string | undefined,
  given: string | undefined,
  json: boolean,
  hash: Hash,
): Promise<Judged> {
  if (session === undefined || given === undefined)
    return problem(2, "Name the session and the list's handle: list SESSION HANDLE.");
  const parsed = Handle.safeParse(given.replace(/[@#]\d+$/, ""));
  if (!parsed.success) return problem(2, "A handle is claim: and 32 digits, as cloakroom show prints it.");
  const handle = parsed.data;
  const { events, problem: damage } = await store.evidence(session);
  if (damage !== null) return problem(1, `The session log is damaged: ${damage}.`);
  const { lists } = events.reduce(coverageFold.reduce, coverageFold.begin());
  const list = Object.hasOwn(lists, handle) ? lists[handle] : undefined;
  if (list === undefined) {
    const isStored = events.some((event) => event.type === "tool_result_stored" && event.handle === handle);
    return problem(
      1,
      isStored
        ? "This result was not shown as a list. Use cloakroom show to see what it is."
        : "This session has no stored result of that name. Use cloakroom show to see its handles.",
    );
  }
  const text = await contentOf(store, session, handle);
  if (text === null) return problem(1, "The list is no longer stored as it was. Use cloakroom verify.");
  const snapshot = snapshotFor(text, handle, list.hints, list.budgetBytes, hash);
  const gone = "The list cannot be read as it was shown. Use cloakroom verify.";
  if (snapshot === null) return problem(1, gone);
  const read = await readAll(snapshot, bytesOf(text), hash);
  if (read.kind === "refused") return problem(1, `${gone} (${read.reason})`);
  const { records, source, complete } = read;
  const told = complete === true ? [] : [`${records.length} records; ${ENDS[String(complete)]}.`];
  if (!json) return { code: 0, lines: records, problems: told };
  const isJson = snapshot.format === "json" || snapshot.format === "jsonl";
  const items = isJson ? records : records.map((record) => JSON.stringify(record));
  const line = `{"snapshot":"${snapshot.snapshot}","source":${source},"total":${snapshot.total},"complete":${JSON.stringify(complete)},"records":[${items.join(",")}]}`;
  return { code: 0, lines: [line], problems: [] };
}

const ENDS: Readonly<Record<string, string>> = {
  false: "the source has more",
  unknown: "whether the source has more is unknown",
};

async function contentOf(store: ListStore, session: string, handle: Handle): Promise<SafeText | null> {
  try {
    return await (await store.contents(session))(handle);
  } catch (cause) {
    if (cause instanceof Failure && ["blob-missing", "blob-corrupt", "blob-forgotten"].includes(cause.code))
      return null;
    throw cause;
  }
}
