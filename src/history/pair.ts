/**
 * Pairing: every call has exactly one result, right behind its reply, and every result a call (seed 001 §Pareamento,
 * CONFORMANCE §2). Matched by position: within one block, by id, first match wins; ids may be reused in later blocks.
 */
import type { Repair, Splice } from "../schema/event";
import type { AssistantMessage, Message, MessageCall, ToolMessage } from "../schema/message";
import type { CallProgress } from "./fold";

export type Pairing = {
  readonly messages: readonly Message[];
  readonly repairs: readonly Repair[];
  readonly splices: readonly Splice[];
};

/**
 * Invariant: pairing twice is pairing once, and a valid history comes back by reference (P1, P15).
 * `progressOf` says how far an unanswered call had come; unknown calls (imported ones) have no progress.
 * Contract: everything before the block of the message at `from` is known to be valid; it is not looked at.
 */
export function pair(
  messages: readonly Message[],
  progressOf: (call: string) => CallProgress | undefined,
  from = 0,
): Pairing {
  const repairs: Repair[] = [];
  const splices: Splice[] = [];
  for (let start = blockStart(messages, from); start < messages.length; ) {
    const end = blockEnd(messages, start);
    const insert = repairBlock(messages, start, end, progressOf, repairs);
    if (insert) splices.push({ at: start, remove: end - start, insert });
    start = end;
  }
  return { messages: splices.length === 0 ? messages : spliced(messages, splices), repairs, splices };
}

/** A copy of the history with its splices applied: they are in ascending order, and their indices are those before. */
export function spliced(messages: readonly Message[], splices: readonly Splice[]): Message[] {
  const next: Message[] = [];
  let from = 0;
  for (const { at, remove, insert } of splices) {
    for (; from < at; from++) next.push(messages[from] as Message);
    for (const item of insert) {
      const message = typeof item === "number" ? messages[item] : item;
      if (message) next.push(message);
    }
    from = at + remove;
  }
  for (; from < messages.length; from++) next.push(messages[from] as Message);
  return next;
}

/**
 * Where a history may be cut: what stands from one of these places on is valid by itself, if the whole is (P18). Each is
 * the beginning of a block: a reply, or the words before the first one.
 */
export function blockStarts(messages: readonly Message[]): readonly number[] {
  return messages.flatMap(({ role }, at) => (at === 0 || role === "assistant" ? [at] : []));
}

/** Calls of the last block that have no result yet (P12). */
export function pendingCalls(messages: readonly Message[]): readonly MessageCall[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const reply = messages[at];
  if (reply?.role !== "assistant") return [];
  const answered = new Set(
    messages.slice(at + 1).map((message) => (message.role === "tool" ? message.call : "")),
  );
  return reply.calls.filter(({ call }) => !answered.has(call));
}

/** The block that the message at `from` is in begins here. */
function blockStart(messages: readonly Message[], from: number): number {
  let start = Math.max(0, Math.min(from, messages.length));
  while (start > 0 && messages[start]?.role !== "assistant") start--;
  return start;
}

/** A block is a reply and everything up to the next reply; what stands before the first reply is one too. */
function blockEnd(messages: readonly Message[], start: number): number {
  let end = start + 1;
  while (end < messages.length && messages[end]?.role !== "assistant") end++;
  return end;
}

function repairBlock(
  messages: readonly Message[],
  start: number,
  end: number,
  progressOf: (call: string) => CallProgress | undefined,
  repairs: Repair[],
): (number | Message)[] | null {
  const first = messages[start];
  const reply = first?.role === "assistant" ? first : null;
  if (isValid(messages, start, end, reply)) return null;

  const calls = reply ? repairCalls(reply.calls, repairs) : [];
  const owners = new Owners(calls);
  const results = new Map<MessageCall, number | ToolMessage>();
  const others: number[] = [];
  let sawOther = false;
  for (let i = reply ? start + 1 : start; i < end; i++) {
    const message = messages[i];
    if (message?.role !== "tool") {
      others.push(i);
      sawOther = true;
      continue;
    }
    const owner = owners.next(message);
    if (!owner) {
      const answered = owners.has(message.id);
      repairs.push({
        kind: answered ? "result_duplicated" : "result_orphaned",
        call: message.call,
        detail: answered
          ? "A second result for one call was removed."
          : "A result without a call was removed.",
      });
      continue;
    }
    const isRenamed = owner.call.id !== message.id || owner.call.call !== message.call;
    results.set(owner.call, isRenamed ? { ...message, id: owner.call.id, call: owner.call.call } : i);
    if (sawOther) {
      repairs.push({
        kind: "result_moved",
        call: owner.call.call,
        detail: "A result was moved up to its call.",
      });
    }
  }

  const insert: (number | Message)[] = [];
  if (reply) insert.push(...repairedReply(reply, start, calls));
  for (const { call } of calls)
    insert.push(results.get(call) ?? synthetic(call, progressOf(call.call), repairs));
  insert.push(...others);
  return insert;
}

function isValid(
  messages: readonly Message[],
  start: number,
  end: number,
  reply: AssistantMessage | null,
): boolean {
  const isTool = (i: number) => messages[i]?.role === "tool";
  if (!reply) return !range(start, end).some(isTool);
  if (reply.text === "" && reply.calls.length === 0) return false;
  const ids = reply.calls.map(({ id }) => id);
  if (ids.includes("") || new Set(ids).size !== ids.length) return false;
  const waiting = new Set(ids);
  for (let i = start + 1; i < end; i++) {
    const message = messages[i];
    if (message?.role === "tool" ? !waiting.delete(message.id) : waiting.size > 0) return false;
  }
  return waiting.size === 0;
}

type RepairedCall = { readonly call: MessageCall; readonly original: MessageCall };

/** Prunes empty ids and exact copies; a reused id on a different call gets a new one, the same every time (P7, P10). */
function repairCalls(calls: readonly MessageCall[], repairs: Repair[]): RepairedCall[] {
  const kept: RepairedCall[] = [];
  const keptById = new Map<string, Set<string>>(); // what was asked under an id
  const taken = new Set(calls.map(({ id }) => id));
  for (const original of calls) {
    if (original.id === "") {
      repairs.push({
        kind: "call_without_id",
        call: original.call,
        detail: `A call of ${original.name} had no id and was removed.`,
      });
      continue;
    }
    const same = keptById.get(original.id) ?? new Set();
    const asked = JSON.stringify([original.name, original.arguments]);
    if (same.has(asked)) {
      repairs.push({
        kind: "call_duplicated",
        call: original.call,
        detail: `A second copy of one call of ${original.name} was removed.`,
      });
      continue;
    }
    keptById.set(original.id, same);
    same.add(asked);
    if (same.size === 1) {
      kept.push({ call: original, original });
      continue;
    }
    let id = `${original.id}~${same.size}`;
    while (taken.has(id)) id += "~";
    taken.add(id);
    repairs.push({
      kind: "call_renamed",
      call: original.call,
      detail: `A different call reused the id of another; it got a new one.`,
    });
    kept.push({ call: { ...original, id }, original });
  }
  return kept;
}

/** The call that a result answers: the one it names, else the first unanswered one of its id. A reply may have thousands. */
class Owners {
  readonly #byId = new Map<string, { readonly calls: RepairedCall[]; answered: number }>(); // so many at its beginning
  readonly #byName = new Map<string, RepairedCall>();
  readonly #answered = new Set<RepairedCall>();

  constructor(calls: readonly RepairedCall[]) {
    for (const owner of calls) {
      const { id } = owner.original;
      const same = this.#byId.get(id) ?? { calls: [], answered: 0 };
      same.calls.push(owner);
      this.#byId.set(id, same);
      this.#byName.set(owner.call.call, owner);
    }
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Counts as answered from now on. */
  next({ id, call }: ToolMessage): RepairedCall | undefined {
    const named = this.#byName.get(call);
    const isIts = named !== undefined && named.original.id === id && !this.#answered.has(named);
    const owner = isIts ? named : this.#firstOpen(id);
    if (owner) this.#answered.add(owner);
    return owner;
  }

  #firstOpen(id: string): RepairedCall | undefined {
    const same = this.#byId.get(id);
    if (!same) return undefined;
    const isAnswered = (owner: RepairedCall | undefined) => owner !== undefined && this.#answered.has(owner);
    while (isAnswered(same.calls[same.answered])) same.answered++;
    return same.calls[same.answered];
  }
}

/** The reply with the calls that stay; without text and calls it goes, as no provider takes an empty one. */
function repairedReply(
  reply: AssistantMessage,
  at: number,
  calls: readonly RepairedCall[],
): (number | Message)[] {
  if (calls.length === 0 && reply.text === "") return [];
  const isSame = calls.length === reply.calls.length && calls.every(({ call }, i) => call === reply.calls[i]);
  if (isSame) return [at];
  return [{ ...reply, calls: calls.map(({ call }) => call) }];
}

function synthetic(call: MessageCall, progress: CallProgress | undefined, repairs: Repair[]): ToolMessage {
  repairs.push({
    kind: "result_missing",
    call: call.call,
    detail: `${call.name} had no result: ${progressName(progress)}.`,
  });
  return {
    role: "tool",
    call: call.call,
    id: call.id,
    name: call.name,
    text: syntheticText(progress),
    isError: true,
  };
}

const progressName = (progress: CallProgress | undefined): string =>
  typeof progress === "object" ? "stored" : (progress ?? "nothing is known of it");

/** Says what the log knows, and nothing it does not (CONFORMANCE §2). */
export function syntheticText(progress: CallProgress | undefined): string {
  const next = "Do not repeat the call blindly.";
  if (typeof progress === "object" && progress.isMedia) {
    return `[interrupted: this call ran and you were not shown its result, which is not text. It is stored under handle='${progress.stored}': check the state, then repeat the call only if you need to see it.]`;
  }
  if (typeof progress === "object") {
    return `[interrupted: this call ran and you were not shown its result. It is stored whole: read handle='${progress.stored}' instead of repeating the call.]`;
  }
  switch (progress) {
    case "proposed":
    case "refused":
      return `[interrupted: this call was never started, because the session was stopped before it. Nothing was changed. ${next}]`;
    case "started":
      return `[interrupted: this call was started and its end is not known. It may have run in part: check the state first. ${next}]`;
    case "returned":
      return `[interrupted: this call ran, but its result was lost before it was stored. Check the state first. ${next}]`;
    case undefined:
      return `[interrupted: no result of this call was recorded. It may have run in part: check the state first. ${next}]`;
  }
}

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
