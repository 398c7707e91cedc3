/** A session as OTLP JSON: its shape is the proto's mapping, its spans are a tree, and every event is in it. */
import assert from "node:assert/strict";
import fc from "fast-check";
import * as z from "zod";
import { otlpOf } from "../../../../src/inspector/export/otlp";
import type { Logged } from "../../../../src/schema/event";
import { EVENT_TYPES, eventWith, everyEvent, logged } from "../../../support/everyEvent";
import { hash } from "../../../support/house";
import { richHouse } from "../../../support/inspectorHouse";

const uint64 = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,19})$/)
  .refine((text) => BigInt(text) < 2n ** 64n);
type AnyValue =
  | { stringValue: string }
  | { intValue: string }
  | { doubleValue: number }
  | { boolValue: boolean }
  | { arrayValue: { values: AnyValue[] } };
const AnyValue: z.ZodType<AnyValue> = z.lazy(() =>
  z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d{1,19}$/) }),
    z.strictObject({ doubleValue: z.number() }),
    z.strictObject({ boolValue: z.boolean() }),
    z.strictObject({ arrayValue: z.strictObject({ values: z.array(AnyValue) }) }),
  ]),
);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: AnyValue }));
const Span = z.strictObject({
  traceId: z.string().regex(/^(?!0+$)[0-9a-f]{32}$/),
  spanId: z.string().regex(/^(?!0+$)[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.int().min(1).max(5),
  startTimeUnixNano: uint64,
  endTimeUnixNano: uint64,
  attributes,
  events: z.array(z.strictObject({ timeUnixNano: uint64, name: z.string().min(1), attributes })),
  status: z.strictObject({ code: z.int().min(0).max(2).optional(), message: z.string().optional() }),
});
type Span = z.infer<typeof Span>;
/** opentelemetry-proto, ExportTraceServiceRequest in its JSON form. */
const Request = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string() }),
          spans: z.array(Span),
          schemaUrl: z.string(),
        }),
      ),
      schemaUrl: z.string(),
    }),
  ),
});

const textOf = (events: readonly Logged[], withContents = false) =>
  [...otlpOf({ events }, withContents, { hash })].join("");

/** The spans, once they were found to be a tree of one trace whose times and keys are sound. */
function spansOf(events: readonly Logged[], withContents = false): readonly Span[] {
  const request = Request.parse(JSON.parse(textOf(events, withContents)));
  const spans = request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans));
  const ids = new Set(spans.map(({ spanId }) => spanId));
  assert.equal(ids.size, spans.length, "ids are unique");
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
  assert.equal(spans.filter(({ parentSpanId }) => parentSpanId === undefined).length, 1);
  for (const span of spans) {
    const { parentSpanId, startTimeUnixNano: start, endTimeUnixNano: end } = span;
    assert.ok(parentSpanId === undefined || ids.has(parentSpanId), "parents exist");
    assert.ok(BigInt(end) >= BigInt(start), `${span.name} ends before it starts`);
    for (const { attributes: given } of [span, ...span.events])
      assert.equal(new Set(given.map(({ key }) => key)).size, given.length, "keys are unique");
  }
  return spans;
}

const plain = (value: AnyValue): unknown => {
  const [inner] = Object.values(value);
  return "arrayValue" in value ? value.arrayValue.values.map(plain) : inner;
};
const said = ({ attributes: given }: Pick<Span, "attributes">): Record<string, unknown> =>
  Object.fromEntries(given.map(({ key, value }) => [key, plain(value)]));
const named = (spans: readonly Span[], name: string): Span => {
  const span = spans.find((one) => one.name === name);
  assert.ok(span, `${name} among ${spans.map((one) => one.name).join(", ")}`);
  return span;
};
const nanosOf = ({ at }: Logged) => `${at}000000`;

test("every event of the log is an event of one span, by its name, its number and its time", () => {
  const events = everyEvent();
  const happened = spansOf(events).flatMap((span) => span.events);
  assert.equal(happened.length, events.length);
  for (const type of EVENT_TYPES)
    assert.ok(
      happened.some(({ name }) => name === `cloakroom.${type}`),
      type,
    );
  for (const event of events) {
    const [found] = happened.filter((one) => said(one)["cloakroom.n"] === String(event.n));
    assert.deepEqual([found?.name, found?.timeUnixNano], [`cloakroom.${event.type}`, nanosOf(event)]);
  }
});

test("the conventions' names: an agent, a chat for each request, a tool for each call", () => {
  const events = everyEvent();
  const spans = spansOf(events);
  const root = named(spans, "invoke_agent Cloakroom");
  assert.deepEqual(
    [root.kind, root.parentSpanId, root.startTimeUnixNano, root.endTimeUnixNano, root.status],
    [1, undefined, nanosOf(events[0] as Logged), nanosOf(events.at(-1) as Logged), {}],
  );
  assert.equal(said(root)["gen_ai.conversation.id"], "s1");
  const chat = named(spans, "chat model-1");
  const { "gen_ai.response.finish_reasons": reasons, ...facts } = said(chat);
  assert.deepEqual([chat.kind, chat.parentSpanId, reasons], [3, root.spanId, ["tool_call"]]);
  assert.deepEqual(Object.fromEntries(Object.entries(facts).filter(([key]) => key.startsWith("gen_ai."))), {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "vendor",
    "gen_ai.request.model": "model-1",
    "gen_ai.response.model": "model-1",
    "gen_ai.conversation.id": "s1",
    "gen_ai.usage.input_tokens": "1210",
    "gen_ai.usage.output_tokens": "30",
    "gen_ai.usage.cache_read.input_tokens": "800",
  });
  const tool = named(spans, "execute_tool search_text");
  const { "gen_ai.tool.name": name, "gen_ai.tool.call.id": id, "gen_ai.tool.type": type } = said(tool);
  assert.deepEqual(
    [tool.kind, tool.parentSpanId, name, id, type],
    [1, root.spanId, "search_text", "call_0", "function"],
  );
});

test("a receipt: requested, effective, actual, and the digests of both arguments", () => {
  const facts = said(named(spansOf(everyEvent()), "execute_tool search_text"));
  assert.deepEqual(
    [
      "decision",
      "requested",
      "effective",
      "actual.items",
      "actual.bytes",
      "original_args_sha256",
      "effective_args_sha256",
    ].map((key) => facts[`cloakroom.receipt.${key}`]),
    ["branch", "500", "10", "10", "5100", hash("original"), hash("effective")],
  );
});

test("what failed says how: a refused handle, a tool's code, a request without a reply, a run", async () => {
  const errors = (spans: readonly Span[]) =>
    spans.filter(({ status }) => status.code === 2).map((span) => [span.name, said(span)["error.type"]]);
  assert.deepEqual(errors(spansOf(everyEvent())), [["execute_tool fetch_result", "unknown"]]);
  const rich = errors(spansOf((await richHouse()).events));
  assert.deepEqual(rich.sort(), [
    ["execute_tool broken", "not_found"],
    ["execute_tool fetch_result", "unknown"],
    ["execute_tool run_command", "refused"],
  ]);
  const failed = eventWith("replied", { calls: [], end: "failed", error: "No quota is left." });
  const ended = eventWith("run_ended", { end: "failed" });
  const spans = spansOf(logged([eventWith("session_started"), eventWith("requested"), failed, ended]));
  assert.deepEqual(errors(spans), [
    ["chat model-1", "model-failed"],
    ["invoke_agent Cloakroom", "failed"],
  ]);
});

test("for every log that ends anywhere: a sound tree that ends with the last event, and says that it is incomplete", () => {
  const events = everyEvent();
  const asked = events.findIndex(({ type }) => type === "asked");
  const open = new Map([
    ["requested", ["chat model-1", "invoke_agent Cloakroom"]],
    [
      "replied",
      [
        "execute_tool search_text",
        "execute_tool fetch_result",
        "execute_tool fetch_result",
        "invoke_agent Cloakroom",
      ],
    ],
  ]);
  for (let length = 1; length <= events.length; length++) {
    const cut = events.slice(0, length);
    const spans = spansOf(cut);
    const last = nanosOf(cut[length - 1] as Logged);
    const root = named(spans, "invoke_agent Cloakroom");
    assert.equal(root.endTimeUnixNano, last);
    assert.equal(
      said(root)["cloakroom.incomplete"],
      length > asked && length < events.length ? true : undefined,
    );
    const names = open.get(cut[length - 1]?.type ?? "");
    const incomplete = spans.filter((span) => said(span)["cloakroom.incomplete"]);
    if (names)
      assert.deepEqual(
        incomplete.map(({ name }) => name),
        names,
      );
    if (names) assert.deepEqual(new Set(incomplete.map((span) => span.endTimeUnixNano)), new Set([last]));
  }
});

test("for every order of events and every clock the spans are sound, and no event is lost", () => {
  const events = everyEvent();
  const shuffled = fc.shuffledSubarray([...events, ...events], { minLength: 1 });
  const clock = fc.array(fc.integer({ min: -5, max: 2 ** 50 }), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(shuffled, clock, (log, times) => {
      const restamped = log.map((event, n) => ({ ...event, n, at: times[n % times.length] ?? 0 }));
      const happened = spansOf(restamped).flatMap((span) => span.events);
      assert.deepEqual(
        happened.map((one) => Number(said(one)["cloakroom.n"])).sort((a, b) => a - b),
        restamped.map(({ n }) => n),
      );
    }),
    { numRuns: 60 },
  );
});

test("ids are the session's: the same log gives the same file, a longer one keeps them, another session has others", () => {
  const events = everyEvent();
  assert.equal(textOf(events), textOf(events));
  const short = spansOf(events.slice(0, 16)).map(({ spanId }) => spanId);
  const long = new Set(spansOf(events).map(({ spanId }) => spanId));
  assert.deepEqual(
    short.filter((id) => !long.has(id)),
    [],
  );
  const other = logged([eventWith("session_started", { session: "s2" })]);
  assert.notEqual(spansOf(other)[0]?.traceId, spansOf(events)[0]?.traceId);
});

test("what people, models and tools wrote is in the file only where that is wanted", async () => {
  const { events } = await richHouse();
  const words = ["notice period", "docs/contract.md", "ninety days", "npm test", "There is no such file"];
  const without = textOf(events);
  assert.deepEqual(
    words.filter((word) => without.includes(word)),
    [],
  );
  const withThem = textOf(events, true);
  assert.deepEqual(
    words.filter((word) => !withThem.includes(word)),
    [],
  );
  const spans = spansOf(events, true);
  const chats = spans.filter(({ name }) => name.startsWith("chat")).map(said);
  const input = JSON.parse(String(chats[1]?.["gen_ai.input.messages"]));
  assert.deepEqual(
    input.map((message: { role: string; parts: { type: string }[] }) => [
      message.role,
      message.parts.map(({ type }) => type),
    ]),
    [
      ["user", ["text"]],
      ["assistant", ["text", "tool_call"]],
      ["tool", ["tool_call_response"]],
    ],
  );
  const [output] = JSON.parse(String(chats[0]?.["gen_ai.output.messages"]));
  assert.deepEqual(
    [output.role, output.finish_reason, output.parts[1].name],
    ["assistant", "tool_call", "read_file"],
  );
  const search = said(named(spans, "execute_tool search_text"));
  assert.deepEqual(JSON.parse(String(search["gen_ai.tool.call.arguments"])), { query: "tide", limit: 10 });
  assert.match(String(search["gen_ai.tool.call.result"]), /tide/);
});
