/** What a person does to a session, as events of its log. Whoever runs it says when (`actQueue.ts`), else `actOnSession.ts`. */
import { FETCH_RESULT } from "../claims/ticket";
import { SHORTENED_HEAD_CHARS, SHORTENED_TAIL_CHARS } from "../history/age";
import type { ResultFacts } from "../history/fold";
import type { SessionAct } from "../schema/act";
import type { Handle } from "../schema/claim";
import type { EventOf, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import { charLength } from "../schema/text";
import { agedText } from "./age";
import { type Archive, archiveOf, shortening, stored } from "./archive";
import type { Conversation } from "./conversation";
import { record } from "./step";

/**
 * Contract: no decision about the history is under way meanwhile; a pin alone needs no such place. Throws
 * `Failure("act-refused")`, whose sentence says why and what to do; then nothing of the act is on record.
 */
export async function perform(conversation: Conversation, act: SessionAct): Promise<void> {
  if (act.kind === "pin") return pin(conversation, act.call, act.isPinned);
  if (act.kind === "shorten") return shorten(conversation, act.call);
  return forget(conversation, act.handle);
}

async function pin(conversation: Conversation, call: string, isPinned: boolean): Promise<void> {
  if (resultOf(conversation, call).isPinned === isPinned) return;
  await recorded(conversation, { type: "pinned", call, isPinned });
}

/**
 * One result, now: head and tail where it is whole and long enough for that, else a line. The person's word wins over an
 * earlier one: what was pinned no longer is. Its whole is stored before.
 */
async function shorten(conversation: Conversation, call: string): Promise<void> {
  const { claimPolicy } = conversation.context;
  const facts = resultOf(conversation, call);
  const text = conversation.textOf(call) ?? "";
  if (facts.level === 2) throw refused("This result is one line already. Read it back where you need it.");
  if (isNowhereElse(facts)) throw refused(ONLY_HERE);
  if (claimPolicy === null) throw refused(NOT_STORING);
  const read = await archiveOf(conversation, facts, text);
  if (read === null) throw refused(UNREADABLE);
  const level = levelFor(conversation, facts, text, read);
  if (level === null) throw refused("This result is as short as what would stand in its place. Leave it.");
  const archive = await stored(conversation, claimPolicy, facts, read);
  if (archive === null) throw refused(UNSTORED);
  if (facts.isPinned) await recorded(conversation, { type: "pinned", call, isPinned: false });
  const after = agedText(conversation, { facts, level, text }, archive);
  const decision = { level, ...shortening(call, text, after, archive.claim) };
  const turn = conversation.history.turn + 1;
  await recorded(conversation, { type: "aged", turn, strategy: "person", decisions: [decision] });
}

type Level = EventOf<"aged">["decisions"][number]["level"];

/** The first level at which it becomes shorter. Null: none. */
function levelFor(
  conversation: Conversation,
  facts: ResultFacts,
  text: string,
  archive: Archive,
): Level | null {
  const chars = charLength(text);
  const isWhole = facts.level === 0 && facts.shown === "inline";
  const levels: Level[] = isWhole && chars > SHORTENED_HEAD_CHARS + SHORTENED_TAIL_CHARS ? [1, 2] : [2];
  const isShorter = (level: Level) =>
    charLength(agedText(conversation, { facts, level, text }, archive)) < chars;
  return levels.find(isShorter) ?? null;
}

/** Cut without being stored, or a branch's answer. */
const isNowhereElse = ({ shown }: ResultFacts): boolean => shown === "cut" || shown === "branch";

/**
 * The stored content of one handle goes from this session for good. Intent first: the event is on disk before anything
 * is deleted, and whoever opens the session next finishes what a crash interrupts. What was shown of the content stays in
 * the log and in the conversation: the head and tail of a ticket, windows that were read back, the whole of what stood
 * inline before it was shortened. Copies of the session keep theirs.
 */
async function forget(conversation: Conversation, handle: Handle): Promise<void> {
  const { claims } = conversation.context.ports;
  const claim = claims.find(handle);
  if (!claim) throw refused("This session has no stored result of that name. Check the handle.");
  if (!claim.forgotten) {
    const { sha256 } = claim;
    await recorded(conversation, { type: "forgotten", call: callOf(conversation, handle), handle, sha256 });
    await conversation.sync();
    await claims.checkpoint(); // so that the sweep, too, knows it as what is to be gone
  }
  conversation.context.lists.delete(handle);
  await claims.removeForgotten();
}

/** Whose result it is, not whose reading: the first that has it. */
function callOf({ history }: Conversation, handle: Handle): string | null {
  for (const facts of history.results.values())
    if (facts.handle === handle && facts.tool !== FETCH_RESULT) return facts.call;
  return null;
}

function resultOf({ history }: Conversation, call: string): ResultFacts {
  const facts = history.results.get(call);
  if (!facts)
    throw refused("This call has no result in the conversation. Pick one that the next request carries.");
  return facts;
}

const recorded = (conversation: Conversation, event: SessionEvent): Promise<void> =>
  record(conversation, { value: undefined, event });

const refused = (sentence: string): Failure => new Failure("act-refused", sentence);

const ONLY_HERE =
  "This result is nowhere but in the conversation, and would be lost. Run its tool again if you want less of it.";
const NOT_STORING =
  "This session stores no results, so a shortened one could not be read back. Turn on cloakroom.claimCheck.enabled, then continue the session.";
const UNREADABLE =
  "The stored result behind it cannot be read, so nothing of it is taken away. Verify stored sessions to see why.";
const UNSTORED =
  "The whole result could not be stored, so nothing of it is taken away. Free some space, then try again.";
