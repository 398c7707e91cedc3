/** A session while it runs: its folds, its pinned configuration, its log. Everything in it can be rebuilt from the log. */
import { type ClaimPolicy, createClaimPolicy } from "../claims/policy";
import { FETCH_RESULT } from "../claims/ticket";
import { type CoverageState, coverageFold } from "../coverage/fold";
import { calibratedTokens, factorOf } from "../history/calibration";
import { FillSums, type PrefixFills, prefixFills } from "../history/fills";
import { type HistoryState, historyFold, idleSecondsAt } from "../history/fold";
import { cacheProfileOf } from "../history/promptCache";
import { RequestSizes, type Size } from "../history/sizes";
import type { Hash } from "../schema/claim";
import type { CacheProfile } from "../schema/cost";
import type { EventOf, Logged, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import type { DurableRequest } from "../schema/model";
import type { ContractCheck, Intent, OperatorExemption } from "../schema/policy";
import type { CoreSettings } from "../schema/settings";
import { byteLength, charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import { exemptionsInForce } from "../thimble/exemptions";
import { type LoadedPolicy, policyFrom } from "../thimble/policy";
import type { CallContext } from "./callContext";
import { contentOf } from "./fills";
import { idlePorts } from "./idlePorts";
import { withSafeSpecs } from "./outsideTools";
import type { Log, Ports } from "./ports";
import { Secrets } from "./secrets";
import { record } from "./step";
import { SYSTEM_PROMPT } from "./systemPrompt";

/** What the person and the settings chose. Pinned in the log; a change is a new `configured` event. */
export type Configuration = {
  readonly settings: CoreSettings;
  readonly policy: LoadedPolicy;
  readonly intent: Intent | null;
  readonly exemptions?: readonly OperatorExemption[];
  /** What making the session's policy found: of its contracts, and of the files it comes from. */
  readonly found?: Found;
  /** The policy could not be read whole: a session that has one keeps it. */
  readonly keepsPinned?: boolean;
};

export type Found = {
  readonly contractChecks: ContractCheck[];
  readonly mismatched: string[];
  readonly policyNotes: string[];
};
const NOTHING_FOUND: Found = { contractChecks: [], mismatched: [], policyNotes: [] };

/** What of the tokens is the system prompt, and what the tools. */
type PrefixSize = Size & PrefixFills;

function prefixSizeOf(prefix: string, counter: TokenCounter): PrefixSize {
  const tokens = counter.count(prefix);
  const size = { tokens, chars: charLength(prefix), bytes: byteLength(prefix) };
  return { ...size, ...prefixFills(prefix, tokens, counter) };
}

/** What a snapshot keeps of a conversation: enough to take it up without the events before. */
export type ConversationState = {
  readonly started: Logged & EventOf<"session_started">;
  readonly configured: Logged & EventOf<"configured">;
  readonly history: HistoryState;
  readonly coverage: CoverageState;
  readonly excused: readonly string[];
};

export class Conversation implements Log {
  readonly context: CallContext;
  readonly #log: Log;
  readonly #started: ConversationState["started"];
  #configured: ConversationState["configured"] | null;
  readonly #excused: Set<string>; // ids of exemptions that a call was excused by
  #history: HistoryState;
  #coverage: CoverageState;
  readonly #sizes: RequestSizes;
  readonly #fills: FillSums;
  #pairedTo = 0;
  #prefix: { readonly text: string; readonly size: PrefixSize };

  private constructor(
    context: Omit<CallContext, "hasReadOutside" | "exemptions" | "question" | "coverage">,
    log: Log,
    state: Omit<ConversationState, "configured"> & { configured: ConversationState["configured"] | null },
    exemptions: readonly OperatorExemption[],
  ) {
    this.#log = log;
    this.#started = state.started;
    this.#configured = state.configured;
    this.#history = state.history;
    this.#coverage = state.coverage;
    this.#excused = new Set(state.excused);
    this.#sizes = new RequestSizes(context.ports.tokens);
    this.#fills = new FillSums(context.ports.tokens, contentOf);
    this.#prefix = { text: "", size: { ...this.#sizes.of(), system: 0, tools: 0 } };
    const { clock } = context.ports;
    this.context = {
      ...context,
      hasReadOutside: () => this.#history.isTainted,
      exemptions: () => exemptionsInForce(exemptions, this.#excused, clock.now()),
      question: () => this.#history.question,
      coverage: () => this.#coverage,
      ports: { ...context.ports, log: this },
    };
  }

  /**
   * Takes a session up where its log ends: `events`, and what a snapshot kept of those `before`. Records the
   * configuration where it is new or differs. Throws `Failure("settings-invalid")` before anything is recorded.
   */
  static async open(
    events: readonly Logged[],
    configuration: Configuration,
    given: Ports,
    before: ConversationState | null = null,
  ): Promise<Conversation> {
    const last = lastConfigured(events, before);
    const pinning =
      configuration.keepsPinned && last ? keeping(configuration, last, given.hash) : configuration;
    const conversation = Conversation.#begin(events, pinning, given, before);
    const { turn } = conversation.history;
    if (turn > 0) await record(conversation, { value: undefined, event: { type: "resumed", turn } });
    const pinned = configured(pinning, conversation.context.ports);
    if (!last || !isSame(last, pinned)) await record(conversation, { value: undefined, event: pinned });
    return conversation;
  }

  /** The same as it was configured last, for what the person does to a session that does not run. Records nothing. */
  static takeUp(
    events: readonly Logged[],
    given: Pick<Ports, "log" | "claims" | "clock" | "hash" | "tokens">,
    before: ConversationState | null = null,
  ): Conversation {
    const last = lastConfigured(events, before);
    if (!last) throw new Failure("act-refused", "Nothing has run in this session yet. Continue it first.");
    const { settings, intent } = last;
    const pinned = { settings, intent, policy: policyFrom(last.policy, given.hash) };
    return Conversation.#begin(events, pinned, { ...given, ...idlePorts(last) }, before);
  }

  static #begin(
    events: readonly Logged[],
    { settings, policy, intent, exemptions = [], found = NOTHING_FOUND }: Configuration,
    given: Ports,
    before: ConversationState | null,
  ): Conversation {
    const started = before?.started ?? events.find((event) => event.type === "session_started");
    if (!started) throw new Failure("log-damaged", "The session log has no beginning. Start a new session.");
    const secrets = new Secrets(started.salt, given.hash);
    const ports = { ...given, tools: withSafeSpecs(given.tools, secrets) };
    const context = {
      session: started.session,
      salt: started.salt,
      settings,
      claimPolicy: claimPolicyOf(settings, ports.tools),
      policy,
      intent,
      mismatched: new Set(found.mismatched),
      secrets,
      lists: new Map(),
      ports,
    };
    const history = events.reduce(historyFold.reduce, before?.history ?? historyFold.begin());
    const coverage = events.reduce(coverageFold.reduce, before?.coverage ?? coverageFold.begin());
    const excused = [...(before?.excused ?? []), ...events.flatMap(excusedBy)];
    const state = { started, configured: lastConfigured(events, before), history, coverage, excused };
    return new Conversation(context, ports.log, state, exemptions);
  }

  /** For a snapshot. */
  get state(): ConversationState {
    if (!this.#configured) throw new Error("a conversation was taken up without a configuration");
    return {
      started: this.#started,
      configured: this.#configured,
      history: this.#history,
      coverage: this.#coverage,
      excused: [...this.#excused],
    };
  }

  get history(): HistoryState {
    return this.#history;
  }

  /** The history was paired: what is there needs no second look (`pair`, `from`). */
  get pairedTo(): number {
    return this.#pairedTo;
  }

  markPaired(): void {
    this.#pairedTo = this.#history.messages.length;
  }

  /** Of the messages of the next request. */
  get sizes(): RequestSizes {
    const { messages, divergence } = this.#history;
    this.#sizes.update(messages, divergence.at);
    return this.#sizes;
  }

  /** What fills the messages of the next request. */
  get fills(): FillSums {
    this.#fills.update(this.#history);
    return this.#fills;
  }

  /** Of the next request, before its messages: system prompt and tools. */
  get prefixSize(): PrefixSize {
    const { prefix } = this.#history;
    if (this.#prefix.text !== prefix)
      this.#prefix = { text: prefix, size: prefixSizeOf(prefix, this.#sizes.counter) };
    return this.#prefix.size;
  }

  get cacheProfile(): CacheProfile {
    const { model, overrides, contradictions } = this.#history.cache;
    return cacheProfileOf(model, overrides, contradictions);
  }

  /** Since the last request; 0 before the first. */
  get idleSeconds(): number {
    return idleSecondsAt(this.#history, this.context.ports.clock.now()) ?? 0;
  }

  /** Whether the next request would be larger than the model's window, as far as that is known. */
  get isOverflowing(): boolean {
    const { maxInputTokens } = this.context.ports.model.info;
    if (maxInputTokens === null) return false;
    const { calibration, cache } = this.#history;
    const counted = this.prefixSize.tokens + this.sizes.of().tokens;
    return calibratedTokens(counted, factorOf(calibration, cache.model)) > maxInputTokens;
  }

  /** The place of the reply whose call the result at `at` answers. */
  blockOf(at: number): number {
    let start = at;
    while (start > 0 && this.#history.messages[start]?.role !== "assistant") start--;
    return start;
  }

  /** What the conversation has of a call's result; null where it has none. */
  textOf(call: string): string | null {
    const message = this.#history.messages[this.#history.results.get(call)?.at ?? -1];
    return message?.role === "tool" ? message.text : null;
  }

  /** A call's arguments as the model wrote them; null where the conversation does not have its result. */
  argumentsOf(call: string): string | null {
    const facts = this.#history.results.get(call);
    const reply = facts && this.#history.messages[this.blockOf(facts.at)];
    if (reply?.role !== "assistant") return null;
    return reply.calls.find((candidate) => candidate.call === call)?.arguments ?? null;
  }

  /** What the next request carries, and nothing else; images by reference. */
  get request(): DurableRequest {
    return {
      system: SYSTEM_PROMPT,
      tools: this.context.ports.tools.map(({ spec }) => spec),
      messages: this.#history.messages,
    };
  }

  async append(event: SessionEvent): Promise<Logged> {
    const logged = await this.#log.append(event);
    this.#history = historyFold.reduce(this.#history, logged);
    this.#coverage = coverageFold.reduce(this.#coverage, logged);
    if (logged.type === "pruned") this.#pairedTo = 0;
    if (logged.type === "configured") this.#configured = logged;
    for (const id of excusedBy(logged)) this.#excused.add(id);
    return logged;
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }
}

const lastConfigured = (
  events: readonly Logged[],
  before: ConversationState | null,
): ConversationState["configured"] | null =>
  events.findLast((event) => event.type === "configured") ?? before?.configured ?? null;

/** Null where results are not stored. Throws `Failure("settings-invalid")` naming the setting. */
export function claimPolicyOf(
  { claimCheck }: CoreSettings,
  tools: readonly { readonly spec: { readonly name: string } }[],
): ClaimPolicy | null {
  const names = tools.map(({ spec }) => spec.name);
  return claimCheck.enabled && names.includes(FETCH_RESULT) ? createClaimPolicy(claimCheck, names) : null;
}

/** The exemption that a call was excused by. */
const excusedBy = (event: Logged): readonly string[] =>
  event.type === "clamped" && event.proposal.exemption !== null ? [event.proposal.exemption] : [];

/** The same with the policy that the session has, and what was found of it; why is told. */
function keeping(configuration: Configuration, last: EventOf<"configured">, hash: Hash): Configuration {
  const { contractChecks = [], mismatched = [] } = last;
  const policyNotes = [...(configuration.found?.policyNotes ?? []), "Kept: the policy that the session had."];
  const found = { contractChecks, mismatched, policyNotes };
  return { ...configuration, policy: policyFrom(last.policy, hash), found };
}

function configured(
  { settings, policy, intent, exemptions = [], found = NOTHING_FOUND }: Configuration,
  ports: Ports,
): EventOf<"configured"> {
  return {
    type: "configured",
    model: ports.model.info,
    system: SYSTEM_PROMPT,
    tools: ports.tools.map(({ spec }) => spec),
    settings,
    policy: policy.artifact,
    policyIdentity: policy.identity,
    intent,
    ...present({ exemptions: [...exemptions], ...found }),
  };
}

/** Empty lists are not written. */
function present<T extends Record<string, readonly unknown[]>>(lists: T): Partial<T> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>;
}

function isSame(last: Logged & EventOf<"configured">, next: EventOf<"configured">): boolean {
  const { n: _n, at: _at, origin: _origin, ...event } = last;
  return JSON.stringify(sorted(event)) === JSON.stringify(sorted(next));
}

/** Key order is not part of a configuration. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
