/** What the inspector reads of a session on disk without reading all of it: events by what is in them, windows, places of a text. */
import assert from "node:assert/strict";
import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { handleOf } from "../../../src/claims/handle";
import { mediaDescription } from "../../../src/claims/ticket";
import type { Handle } from "../../../src/schema/claim";
import type { Logged } from "../../../src/schema/event";
import { charLength, indexOfChar, lineCount } from "../../../src/schema/text";
import { sha256 } from "../../../src/store/digest";
import { FRAME_BYTES } from "../../../src/store/frames";
import { recordedIn } from "../../../src/store/recorded";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { eventWith } from "../../support/everyEvent";
import { fileKeys } from "../../support/fileKeys";
import { keep } from "../../support/lifetime";
import { bytesOf } from "../../support/media";
import {
  clock,
  create,
  filesBelow,
  folderOf,
  hasCode,
  withFolder,
  withStore,
} from "../../support/storeFolder";

const LINE_END = /\r\n|\r|\n/g;
const numbers = (events: readonly Logged[]) => events.map(({ n }) => n);

/** Both ways to keep a session. */
const eachStore = (body: (store: Sessions, root: string) => Promise<void>) =>
  withFolder(async (folder) => {
    const keys = fileKeys(path.join(folder, "keys"));
    for (const [name, vault] of [
      ["plain", undefined],
      ["sealed", new Vault({ keys, sealsNew: true })],
    ] as const) {
      const root = path.join(folder, name);
      await body(await Sessions.open(root, "file:///work", clock, DEFAULT_LIMITS, vault), root);
    }
  });

const TEXTS = ['He said "Größe\n\\n 漢字"', "ΣΊΣΥΦΟΣ and the \u001b[31mred\u001b[0m 🌊", "plain words"];

async function asking(store: Sessions): Promise<string> {
  const session = await create(store);
  for (const [at, text] of TEXTS.entries()) await session.append(eventWith("asked", { turn: at + 1, text }));
  await session.append(eventWith("requested", { turn: 12 }));
  await session.append(eventWith("pinned", { call: "t1c0" }));
  await session.append(eventWith("pinned", { call: "t1c01" }));
  await session.close();
  return session.id;
}

test("events by what is in their line, in a plain log and in a sealed one; a last line that is torn, or no event, is left out", async () => {
  await eachStore(async (store, root) => {
    const id = await asking(store);
    const about = async (...needles: string[]) => numbers(await store.eventsAbout(id, needles));
    const check = async () => {
      assert.deepEqual(await about('"turn":1,'), [1], "not turn 12");
      assert.deepEqual(await about('"t1c0"'), [5], "not t1c01");
      assert.deepEqual(await about('"turn":2,', '"type":"session_started"'), [0, 2]);
      assert.deepEqual(await about('"n":4,'), [4]);
      assert.deepEqual(await about("nothing has this"), []);
    };
    await check();
    const log = path.join(await folderOf(root, id), "log.jsonl");
    await appendFile(log, 'not an event "turn":1,\n{"n":7,"type":"asked","turn":1,"te');
    await check();
  });
});

test("events that have a text, in any case, with quotes, line ends and escapes in it, in a plain log and in a sealed one", async () => {
  await eachStore(async (store) => {
    const id = await asking(store);
    const cases: readonly [text: string, found: number[]][] = [
      ['said "größe', [1]],
      ["GRÖSSE", []], // ß has no other case here
      ["\n\\n 漢", [1]],
      ["\n\n", []],
      ["σίσυφοσ AND", [2]],
      ["Σίσ", [2]],
      ["\u001b[31mRED", [2]],
      ["🌊", [2]],
      ["PLAIN", [3]],
      ['words"', []],
    ];
    for (const [text, found] of cases) {
      const events = await store.eventsWith(id, text);
      assert.deepEqual(
        numbers(events).filter((n) => n >= 1 && n <= 3),
        found,
        JSON.stringify(text),
      );
    }
  });
});

const LINE = "🌊é\0 a line of it\r\n";
/** Numbered words around the place where one stretch of a search, of 64 frames, ends and the next begins. */
const WORDS = Array.from({ length: 60 }, (_, at) => `Word${at + 10};`);
const BEFORE_WORDS = 64 * FRAME_BYTES - 300;

/** Several stretches, with astral characters before everything. */
const LARGE = [
  LINE.repeat(Math.floor(BEFORE_WORDS / Buffer.byteLength(LINE))),
  "x".repeat(BEFORE_WORDS % Buffer.byteLength(LINE)),
  ...WORDS,
  LINE.repeat(60_000),
  "needle (a.b)* [x]-y\nand the END",
].join("");

async function storing(store: Sessions): Promise<{ id: string; handle: Handle; media: Handle }> {
  const session = await create(store);
  const handle = await keep(session, LARGE);
  const [first] = session.events;
  assert.ok(first?.type === "session_started");
  const image = bytesOf("image/png", 5000);
  const name = await session.putBytes(image);
  const media = handleOf(first.salt, name.sha256, sha256);
  const claim = { ...name, handle: media, tool: "look", class: "read", chars: 0, lines: 0 } as const;
  await session.append({ type: "tool_result_stored", call: "t1c9", ...claim, mediaType: "image/png" });
  await session.close();
  return { id: session.id, handle, media };
}

test("a window of stored content, its lines and the next place of a text in it, across frames, in characters, plain and sealed", async () => {
  await eachStore(async (store) => {
    const { id, handle } = await storing(store);
    const total = charLength(LARGE);
    const ends = [0, 1, total - 20, total, total + 9];
    for (let bytes = FRAME_BYTES; bytes < 5 * FRAME_BYTES; bytes += FRAME_BYTES) {
      const char = charLength(Buffer.from(LARGE).subarray(0, bytes).toString("utf8"));
      ends.push(char - 1, char, char + 1);
    }
    for (const offset of ends) {
      const window = await store.window(id, handle, offset, 100);
      const from = indexOfChar(LARGE, window.offset);
      assert.equal(window.text, LARGE.slice(from, from + window.text.length), `at ${offset}`);
      assert.ok(window.offset <= offset && window.offset > offset - 5);
      assert.deepEqual([window.totalChars, window.bytes], [total, Buffer.byteLength(LARGE)]);
      const before = LARGE.slice(0, from).match(LINE_END)?.length ?? 0;
      assert.deepEqual([window.line, window.lines], [before + 1, lineCount(LARGE)], `line at ${offset}`);
    }
    const last = await store.charOfLine(id, handle, lineCount(LARGE));
    assert.ok(last < total);
    assert.equal(await store.charOfLine(id, handle, lineCount(LARGE) + 9), last);
    const at = charLength(LARGE.slice(0, LARGE.indexOf("needle")));
    for (const needle of ["NEEDLE (A.B)* [X]-Y", "needle", "(a.b)*", "[x]-y\nAND"])
      assert.deepEqual(await store.find(id, handle, needle, 17), {
        offset: at + LARGE.slice(LARGE.indexOf("needle")).toLowerCase().indexOf(needle.toLowerCase()),
        chars: needle.length,
      });
    assert.deepEqual(await store.find(id, handle, "É\0 A", 18), { offset: 19, chars: 4 });
    for (const word of WORDS) {
      const offset = charLength(LARGE.slice(0, LARGE.indexOf(word)));
      assert.deepEqual(await store.find(id, handle, word.toUpperCase(), 0), { offset, chars: 7 }, word);
    }
    assert.equal(await store.find(id, handle, "needle", at + 1), null);
    assert.equal(await store.find(id, handle, "axb", 0), null);
    assert.equal(await store.find(id, handle, "end", total + 5), null);
  });
});

test("what is not text is one line that is found nowhere; what was forgotten or is unknown is said to be", async () => {
  await withStore(async (store) => {
    const { id, handle, media } = await storing(store);
    const claim = (await store.events(id)).find(
      (event) => event.type === "tool_result_stored" && event.call === "t1c9",
    );
    assert.ok(claim?.type === "tool_result_stored");
    assert.equal((await store.window(id, media, 0, 500)).text, mediaDescription(claim));
    assert.equal(await store.find(id, media, "image", 0), null);
    const unknown = `claim:${"0".repeat(32)}` as Handle;
    await assert.rejects(store.window(id, unknown, 0, 10), hasCode("blob-missing"));
    await assert.rejects(store.find(id, unknown, "x", 0), hasCode("blob-missing"));
    const session = await store.open(id);
    const sha = session.find(handle)?.sha256;
    assert.ok(sha);
    await session.append({ type: "forgotten", call: "t1c0", handle, sha256: sha });
    await session.removeForgotten();
    await session.close();
    await assert.rejects(store.window(id, handle, 0, 10), hasCode("blob-forgotten"));
    await assert.rejects(store.find(id, handle, "x", 0), hasCode("blob-forgotten"));
  });
});

test("a session is replayed with its contents: what is gone is left out, and more than may be held is refused with what helps", async () => {
  await withStore(async (store, root) => {
    const session = await create(store);
    const texts = ["a".repeat(3_000_000), "b".repeat(3_000_000)];
    for (const [at, text] of texts.entries()) await keep(session, text, `t1c${at}`);
    await session.close();
    const { contents, events } = await recordedIn(store, session.id, 6_000_000);
    assert.deepEqual([...contents.values()].sort(), texts);
    assert.equal(events.at(-1)?.type, (await store.events(session.id)).at(-1)?.type);
    await assert.rejects(recordedIn(store, session.id, 5_999_999), (cause: Error) => {
      assert.ok(hasCode("session-too-large")(cause));
      assert.match(cause.message, /are 6 MB, more than the 6 MB .* Use “cloakroom analyze” instead/);
      return true;
    });
    const blob = (await filesBelow(root)).find((file) => file.includes(sha256(texts[0] ?? "").slice(2, 20)));
    assert.ok(blob);
    await rm(blob);
    assert.deepEqual([...(await recordedIn(store, session.id)).contents.values()], [texts[1]]);
    await appendFile(path.join(await folderOf(root, session.id), "log.jsonl"), "what is no line\n");
    await assert.rejects(recordedIn(store, session.id), hasCode("log-damaged"));
  });
});
