/** A person's act on a session that does not run: it is opened for that, and closed again. */
import type { SessionAct } from "../schema/act";
import { Failure } from "../schema/failure";
import { perform } from "./acts";
import { Conversation, type ConversationState } from "./conversation";
import type { Ports } from "./ports";
import { CONVERSATION, type SessionStore } from "./runSession";

export type ActStore = SessionStore & {
  opensAs(session: string): Promise<"itself" | "copy" | "sealed copy">;
};

/**
 * Records the act and nothing else: the session was not continued, so neither `resumed` nor `configured`. No snapshot
 * either: one without what the editor makes of the events would be worth less than the one before. Throws as `perform`,
 * `session-in-use` where it runs elsewhere, `session-read-only` where going on with it goes on with a copy.
 */
export async function actOnSession(
  store: ActStore,
  session: string,
  act: SessionAct,
  ports: Pick<Ports, "clock" | "hash" | "tokens">,
): Promise<void> {
  const opensAs = await store.opensAs(session);
  if (opensAs !== "itself") throw readOnly(opensAs, session);
  const opened = await store.open(session, [CONVERSATION]);
  try {
    const before = (opened.restored?.[CONVERSATION] ?? null) as ConversationState | null;
    const own = { ...ports, log: opened, claims: opened };
    const conversation = Conversation.takeUp(opened.events, own, before);
    await perform(conversation, act);
    await conversation.sync();
  } finally {
    await opened.close();
  }
}

function readOnly(opensAs: "copy" | "sealed copy", session: string): Failure {
  const why =
    opensAs === "copy"
      ? "An imported session stays as it came. Continue it: that makes a copy of your own, in which results can be pinned, shortened and deleted."
      : "This session was begun without encryption, and new ones are sealed. Continue it: that makes a sealed copy, in which results can be pinned, shortened and deleted. To delete what it stored, delete the session.";
  return new Failure("session-read-only", why, { session });
}
