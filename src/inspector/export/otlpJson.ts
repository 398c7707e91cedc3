/** OTLP's JSON form of a trace (opentelemetry-proto 1.x, ExportTraceServiceRequest): names in camelCase, ids in hex, 64 bits as decimal strings. */

/** A fraction stays a `doubleValue` where it happens to be whole: an attribute has one type. */
export type Fraction = { readonly fraction: number };
export type Value = string | number | boolean | Fraction | readonly (string | number)[];

/** By name, in order. What is null or undefined is not said. */
export type Attributes = Readonly<Record<string, Value | null | undefined>>;

type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };
export type KeyValue = { readonly key: string; readonly value: AnyValue };

export const INTERNAL = 1;
export const CLIENT = 3;
const ERROR = 2;

export type SpanEvent = {
  readonly timeUnixNano: string;
  readonly name: string;
  readonly attributes: readonly KeyValue[];
};
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: typeof INTERNAL | typeof CLIENT;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events: readonly SpanEvent[];
  readonly status: { readonly code?: typeof ERROR; readonly message?: string };
};

/** Without an error the status is unset: only a person could say that all is well. */
export const statusOf = (error: string | null, message: string | null): Span["status"] =>
  error === null ? {} : { code: ERROR, ...(message !== null && { message: message.toWellFormed() }) };

export const keyValues = (attributes: Attributes): readonly KeyValue[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === null || value === undefined ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: Value): AnyValue {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return "fraction" in value
    ? { doubleValue: value.fraction }
    : { arrayValue: { values: value.map(anyValue) } };
}

const LAST = 2n ** 64n - 1n;

/** Unix milliseconds as nanoseconds in 64 bits without a sign: what lies before 1970 or after 2554 stands at that end. */
export function nanos(at: number): string {
  const time = BigInt(Math.max(0, at)) * 1_000_000n;
  return String(time < LAST ? time : LAST);
}
