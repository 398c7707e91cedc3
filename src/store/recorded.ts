/** A session of the store with its contents, as it is replayed under other settings. */
import type { Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import type { Sessions } from "./sessions";

export type RecordedInStore = {
  readonly events: readonly Logged[];
  readonly contents: ReadonlyMap<Digest, string>;
};

const GONE = ["blob-missing", "blob-corrupt", "blob-forgotten"];

/**
 * What is gone of the contents is not among them. Throws `log-damaged`, and where the contents are more
 * than `maximumBytes` together `session-too-large`.
 */
export async function recordedIn(
  store: Sessions,
  session: string,
  maximumBytes = Number.POSITIVE_INFINITY,
): Promise<RecordedInStore> {
  const { events, problem } = await store.evidence(session);
  if (problem !== null) throw new Failure("log-damaged", `its log is damaged (${problem}).`);
  const stored = events.filter((event) => event.type === "tool_result_stored");
  const texts = stored.filter(({ mediaType }) => mediaType === undefined);
  const bytes = texts.reduce((sum, event) => sum + event.bytes, 0);
  if (bytes > maximumBytes)
    throw new Failure(
      "session-too-large",
      `The stored results of this session are ${megabytes(bytes)}, more than the ${megabytes(maximumBytes)} that are replayed at once. Use “cloakroom analyze” instead.`,
      { bytes },
    );
  const contents = new Map<Digest, string>();
  const contentOf = await store.contents(session);
  for (const { handle, sha256 } of texts) {
    const text = await contentOf(handle).catch((cause: unknown) => {
      if (!(cause instanceof Failure && GONE.includes(cause.code))) throw cause;
      return null;
    });
    if (text !== null) contents.set(sha256, text);
  }
  return { events, contents };
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;
