/** The loop: acts → pair → age → images → budget → request → reply → calls, until the model answers, somebody stops it, or it cannot go on. */

import { FETCH_RESULT } from "../claims/ticket";
import { verdictOf } from "../coverage/gate";
import { callKey } from "../history/fold";
import { imageBytesOf } from "../history/images";
import { isOverflow } from "../history/overflow";
import { pair } from "../history/pair";
import { requestText } from "../history/requestText";
import type { ReusedPrefix } from "../schema/cost";
import type { EventOf, ReplyCall } from "../schema/event";
import { Failure } from "../schema/failure";
import { type ChatRequest, type DurableRequest, Usage } from "../schema/model";
import { ActQueue } from "./actQueue";
import { age } from "./age";
import { runsUnasked } from "./authorise";
import { budget } from "./budget";
import type { Conversation } from "./conversation";
import { requestFills } from "./fills";
import { fitImages, loadImages, withImages } from "./images";
import { type Recovery, recover, tooLarge } from "./recover";
import { record, type Step } from "./step";
import { runToolCall } from "./turn";
import { untilStopped } from "./untilStopped";

export type RunEnd = { readonly end: EventOf<"run_ended">["end"]; readonly message: string };

/**
 * Asks, then runs turns. Contract: never throws. Whatever ends it, the history is valid, the log is on disk and says
 * why; only where the log itself cannot be written is that told in the returned message alone (CONFORMANCE P17).
 */
export async function runConversation(
  conversation: Conversation,
  question: string,
  signal: AbortSignal,
  acts: ActQueue = new ActQueue(),
): Promise<RunEnd> {
  let end: RunEnd;
  try {
    await repairHistory(conversation); // calls that an earlier run left open
    const { context, history } = conversation;
    const text = context.secrets.hide(question.toWellFormed()).text;
    await record(conversation, { value: text, event: { type: "asked", turn: history.turn + 1, text } });
    end = await runTurns(conversation, acts, signal);
  } catch (cause) {
    end = endOf(cause, signal);
  }
  return close(conversation, acts, end);
}

async function runTurns(conversation: Conversation, acts: ActQueue, signal: AbortSignal): Promise<RunEnd> {
  const { settings, ports } = conversation.context;
  let recovery: Recovery = 0;
  for (let turns = 0; turns < settings.maxTurns; turns++) {
    if (signal.aborted) return STOPPED;
    await acts.drain(conversation);
    await repairHistory(conversation);
    await age(conversation);
    await fitImages(conversation);
    await budget(conversation);
    const turn = conversation.history.turn + 1;
    const images = await loadImages(conversation);
    const request = await record(conversation, requested(conversation, turn));
    await conversation.sync(); // barrier: before a request leaves
    const sent = withImages(request, images);
    const replying = await acts.during(conversation, () => replied(conversation, sent, turn, signal));
    const reply = await record(conversation, replying);
    if (reply.end === "failed") {
      if (reply.error === null || !isOverflow(reply.error)) return failed(reply.error);
      const next = await recover(conversation, recovery);
      if (next === null) return { end: "failed", message: tooLarge(conversation) };
      recovery = next;
      continue;
    }
    recovery = 0;
    if (reply.end === "stopped") return STOPPED;
    if (reply.end === "answered") {
      if (await holdsBack(conversation, turns + 1 < settings.maxTurns)) continue;
      return { end: "answered", message: "" };
    }
    await acts.during(conversation, () => runCalls(conversation, withoutCopies(reply.calls), signal));
    await conversation.sync(); // barrier: the end of a turn
    await ports.claims.checkpoint();
  }
  return {
    end: "turn_limit",
    message: `Stopped after ${settings.maxTurns} turns (cloakroom.maxTurns). Continue the session to go on.`,
  };
}

/**
 * Whether the model is told, once, what it has not read of its lists before the answer counts: where the person wants
 * everything. An answer that is given all the same, or in the last turn that there is, is marked (CONFORMANCE §6, Gate).
 */
async function holdsBack(conversation: Conversation, hasTurns: boolean): Promise<boolean> {
  const { intent, claimPolicy, coverage } = conversation.context;
  const isExhaustive = intent !== null && claimPolicy !== null;
  const verdict = verdictOf(coverage().gate, isExhaustive, FETCH_RESULT);
  if (verdict.kind === "open") return false;
  const isSaid = verdict.kind === "say" && hasTurns;
  const event: EventOf<"gated"> = {
    type: "gated",
    turn: conversation.history.turn,
    verdict: isSaid ? "say" : "incomplete",
    text: isSaid ? verdict.sentence : "",
    unread: verdict.unread.map(({ handle, tool, total, inspected }) => ({ handle, tool, total, inspected })),
  };
  await record(conversation, { value: undefined, event });
  return isSaid;
}

const failed = (error: string | null): RunEnd => ({ end: "failed", message: error ?? "The model failed." });
const STOPPED: RunEnd = { end: "stopped", message: "Stopped. Continue the session to go on." };

/** A copy of a call within one reply is not run twice; pairing removes it from the history (CONFORMANCE P7). */
function withoutCopies(calls: readonly ReplyCall[]): readonly ReplyCall[] {
  const seen = new Set<string>();
  return calls.filter(({ id, name, arguments: given }) => {
    const key = JSON.stringify([id, name, given]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Each read may hold a file of 64 MB: a reply of a thousand calls must not fill the memory. */
const READS_AT_ONCE = 8;

/** Our own reads run side by side, a few at a time; a call that can change something waits for those before it, and those after wait for it. */
async function runCalls(
  conversation: Conversation,
  calls: readonly ReplyCall[],
  signal: AbortSignal,
): Promise<void> {
  const { context } = conversation;
  const isRead = ({ name }: ReplyCall) =>
    context.ports.tools.some(({ spec }) => spec.name === name && runsUnasked(spec));
  for (let i = 0; i < calls.length; ) {
    let next = i + 1;
    const first = calls[i];
    if (first && isRead(first))
      while (next < calls.length && next - i < READS_AT_ONCE && isRead(calls[next] as ReplyCall)) next++;
    const batch = calls.slice(i, next);
    signal.throwIfAborted();
    const settled = await Promise.allSettled(
      batch.map((call) => runToolCall(call, context, AbortSignal.any([signal]))),
    );
    const failed = settled.find((result) => result.status === "rejected"); // siblings have kept their results
    if (failed) throw failed.reason;
    i = next;
  }
}

function requested(conversation: Conversation, turn: number): Step<DurableRequest, "requested"> {
  const { request, context, history } = conversation;
  const imageBytes = history.hasMedia ? imageBytesOf(request.messages) : 0;
  const { chars, bytes } = conversation.sizes.of();
  const around = request.messages.length + 1; // brackets and commas
  return {
    value: request,
    event: {
      type: "requested",
      turn,
      model: context.ports.model.info.id,
      messages: request.messages.length,
      chars: chars + around,
      bytes: bytes + around,
      ...(imageBytes > 0 && { imageBytes }),
      sha256: context.ports.hash(requestText(request)),
      prefix: reusedPrefix(conversation),
      fills: requestFills(conversation),
    },
  };
}

/** What of the next request the one before it began with too. */
function reusedPrefix({ history, sizes, prefixSize }: Conversation): ReusedPrefix {
  const { at, by } = history.divergence;
  const reused = sizes.of(at);
  return {
    messages: at,
    bytes: at < 0 ? 0 : prefixSize.bytes + reused.bytes,
    tokens: at < 0 ? 0 : prefixSize.tokens + reused.tokens,
    totalTokens: prefixSize.tokens + sizes.of().tokens,
    counter: sizes.counter.name,
    by,
  };
}

/** Streams one reply. Secrets in it are hidden before it is recorded; the person watching sees it as it comes. */
async function replied(
  conversation: Conversation,
  request: ChatRequest,
  turn: number,
  signal: AbortSignal,
): Promise<Step<EventOf<"replied">, "replied">> {
  const { ports, secrets } = conversation.context;
  const started = ports.clock.now();
  const calls: ReplyCall[] = [];
  let text = "";
  let usage: Usage | null = null;
  let error: string | null = null;
  try {
    for await (const part of untilStopped(ports.model.reply(request, signal), signal)) {
      if (part.kind === "usage")
        usage = Usage.safeParse(part.usage).data ?? null; // the log takes no other
      else if (part.kind === "text") {
        text += part.text;
        ports.watcher.replyText(turn, text);
      } else {
        const call = callKey(turn, calls.length);
        calls.push({
          call,
          id: secrets.hide(part.id.toWellFormed()).text || call,
          name: secrets.hide(part.name.toWellFormed()).text,
          arguments: secrets.hideInJson(part.arguments.toWellFormed()).text,
        });
      }
    }
  } catch (cause) {
    if (!signal.aborted) error = secrets.hide(modelError(cause).toWellFormed()).text;
  }
  const end = signal.aborted
    ? "stopped"
    : error !== null
      ? "failed"
      : calls.length > 0
        ? "calls"
        : "answered";
  const event: EventOf<"replied"> = {
    type: "replied",
    turn,
    text: secrets.hide(text.toWellFormed()).text,
    calls,
    end,
    error,
    usage,
    elapsedMs: Math.max(0, Math.round(ports.clock.now() - started)),
  };
  return { value: event, event };
}

function modelError(cause: unknown): string {
  if (cause instanceof Failure) return cause.message;
  const detail = cause instanceof Error ? cause.message : String(cause);
  return `The model failed: ${detail}. Continue the session to try again, or pick another model.`;
}

/** Pairing, on the durable history. Recorded only where something was repaired. */
async function repairHistory(conversation: Conversation): Promise<void> {
  const { history } = conversation;
  const { repairs, splices } = pair(
    history.messages,
    (call) => history.pending.get(call),
    conversation.pairedTo,
  );
  if (splices.length === 0) return conversation.markPaired();
  const event: EventOf<"repaired"> = {
    type: "repaired",
    turn: history.turn,
    repairs: [...repairs],
    splices: [...splices],
  };
  await record(conversation, { value: undefined, event });
  conversation.markPaired();
}

function endOf(cause: unknown, signal: AbortSignal): RunEnd {
  if (signal.aborted && cause === signal.reason) return STOPPED;
  if (cause instanceof Failure) return { end: "failed", message: cause.message };
  const detail = cause instanceof Error ? cause.message : String(cause);
  return {
    end: "failed",
    message: `The session stopped on an unexpected error: ${detail}. Continue the session to go on.`,
  };
}

/** Every exit closes its batch and its log. What the person wanted meanwhile is done before, or said not to be. */
async function close(conversation: Conversation, acts: ActQueue, end: RunEnd): Promise<RunEnd> {
  try {
    await repairHistory(conversation);
    await acts.drain(conversation);
    const message = conversation.context.secrets.hide(end.message.toWellFormed()).text;
    const event: EventOf<"run_ended"> = {
      type: "run_ended",
      turn: conversation.history.turn,
      ...end,
      message,
    };
    await record(conversation, { value: end, event });
    await conversation.sync();
    await conversation.context.ports.claims.checkpoint();
    return end;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { end: "failed", message: end.end === "failed" ? end.message : message };
  } finally {
    acts.end();
  }
}
