/** A session as one JSON file: the log as it is, contents by reference or embedded. */
import assert from "node:assert/strict";
import { jsonOf } from "../../../../src/inspector/export/json";
import type { Handle } from "../../../../src/schema/claim";
import type { ExportedContent, ExportedSession } from "../../../../src/schema/export";
import { EVENT_TYPES, everyEvent } from "../../../support/everyEvent";
import { hash } from "../../../support/house";

const handles = [`claim:${"a".repeat(32)}` as Handle];
const sizes = { chars: 5, bytes: 9, lines: 1 };
const text: ExportedContent = { sha256: hash("text"), handles, tool: "read_file", ...sizes, why: null };
const image: ExportedContent = { ...text, sha256: hash("image"), mediaType: "image/png" };
const lost: ExportedContent = { ...text, sha256: hash("lost"), why: "corrupt" };

const source = (contents: readonly ExportedContent[] = [text, image, lost]): ExportedSession => ({
  events: everyEvent(),
  contents,
  pieces: async function* ({ mediaType }) {
    if (mediaType !== undefined) return yield* ["iVBO", "Rw=="];
    yield* ['a "quoted" \\', "\0\u2028\n", "😀"];
  },
});

async function read(from: ExportedSession, withContents: boolean) {
  let file = "";
  for await (const piece of jsonOf(from, withContents)) file += piece;
  return JSON.parse(file);
}

test("every event of the log is in the JSON as it is in the log", async () => {
  const { format, session, events } = await read(source(), false);
  assert.deepEqual(new Set(everyEvent().map(({ type }) => type)), new Set(EVENT_TYPES));
  assert.deepEqual(events, JSON.parse(JSON.stringify(everyEvent())));
  assert.equal(format, "cloakroom-session/1");
  assert.deepEqual(session, {
    ...{ id: "s1", title: "The whole vocabulary", workspace: "harbour log" },
    ...{ events: events.length, contents: 3, embedded: false },
  });
});

test("contents are named by digest, handles, size and media type; embedded only where that is wanted", async () => {
  const named = await read(source(), false);
  assert.deepEqual(named.contents[text.sha256], {
    ...{ sha256: text.sha256, handles, tool: "read_file", mediaType: "text/plain" },
    ...{ bytes: 9, chars: 5, lines: 1 },
  });
  const { contents } = await read(source(), true);
  assert.equal(contents[text.sha256].text, 'a "quoted" \\\0\u2028\n😀');
  assert.deepEqual(contents[image.sha256], {
    ...{ sha256: image.sha256, handles, tool: "read_file", mediaType: "image/png", bytes: 9 },
    base64: "iVBORw==",
  });
  assert.equal(contents[lost.sha256].missing, "corrupt");
  assert.ok(!("text" in contents[lost.sha256]));
});

test("a session without contents, and a log without a beginning, are JSON too", async () => {
  assert.deepEqual((await read(source([]), true)).contents, {});
  const { session, events } = await read({ ...source([]), events: [] }, false);
  assert.deepEqual([session.id, events], ["", []]);
});
