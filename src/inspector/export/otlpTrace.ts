/** The spans of a session: a fold of its log that hands each span over as soon as it is over. */
import { turnOfCall } from "../../history/fold";
import type { Hash } from "../../schema/claim";
import type { EventOf, Logged, ReplyCall } from "../../schema/event";
import type { ToolOrigin } from "../../schema/tool";
import { receiptFold, receiptOf } from "../../thimble/receipt";
import { OpenSpan } from "./openSpan";
import { requestedFacts } from "./otlpFacts";
import { type Attributes, CLIENT, INTERNAL, type Span } from "./otlpJson";
import {
  FINISH_REASONS,
  failureIn,
  modelName,
  providerOf,
  receiptAttributes,
  UNKNOWN_PROVIDER,
} from "./otlpNames";
import type { SpanContents } from "./spanContents";

const AGENT = "Cloakroom";

/** On a span whose end the log does not have: it ends with the last event that there is. */
const INCOMPLETE: Attributes = { "cloakroom.incomplete": true };

export class Trace {
  readonly #hash: Hash;
  readonly #contents: SpanContents | null;
  readonly #session: string;
  readonly #traceId: string;
  readonly #root: OpenSpan;
  #calls = new Map<string, OpenSpan>();
  #origins: ReadonlyMap<string, ToolOrigin> = new Map();
  #chat: { readonly span: OpenSpan; readonly turn: number; readonly model: string } | null = null;
  #provider = UNKNOWN_PROVIDER;
  #receipts = receiptFold.begin();
  #spans = 0;
  #isRunning = false;
  #lastAt = 0;

  constructor(session: string, hash: Hash, contents: SpanContents | null) {
    this.#hash = hash;
    this.#contents = contents;
    this.#session = session;
    this.#traceId = hash(`cloakroom trace\n${session}`).slice(0, 32);
    this.#root = this.#span(`invoke_agent ${AGENT}`, INTERNAL, null, {
      ...{ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": AGENT },
      "gen_ai.conversation.id": session,
    });
  }

  /** The spans that are over with this event. */
  take(event: Logged): readonly Span[] {
    this.#lastAt = Math.max(this.#lastAt, event.at);
    this.#root.touch(event.at);
    this.#contents?.take(event);
    this.#receipts = receiptFold.reduce(this.#receipts, event);
    if ("call" in event && event.type !== "pinned" && event.type !== "forgotten") return this.#onCall(event);
    switch (event.type) {
      case "requested":
        return this.#requested(event);
      case "replied":
        return this.#replied(event);
      default:
        this.#root.happened(event);
        return this.#onSession(event);
    }
  }

  /** What is left when the log is over; the root is the last. */
  end(): readonly Span[] {
    const open = [...(this.#chat ? [this.#chat.span] : []), ...this.#calls.values()];
    for (const span of open)
      if (this.#isRunning) span.touch(this.#lastAt);
      else span.fail("interrupted");
    for (const span of this.#isRunning ? [...open, this.#root] : open) span.say(INCOMPLETE);
    const calls = [...this.#calls.keys()].flatMap((call) => this.#closeCall(call, null));
    return [...(this.#chat ? [this.#chat.span.closed()] : []), ...calls, this.#root.closed()];
  }

  #onSession(event: Logged): readonly Span[] {
    switch (event.type) {
      case "configured":
        this.#configured(event);
        return [];
      case "asked":
        this.#isRunning = true;
        return [];
      case "resumed":
        return this.#interrupted();
      case "repaired":
        return event.repairs.flatMap(({ kind, call }) =>
          kind === "result_missing" && call !== null ? this.#closeCall(call, "interrupted") : [],
        );
      case "run_ended":
        this.#isRunning = false;
        this.#root.recover();
        if (event.end === "failed" || event.end === "turn_limit") this.#root.fail(event.end);
        return [];
      default:
        return [];
    }
  }

  #configured(event: EventOf<"configured">): void {
    const { model, tools, settings } = event;
    this.#provider = providerOf(model.id);
    this.#origins = new Map(tools.flatMap(({ name, origin }) => (origin ? [[name, origin]] : [])));
    this.#root.say({
      ...{ "gen_ai.provider.name": this.#provider, "gen_ai.request.model": modelName(model.id) },
      "cloakroom.limits": settings.limits.mode,
      ...this.#contents?.onConfigured(event),
    });
  }

  #requested(event: Logged & EventOf<"requested">): readonly Span[] {
    const before = this.#closeChat("interrupted");
    const { turn, model } = event;
    this.#isRunning = true;
    const { turn: _turn, ...sizes } = requestedFacts(event);
    const facts = Object.entries(sizes).map(([key, value]) => [`cloakroom.request.${key}`, value]);
    const span = this.#chatSpan(turn, model, {
      ...Object.fromEntries(facts),
      ...this.#contents?.onRequest(),
    });
    span.happened(event);
    this.#chat = { span, turn, model };
    return before;
  }

  #chatSpan(turn: number, model: string, more: Attributes): OpenSpan {
    const name = modelName(model);
    return this.#span(name === "" ? "chat" : `chat ${name}`, CLIENT, this.#root, {
      ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": this.#provider },
      ...{ "gen_ai.request.model": name || null, "gen_ai.conversation.id": this.#session },
      ...{ "cloakroom.turn": turn, ...more },
    });
  }

  /** The log has one name of a model, the one that was asked for: whoever answered is taken for that one. */
  #replied(event: Logged & EventOf<"replied">): readonly Span[] {
    const { turn, end, error, usage, calls } = event;
    const other = this.#chat !== null && this.#chat.turn !== turn ? this.#closeChat("interrupted") : [];
    const span = this.#chat?.span ?? this.#chatSpan(turn, "", {});
    span.happened(event);
    span.say({
      "gen_ai.response.model": end === "failed" || !this.#chat ? null : modelName(this.#chat.model),
      "gen_ai.response.finish_reasons": [FINISH_REASONS[end]],
      "gen_ai.usage.input_tokens": usage?.inputTokens,
      "gen_ai.usage.output_tokens": usage?.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": usage?.cachedTokens,
      ...this.#contents?.onReply(event),
    });
    if (end === "failed") span.fail("model-failed", this.#contents ? error : null);
    this.#chat = null;
    const again = calls.flatMap(({ call }) => this.#closeCall(call, "interrupted"));
    for (const call of calls) this.#proposed(call);
    return [...other, ...again, span.closed()];
  }

  #proposed(call: ReplyCall): void {
    const origin = this.#origins.get(call.name);
    const span = this.#span(`execute_tool ${call.name}`, INTERNAL, this.#root, {
      ...{ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.name },
      ...{
        "gen_ai.tool.call.id": call.id || call.call,
        "gen_ai.tool.type": origin ? "extension" : "function",
      },
      ...{ "gen_ai.conversation.id": this.#session },
      ...{ "cloakroom.call": call.call, "cloakroom.turn": turnOfCall(call.call) },
      ...{ "cloakroom.tool.server": origin?.server, "cloakroom.tool.server_version": origin?.version },
      ...this.#contents?.onProposed(call),
    });
    this.#calls.set(call.call, span);
  }

  #onCall(event: Logged & { readonly call: string }): readonly Span[] {
    const span = this.#calls.get(event.call);
    if (!span) {
      this.#root.happened(event); // of a call that no reply made, or that is over
      return [];
    }
    span.happened(event);
    const failure = failureIn(event);
    if (failure !== null) span.fail(failure);
    span.say(this.#contents?.onCall(event) ?? {});
    return event.type === "remembered" ? this.#closeCall(event.call, null) : [];
  }

  #interrupted(): readonly Span[] {
    const calls = [...this.#calls.keys()].flatMap((call) => this.#closeCall(call, "interrupted"));
    return [...this.#closeChat("interrupted"), ...calls];
  }

  #closeChat(error: string): readonly Span[] {
    const span = this.#chat?.span;
    this.#chat = null;
    if (!span) return [];
    span.fail(error);
    span.say(INCOMPLETE);
    return [span.closed()];
  }

  #closeCall(call: string, error: string | null): readonly Span[] {
    const span = this.#calls.get(call);
    if (!span) return [];
    this.#calls.delete(call);
    const receipt = receiptOf(this.#receipts, call);
    if (receipt) span.say(receiptAttributes(receipt));
    if (error !== null) {
      span.fail(error);
      span.say(INCOMPLETE);
    }
    return [span.closed()];
  }

  /** Ids come from the session and the place among its spans: the same log gives the same ones, and a longer one keeps them. */
  #span(name: string, kind: Span["kind"], parent: OpenSpan | null, attributes: Attributes): OpenSpan {
    const spanId = this.#hash(`cloakroom span\n${this.#session}\n${this.#spans++}`).slice(0, 16);
    const parentSpanId = parent?.about.spanId;
    const about = {
      traceId: this.#traceId,
      spanId,
      ...(parentSpanId !== undefined && { parentSpanId }),
      name,
      kind,
    };
    return new OpenSpan(about, attributes, this.#lastAt);
  }
}
