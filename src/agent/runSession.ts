/** One run of a session from the outside: open it, ask, close it. The editor and the command line both start here. */
import type { Hash } from "../schema/claim";
import type { Logged } from "../schema/event";
import { type Configuration, Conversation, claimPolicyOf } from "./conversation";
import { type RunEnd, runConversation } from "./loop";
import type { Claims, Log, Ports } from "./ports";
import { Secrets } from "./secrets";

/** A session opened for writing. `close` lets another window have it. */
export type WritableSession = Log &
  Claims & { readonly id: string; readonly events: readonly Logged[]; close(): Promise<void> };

/** Where sessions live. `open` throws `session-missing`, `session-in-use`. */
export type SessionStore = {
  create(start: { workspace: string; title: string }): Promise<WritableSession>;
  open(session: string): Promise<WritableSession>;
};

export type RunRequest = {
  readonly store: SessionStore;
  readonly session:
    | { readonly kind: "new"; readonly workspace: string }
    | { readonly kind: "existing"; readonly id: string };
  readonly question: string;
  readonly configuration: Configuration;
  readonly ports: Omit<Ports, "log" | "claims">;
  /** Called for every event, the ones already in the log first. */
  readonly watch: (session: string, events: readonly Logged[]) => void;
};

const TITLE_CHARS = 60;

/** Throws `Failure` where the session could not be opened or the settings are refused; after that, every end is a value. */
export async function runSession(
  request: RunRequest,
  signal: AbortSignal,
): Promise<{ session: string; end: RunEnd }> {
  const { store, session, question, configuration, ports, watch } = request;
  claimPolicyOf(configuration.settings, ports.tools); // what is refused leaves no session behind
  const opened =
    session.kind === "existing"
      ? await store.open(session.id)
      : await store.create({ workspace: session.workspace, title: titleOf(question, ports.hash) });
  try {
    watch(opened.id, opened.events);
    const log: Log = {
      append: async (event) => {
        const logged = await opened.append(event);
        watch(opened.id, [logged]);
        return logged;
      },
      sync: () => opened.sync(),
    };
    const conversation = await Conversation.open(opened.events, configuration, {
      ...ports,
      log,
      claims: opened,
    });
    const end = await runConversation(conversation, question, signal);
    return { session: opened.id, end };
  } finally {
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
