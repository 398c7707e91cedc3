/** A session as one JSON file: the log, and its contents by reference or embedded. The same log gives the same bytes. */
import type { ExportedContent, ExportedSession } from "../../schema/export";

/** In the file, so that whoever reads it knows what it is; another number where a reader of this one would fail. */
const FORMAT = "cloakroom-session/1";

/**
 * `{ format, session, events, contents }`. Events stand as they are in the log, one a line; contents by digest. Embedded
 * text is `text`, other content `base64`; what could not be had says `missing` in place of both.
 */
export async function* jsonOf(source: ExportedSession, withContents: boolean): AsyncGenerator<string> {
  yield `{\n"format": ${JSON.stringify(FORMAT)},\n"session": ${JSON.stringify(headOf(source, withContents))},\n"events": [`;
  let before = "\n";
  for (const event of source.events) {
    yield before + JSON.stringify(event);
    before = ",\n";
  }
  yield '\n],\n"contents": {';
  before = "\n";
  for (const content of source.contents) {
    yield `${before}${JSON.stringify(content.sha256)}: `;
    yield* contentOf(content, withContents ? source.pieces : null);
    before = ",\n";
  }
  yield "\n}\n}\n";
}

function headOf({ events, contents }: ExportedSession, withContents: boolean) {
  const [first] = events;
  const { session = "", title = "", workspace = "" } = first?.type === "session_started" ? first : {};
  const counts = { events: events.length, contents: contents.length };
  return { id: session, title, workspace, ...counts, embedded: withContents };
}

/** A content may be large: it is never one string here. */
async function* contentOf(
  content: ExportedContent,
  pieces: ExportedSession["pieces"] | null,
): AsyncGenerator<string> {
  const { sha256, handles, tool, chars, bytes, lines, mediaType, why } = content;
  const isText = mediaType === undefined;
  const sizes = isText ? { bytes, chars, lines } : { bytes };
  const facts = { sha256, handles, tool, mediaType: mediaType ?? "text/plain", ...sizes };
  if (why !== null || pieces === null) {
    yield JSON.stringify(why === null ? facts : { ...facts, missing: why });
    return;
  }
  yield `${JSON.stringify(facts).slice(0, -1)},"${isText ? "text" : "base64"}":"`;
  for await (const piece of pieces(content)) yield JSON.stringify(piece).slice(1, -1);
  yield '"}';
}
