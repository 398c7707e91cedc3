// test/support: a whole house in memory. Tools are functions, the model a script, the log an array, the clock a counter.
import { createHash } from "node:crypto";
import { ActQueue } from "../../src/agent/actQueue";
import { type Configuration, Conversation } from "../../src/agent/conversation";
import { type RunEnd, runConversation } from "../../src/agent/loop";
import type { Approver, BlobName, Ports, Question, Verdict } from "../../src/agent/ports";
import { fetchResult } from "../../src/agent/retrieve";
import { charOfLine } from "../../src/claims/lines";
import { windowOf } from "../../src/claims/window";
import { estimatedTokens } from "../../src/history/tokens";
import type { ScriptReply } from "../../src/models/script";
import { createScriptedModel } from "../../src/models/scripted";
import type { Claim, Digest, Handle } from "../../src/schema/claim";
import type { Logged, SessionEvent } from "../../src/schema/event";
import { Failure } from "../../src/schema/failure";
import type { ChatModel, ChatRequest } from "../../src/schema/model";
import type { Intent, PolicyArtifact } from "../../src/schema/policy";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../src/schema/settings";
import { asRaw, byteLength, charLength, type SafeText } from "../../src/schema/text";
import type { TokenCounter } from "../../src/schema/tokens";
import type { Tool, ToolClass, ToolEffect, ToolOutcome } from "../../src/schema/tool";
import { claimsOf, forgottenIn } from "../../src/store/marks";
import { Search } from "../../src/store/search";
import { BUILTIN_ARTIFACT } from "../../src/thimble/builtin";
import { policyFrom } from "../../src/thimble/policy";

export const hash = (text: string) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;

export const hashOfBytes = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex") as Digest;

export type ToolBody = (
  args: string,
  signal: AbortSignal,
) => string | ToolOutcome | Promise<string | ToolOutcome>;

/** A tool out of a function: text is a success, an outcome is itself. */
export function tool(
  name: string,
  body: ToolBody,
  about: { class?: ToolClass; effect?: ToolEffect; reach?: "outside" } = {},
): Tool {
  const { effect = "read", class: toolClass = "other", reach } = about;
  const spec = { name, description: name, inputSchema: { type: "object" }, class: toolClass, effect };
  return {
    spec: { ...spec, ...(reach && { reach }) },
    ...(effect !== "read" && {
      preview: async () => ({ kind: "command" as const, command: name, folder: ".", sensitive: false }),
    }),
    run: async (args, { signal }) => {
      const outcome = await body(args, signal);
      return typeof outcome === "string" ? { kind: "ok", text: asRaw(outcome) } : outcome;
    },
  };
}

export type HouseOptions = {
  readonly replies: readonly ScriptReply[];
  readonly tools?: readonly Tool[];
  readonly settings?: Partial<CoreSettings>;
  readonly model?: ChatModel;
  readonly policy?: PolicyArtifact;
  readonly intent?: Intent;
  readonly tokens?: TokenCounter;
  readonly configuration?: Partial<Configuration>; // policy, exemptions and what was found of them
  readonly answer?: (question: Question) => Verdict | Promise<Verdict>;
  readonly isTrusted?: boolean;
  readonly putFails?: string;
  readonly salt?: string;
  readonly events?: readonly Logged[];
  readonly blobs?: Map<string, SafeText>;
  readonly media?: Map<string, Uint8Array>; // stored content that is not text
  readonly onEvent?: (event: Logged) => void;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type House = Awaited<ReturnType<typeof openHouse>>;

/** Builds a house; `ask` runs the loop once. `requests` are what the model was sent, in order. */
export async function openHouse(options: HouseOptions) {
  const events: Logged[] = [...(options.events ?? [])];
  const blobs = options.blobs ?? new Map<string, SafeText>();
  const media = options.media ?? new Map<string, Uint8Array>();
  const requests: ChatRequest[] = [];
  const questions: Question[] = [];
  let tick = 1000;
  const claimCalls: string[] = [];
  let syncs = 0;

  const append = async (event: SessionEvent): Promise<Logged> => {
    const logged: Logged = { n: events.length, at: tick++, origin: "loop", ...event };
    events.push(logged);
    options.onEvent?.(logged);
    return logged;
  };
  if (events.length === 0) {
    await append({
      type: "session_started",
      format: 1,
      session: "s1",
      tenant: "t1",
      workspace: "sample",
      title: "A session",
      salt: options.salt ?? "00112233445566778899aabbccddeeff",
    });
  }
  const claims = {
    put: async (text: SafeText) => {
      claimCalls.push("put");
      if (options.putFails) throw Object.assign(new Error(options.putFails), { code: options.putFails });
      const sha256 = hash(text);
      blobs.set(sha256, text);
      return { sha256, frames: hash(`frames of ${sha256}`), bytes: byteLength(text) };
    },
    putBytes: async (bytes: Uint8Array) => {
      claimCalls.push("putBytes");
      if (options.putFails) throw Object.assign(new Error(options.putFails), { code: options.putFails });
      const sha256 = hashOfBytes(bytes);
      media.set(sha256, bytes);
      return { sha256, frames: hash(`frames of ${sha256}`), bytes: bytes.length };
    },
    readBytes: async (sha256: Digest) => {
      claimCalls.push("readBytes");
      const bytes = media.get(sha256);
      if (bytes === undefined) throw new Failure("blob-missing", "missing", { sha256 });
      if (hashOfBytes(bytes) !== sha256) throw new Failure("blob-corrupt", "corrupt", { sha256 });
      return bytes;
    },
    read: async (sha256: Digest) => {
      claimCalls.push("read");
      const text = blobs.get(sha256);
      if (text === undefined) throw new Failure("blob-missing", "missing", { sha256 });
      if (hash(text) !== sha256) throw new Failure("blob-corrupt", "corrupt", { sha256 });
      return text;
    },
    window: async ({ sha256 }: BlobName, offset: number, maximumChars?: number) =>
      windowOf(await claims.read(sha256), offset, maximumChars),
    range: async ({ sha256 }: BlobName, from: number, to: number) => {
      claimCalls.push("range");
      return new TextEncoder().encode(await claims.read(sha256)).subarray(from, to);
    },
    charOfLine: async ({ sha256 }: BlobName, line: number) => {
      const text = await claims.read(sha256);
      return line <= 1 ? 0 : charOfLine({ text, startChar: 0, totalChars: charLength(text) }, line - 1);
    },
    search: async ({ sha256 }: BlobName, needle: string) => {
      const search = new Search(needle);
      search.feed(await claims.read(sha256), true);
      return search.result;
    },
    find: (handle: Handle): Claim | undefined => {
      claimCalls.push("find");
      return claimsOf(events).get(handle);
    },
    removeForgotten: async () => {
      for (const digest of forgottenIn(claimsOf(events).values())) {
        blobs.delete(digest);
        media.delete(digest);
      }
    },
    checkpoint: async () => undefined,
  };
  const scripted = createScriptedModel(
    { name: "Scripted", conversations: [[...options.replies]] },
    async () => undefined,
  );
  const inner = options.model ?? scripted;
  const model: ChatModel = {
    info: inner.info,
    reply: (request, signal) => {
      requests.push(copyOf(request));
      return inner.reply(request, signal);
    },
  };
  const approver: Approver = {
    isTrusted: () => options.isTrusted ?? true,
    ask: async (question) => {
      questions.push(question);
      return (await options.answer?.(question)) ?? { granted: true, by: "user", reason: "allowed once" };
    },
  };
  const ports: Ports = {
    log: {
      append,
      sync: async () => {
        syncs++;
      },
    },
    claims,
    model,
    tools: [...(options.tools ?? []), fetchResult],
    approver,
    clock: {
      now: () => tick,
      sleep: options.sleep ?? (() => new Promise((resolve) => setTimeout(resolve, 1))),
    },
    hash,
    tokens: options.tokens ?? estimatedTokens,
    watcher: { replyText: () => undefined, toolProgress: () => undefined },
  };
  const settings: CoreSettings = { ...DEFAULT_SETTINGS, ...options.settings };
  const policy = policyFrom(options.policy ?? BUILTIN_ARTIFACT, hash);
  const conversation = await Conversation.open(
    events,
    { settings, policy, intent: options.intent ?? null, ...options.configuration },
    ports,
  );
  return {
    conversation,
    events,
    blobs,
    media,
    requests,
    questions,
    /** Calls at the claims port by name, checkpoints left out. */
    claimCalls: () => [...claimCalls],
    puts: () => claimCalls.filter((name) => name === "put").length,
    syncs: () => syncs,
    ask: (
      question: string,
      signal = new AbortController().signal,
      acts: ActQueue = new ActQueue(),
    ): Promise<RunEnd> => runConversation(conversation, question, signal, acts),
    /** The session as it is when it does not run. */
    takeUp: () => Conversation.takeUp(events, ports),
    story: () => events.map(pictureOf),
    eventsOf: <T extends SessionEvent["type"]>(type: T) =>
      events.filter((event): event is Logged & Extract<SessionEvent, { type: T }> => event.type === type),
  };
}

/** A copy that later changes do not reach. The bytes of images are not copied: nobody changes them, and many are large. */
function copyOf(request: ChatRequest): ChatRequest {
  const messages = request.messages.map((message) => {
    if (message.role !== "tool" || message.images === undefined) return structuredClone(message);
    const { images, ...rest } = message;
    return { ...structuredClone(rest), images };
  });
  return { ...request, messages };
}

/** Settings with one part changed. */
export function withClaimCheck(
  change: Partial<CoreSettings["claimCheck"]>,
): Pick<CoreSettings, "claimCheck"> {
  return { claimCheck: { ...DEFAULT_SETTINGS.claimCheck, ...change } };
}

/** One event as one line: what a person wants to see of it, without digests and times. */
export function pictureOf(event: SessionEvent): string {
  switch (event.type) {
    case "session_started":
      return `session_started "${event.title}" in ${event.workspace}`;
    case "adopted":
      return `adopted ${event.claims.length} stored results of ${event.from}`;
    case "configured":
      return `configured ${event.model.id}, ${event.settings.limits.mode}, ${event.policyIdentity.name} ${event.policyIdentity.version}`;
    case "resumed":
      return `resumed after turn ${event.turn}`;
    case "asked":
      return `asked t${event.turn} "${event.text}"`;
    case "requested":
      return `requested t${event.turn} ${event.messages} messages`;
    case "replied":
      return `replied t${event.turn} ${event.end} "${event.text}"${event.calls.map((call) => ` ${call.call}:${call.name}`).join("")}`;
    case "clamped":
      return `clamped ${event.call} ${event.proposal.decision} ${event.proposal.reason}${event.proposal.changes.map((c) => ` ${c.path} ${c.from}→${c.to}`).join("")}`;
    case "authorised":
      return `authorised ${event.call} ${event.granted ? "granted" : "refused"} by ${event.by}: ${event.reason}`;
    case "executed":
      return `executed ${event.call} ${event.outcome}${event.code ? ` ${event.code}` : ""}`;
    case "redacted":
      return `redacted ${event.call} ${event.forgedMarkers} forged, ${Object.values(event.secrets).length} kinds of secret`;
    case "measured":
      return `measured ${event.call} ${event.items ?? "?"} items, ${event.chars} chars`;
    case "tool_result_stored":
      return `tool_result_stored ${event.call} ${event.tool} ${event.class} ${event.mediaType ? `${event.mediaType} ${event.bytes} bytes` : `${event.chars} chars`}`;
    case "projected":
      return `projected ${event.call} ${event.exceeded.dimension} ${event.exceeded.actual} over ${event.exceeded.limit}: ${event.records ? `${event.records.records} of ${event.records.totalRecords}` : event.reason}`;
    case "branched":
      return `branched ${event.call} ${[event.outcome, event.failure, event.completeness].filter(Boolean).join(" ")}`;
    case "remembered":
      return `remembered ${event.call} ${event.shown}${(event.media ?? []).map(({ shown }) => ` ${shown}`).join("")}`;
    case "redeemed":
      return `redeemed ${event.call} ${event.offset}+${event.chars} of ${event.totalChars}`;
    case "redemption_refused":
      return `redemption_refused ${event.call} ${event.reason}`;
    case "repaired":
      return `repaired ${event.repairs.map(({ kind, call }) => `${kind} ${call}`).join(", ")}`;
    case "aged":
      return `aged ${event.decisions.map(({ call, level }) => `${call} to level ${level}`).join(", ")}`;
    case "covered":
      return `covered ${event.call} ${event.page.first}–${event.page.last} of ${event.total}, ${event.complete}, ${event.limitedBy}`;
    case "paged":
      return `paged ${event.call} ${event.first}–${event.last} of ${event.total}`;
    case "gated":
      return `gated ${event.verdict} ${event.unread.map(({ tool, inspected, total }) => `${tool} ${inspected}/${total}`).join(", ")}`;
    case "pinned":
      return `pinned ${event.call} ${event.isPinned}`;
    case "forgotten":
      return `forgotten ${event.call}`;
    case "overflowed":
      return `overflowed ${event.step}`;
    case "pruned":
      return `pruned ${event.messages} messages`;
    case "budgeted":
      return `budgeted ${event.limit} ${event.cuts.map(({ call }) => call).join(", ")}`;
    case "media_replaced":
      return `media_replaced ${event.why} ${event.parts.map(({ call, part }) => `${call}/${part}`).join(", ")}`;
    case "recovered":
      return `recovered ${event.what}`;
    case "run_ended":
      return `run_ended ${event.end}`;
  }
}
