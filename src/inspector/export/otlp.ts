/**
 * A session as OTLP JSON: one trace, in the form that OpenTelemetry backends take. Names are those of the GenAI semantic
 * conventions 1.41.0 (status: Development), which moved to a repository of their own afterwards: `invoke_agent` is the root,
 * below it a `chat` span for each request and an `execute_tool` span for each call. Our own facts are `cloakroom.*`, and
 * every event of the log is an event of the span that it belongs to. Messages, arguments and results are opt-in.
 */
import type { ExportedSession, ExportPorts } from "../../schema/export";
import { keyValues, type Span } from "./otlpJson";
import { Trace } from "./otlpTrace";
import { SpanContents } from "./spanContents";

const SCHEMA_URL = "https://opentelemetry.io/schemas/1.41.0";

/** Spans are written as they end, the root last: of a long session those that are open are in memory. */
export function* otlpOf(
  { events }: Pick<ExportedSession, "events">,
  withContents: boolean,
  { hash }: Pick<ExportPorts, "hash">,
): Generator<string> {
  const [first] = events;
  const { session = "", workspace } = first?.type === "session_started" ? first : {};
  const resource = {
    attributes: keyValues({ "service.name": "cloakroom", "cloakroom.workspace": workspace }),
  };
  yield `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":{"name":"cloakroom"},"spans":[`;
  let before = "\n";
  for (const span of spansOf(events, new Trace(session, hash, withContents ? new SpanContents() : null))) {
    yield before + JSON.stringify(span);
    before = ",\n";
  }
  yield `\n],"schemaUrl":${JSON.stringify(SCHEMA_URL)}}],"schemaUrl":${JSON.stringify(SCHEMA_URL)}}]}\n`;
}

function* spansOf(events: ExportedSession["events"], trace: Trace): Generator<Span> {
  for (const event of events) yield* trace.take(event);
  yield* trace.end();
}
