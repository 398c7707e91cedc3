/** One run of a session from the outside: open it, ask, close it. The editor and the command line both start here. */
import type { Hash } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { ActQueue } from "./actQueue";
import { type Configuration, Conversation, type ConversationState, claimPolicyOf } from "./conversation";
import { type RunEnd, runConversation } from "./loop";
import type { Claims, Log, Ports } from "./ports";
import { Secrets } from "./secrets";

/** States by name. */
type States = Readonly<Record<string, unknown>>;

/**
 * A session opened for writing. `restored`: what a snapshot kept of the events before `events`; null where these are
 * all. `close` lets another window have it.
 */
export type WritableSession = Log &
  Claims & {
    readonly id: string;
    readonly restored: States | null;
    readonly events: readonly Logged[];
    snapshot(states: () => States): Promise<void>;
    close(): Promise<void>;
  };

/** Where sessions live. `open` restores all of `states` or none. It throws `session-missing`, `session-in-use`. */
export type SessionStore = {
  create(start: { workspace: string; title: string }): Promise<WritableSession>;
  open(session: string, states: readonly string[]): Promise<WritableSession>;
};

/** The names of what a run keeps in a snapshot. */
export const CONVERSATION = "conversation";
export const WATCHED = "watched";

export type RunRequest = {
  readonly store: SessionStore;
  readonly session:
    | { readonly kind: "new"; readonly workspace: string }
    | { readonly kind: "existing"; readonly id: string };
  readonly question: string;
  readonly configuration: Configuration;
  readonly ports: Omit<Ports, "log" | "claims">;
  /** Called for every event, the ones already in the log first; then `before` is what `watched` once said of those before. */
  readonly watch: (session: string, events: readonly Logged[], before?: unknown) => void;
  /** What whoever watches has made of the events so far. Without it all events are watched, however many. */
  readonly watched?: () => unknown;
  /** What the person does to the session while it runs. It is ended with the run, or where that did not begin. */
  readonly acts?: ActQueue;
};

const TITLE_CHARS = 60;

/** Throws `Failure` where the session could not be opened or the settings are refused; after that, every end is a value. */
export async function runSession(
  request: RunRequest,
  signal: AbortSignal,
): Promise<{ session: string; end: RunEnd }> {
  const { store, session, question, configuration, ports, watch, watched, acts } = request;
  claimPolicyOf(configuration.settings, ports.tools); // what is refused leaves no session behind
  const opened =
    session.kind === "existing"
      ? await store.open(session.id, [CONVERSATION, ...(watched ? [WATCHED] : [])])
      : await store.create({ workspace: session.workspace, title: titleOf(question, ports.hash) });
  try {
    watch(opened.id, opened.events, opened.restored?.[WATCHED]);
    const log: Log = {
      append: async (event) => {
        const logged = await opened.append(event);
        watch(opened.id, [logged]);
        return logged;
      },
      sync: () => opened.sync(),
    };
    const before = (opened.restored?.[CONVERSATION] ?? null) as ConversationState | null;
    const own = { ...ports, log, claims: opened };
    const conversation = await Conversation.open(opened.events, configuration, own, before);
    const end = await runConversation(conversation, question, signal, acts);
    await opened.snapshot(() => ({
      [CONVERSATION]: conversation.state,
      ...(watched && { [WATCHED]: watched() }),
    }));
    return { session: opened.id, end };
  } finally {
    acts?.end();
    await opened.close();
  }
}

/** The first line of the question, short enough for a list, its secrets gone: the session has no salt for them yet. */
function titleOf(question: string, hash: Hash): string {
  const safe = new Secrets("", hash).hide(question.toWellFormed()).text;
  const line =
    safe
      .replace(/\[secret:([a-z_]+):[0-9a-f]+\]/g, "[$1]")
      .trim()
      .split(/\r?\n/, 1)[0] ?? "";
  const chars = [...line];
  return chars.length <= TITLE_CHARS ? line : `${chars.slice(0, TITLE_CHARS - 1).join("")}…`;
}
