/** A span while the log is read: what began, what happened in it, what it came to. */
import type { Logged } from "../../schema/event";
import { factsOf } from "./otlpFacts";
import { type Attributes, keyValues, nanos, type Span, type SpanEvent, statusOf } from "./otlpJson";

const EVENT_PREFIX = "cloakroom.";

/** What is known of a span before anything happens in it. */
export type SpanHead = Pick<Span, "traceId" | "spanId" | "name" | "kind"> & {
  readonly parentSpanId?: string;
};

export class OpenSpan {
  readonly #about: SpanHead;
  readonly #events: SpanEvent[] = [];
  #start: number | null = null;
  #last: number;
  #attributes: Attributes;
  #error: string | null = null;
  #message: string | null = null;

  /** `from`: when it would begin if nothing happened in it. */
  constructor(about: SpanHead, attributes: Attributes, from: number) {
    this.#about = about;
    this.#attributes = attributes;
    this.#last = from;
  }

  get about(): SpanHead {
    return this.#about;
  }

  /** It goes on at least until `at`; a clock that went back never turns a span round. */
  touch(at: number): void {
    this.#last = this.#start === null ? at : Math.max(this.#last, at);
    this.#start ??= at;
  }

  /** One event of the log, with its place there. */
  happened(event: Logged): void {
    this.touch(event.at);
    const facts = Object.entries({ n: event.n, origin: event.origin, ...factsOf(event) });
    this.#events.push({
      timeUnixNano: nanos(event.at),
      name: EVENT_PREFIX + event.type,
      attributes: keyValues(Object.fromEntries(facts.map(([key, value]) => [EVENT_PREFIX + key, value]))),
    });
  }

  say(attributes: Attributes): void {
    this.#attributes = { ...this.#attributes, ...attributes };
  }

  /** The first error is the one that it ended with. `type` is one of few; `message` is for people. */
  fail(type: string, message: string | null = null): void {
    if (this.#error !== null) return;
    this.#error = type;
    this.#message = message;
  }

  recover(): void {
    this.#error = null;
    this.#message = null;
  }

  closed(): Span {
    const attributes = { ...this.#attributes, "error.type": this.#error };
    return {
      ...this.#about,
      startTimeUnixNano: nanos(this.#start ?? this.#last),
      endTimeUnixNano: nanos(this.#last),
      attributes: keyValues(attributes),
      events: this.#events,
      status: statusOf(this.#error, this.#message),
    };
  }
}
