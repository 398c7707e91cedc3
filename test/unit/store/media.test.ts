/** C25 on a real disk: content that is not text is put, proved, copied, exported, imported and forked like text. */
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { fetchResult } from "../../../src/agent/retrieve";
import { runSession } from "../../../src/agent/runSession";
import { estimatedTokens } from "../../../src/history/tokens";
import type { ScriptReply } from "../../../src/models/script";
import type { Digest } from "../../../src/schema/claim";
import type { MediaPart } from "../../../src/schema/media";
import type { ChatModel, ChatRequest } from "../../../src/schema/model";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { blobsIn } from "../../../src/store/blobs";
import { StoreCare } from "../../../src/store/care";
import { sha256, sha256OfBytes } from "../../../src/store/digest";
import { limitsOf } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { builtinPolicy } from "../../../src/thimble/builtin";
import { assertClean, importOne, problems, verified } from "../../support/lifetime";
import { bytesOf, imagesOf, part, returning, seeing, textsOf } from "../../support/media";
import { clock, folderOf, hasCode, safe, withFolder, withStore } from "../../support/storeFolder";

const HERE = "file:///work";
const IMAGE = part("image/png", 70_000);
const PDF = part("application/pdf", 20_000);
const LOOK: ScriptReply = { calls: [{ name: "look", arguments: {} }] };

/** One run over a real store, with a model that sees; what it was sent, and the session's name. */
async function run(
  store: Sessions,
  parts: readonly MediaPart[],
  replies: readonly ScriptReply[],
  id?: string,
) {
  const requests: ChatRequest[] = [];
  const inner = seeing(replies);
  const model: ChatModel = {
    info: inner.info,
    reply: (request, signal) => {
      requests.push(request);
      return inner.reply(request, signal);
    },
  };
  const { session, end } = await runSession(
    {
      store,
      session: id === undefined ? { kind: "new", workspace: "work" } : { kind: "existing", id },
      question: "Look.",
      configuration: { settings: DEFAULT_SETTINGS, policy: builtinPolicy(sha256), intent: null },
      ports: {
        model,
        tools: [returning("look", [parts]), fetchResult],
        approver: { isTrusted: () => true, ask: async () => ({ granted: false, by: "user", reason: "no" }) },
        clock: { ...clock, sleep: async () => undefined },
        hash: sha256,
        tokens: estimatedTokens,
        watcher: { replyText: () => undefined, toolProgress: () => undefined },
      },
      watch: () => undefined,
    },
    new AbortController().signal,
  );
  assert.equal(end.end, "answered", end.message);
  return { session, requests, last: requests.at(-1) ?? assert.fail() };
}

const blobNames = async (root: string, session: string) =>
  readdir(path.join(await folderOf(root, session), "blobs"));

test("C25 any bytes come back as they were put, whatever they look like, and are proved (property)", async () => {
  const continuations = (length: number) => Buffer.alloc(length, 0x80);
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.nat(70_000).map(continuations),
    fc
      .tuple(fc.integer({ min: 16_380, max: 16_390 }), fc.nat(6))
      .map(([ascii, after]) =>
        Buffer.concat([Buffer.alloc(ascii, "a"), continuations(after), Buffer.from("é".repeat(9000))]),
      ),
  );
  await withFolder(async (folder) => {
    const blobs = blobsIn(path.join(folder, "blobs"));
    await fc.assert(
      fc.asyncProperty(content, async (bytes) => {
        const name = await blobs.putBytes(bytes);
        assert.equal(name.sha256, sha256OfBytes(bytes));
        assert.deepEqual(new Uint8Array(await blobs.readBytes(name.sha256)), new Uint8Array(bytes));
        assert.deepEqual(await blobs.putBytes(bytes), name);
      }),
      { numRuns: 150 },
    );
  });
});

test("C7 a text put as its bytes is the same file, byte for byte, under the same name", async () => {
  await withFolder(async (folder) => {
    const [texts, bytes] = ["texts", "bytes"].map((name) => path.join(folder, name)) as [string, string];
    for (const text of ["", "plain\n".repeat(9000), "é\r\n😀".repeat(9000)]) {
      const name = await blobsIn(texts).put(safe(text));
      assert.deepEqual(await blobsIn(bytes).putBytes(Buffer.from(text)), name);
      assert.deepEqual(
        await readFile(path.join(texts, name.sha256)),
        await readFile(path.join(bytes, name.sha256)),
      );
    }
  });
});

test("C25 out, in again and forked: every part byte for byte, shown again by the fork, and verify finds nothing", async () => {
  await withStore(async (store, root) => {
    const { session, last } = await run(store, [IMAGE, PDF, IMAGE], [LOOK, { say: "Seen." }]);
    assert.deepEqual(
      imagesOf(last).map(({ bytes }) => sha256OfBytes(bytes)),
      Array(2).fill(sha256OfBytes(IMAGE.bytes)),
    );
    assert.equal((await blobNames(root, session)).length, 2);
    const file = path.join(path.dirname(root), "session.zip");
    const care = await StoreCare.open(root, HERE, clock, {
      keepSessionsDays: 30,
      limits: limitsOf(2048, 64),
    });
    const exported = await care.export(session, file);
    assert.deepEqual([exported.contents, exported.missing], [2, []]);
    const imported = await importOne(care, file);
    assert.deepEqual([imported.results, imported.missing], [2, 0]);
    const forked = await care.fork(imported.session);
    await care.forgetSession(session);
    await care.forgetSession(imported.session);
    const again = await run(store, [], [LOOK, { say: "Still seen." }], forked.session);
    assert.deepEqual(new Uint8Array(imagesOf(again.last)[0]?.bytes ?? []), new Uint8Array(IMAGE.bytes));
    assert.deepEqual(textsOf(again.last)[0], textsOf(last)[0]);
    const opened = await store.open(again.session);
    assert.deepEqual(
      new Uint8Array(await opened.readBytes(sha256OfBytes(PDF.bytes))),
      new Uint8Array(PDF.bytes),
    );
    await opened.close();
    const { contents, tickets } = await assertClean(root);
    assert.deepEqual([contents, tickets], [2, 2]);
  });
});

test("C27 an altered image: verify names it, the next request has its line, and so has every one after a repair", async () => {
  await withStore(async (store, root) => {
    const { session } = await run(store, [IMAGE], [LOOK, { say: "Seen." }]);
    const [name = ""] = await blobNames(root, session);
    const file = path.join(await folderOf(root, session), "blobs", name);
    const whole = await readFile(file);
    const altered = Buffer.from(whole);
    altered[50_000] = 0;
    await writeFile(file, altered);
    assert.match(
      problems(await verified(root)).join(),
      /^stored result claim:[0-9a-f]{32} of look is corrupt$/,
    );
    const { last } = await run(store, [], [LOOK, { say: "Gone." }], session);
    assert.match(
      textsOf(last)[0] ?? "",
      /^\[Not shown: image\/png from look, 70000 bytes, .*: it can no longer be read\.\]$/,
    );
    await writeFile(file, whole);
    const later = await run(store, [], [LOOK, { say: "Still gone." }], session);
    assert.deepEqual([imagesOf(later.last), textsOf(later.last)[0]], [[], textsOf(last)[0]]);
  });
});

test("C25 what a person opens of a part is one line that says what it is; a part that is gone says so", async () => {
  await withStore(async (store, root) => {
    const { session } = await run(store, [IMAGE], [LOOK, { say: "Seen." }]);
    const stored = (await store.events(session)).find((event) => event.type === "tool_result_stored");
    assert.ok(stored?.type === "tool_result_stored");
    const digest = sha256OfBytes(bytesOf("image/png", 70_000));
    assert.equal(
      await store.content(session, stored.handle),
      `[image/png from look, 70000 bytes, digest ${digest}: it is stored whole and cannot be shown as text.]`,
    );
    await writeFile(path.join(await folderOf(root, session), "blobs", digest), "x");
    await assert.rejects(store.content(session, stored.handle), hasCode("blob-corrupt"));
  });
});

test("C21 a part over the limit of one is refused before it is written, its line says so, and the run goes on", async () => {
  await withStore(async (_store, root) => {
    const small = await Sessions.open(root, HERE, clock, limitsOf(2048, 1));
    const { session, last } = await run(small, [part("image/png", 1_100_000)], [LOOK, { say: "Seen." }]);
    assert.match(
      textsOf(last)[0] ?? "",
      /: the store could not take it \(entry-too-large\)\. It is not stored\.\]$/,
    );
    assert.deepEqual(await blobNames(root, session).catch(() => []), []);
  });
});

test("C7 the same bytes as a part and as text have one handle, and it reads as text, whichever came first", async () => {
  await withStore(async (store, root) => {
    const text = "A text that a tool returned twice.\n".repeat(300);
    const session = await store.create({ workspace: "work", title: "Both" });
    const name = await session.putBytes(Buffer.from(text));
    assert.deepEqual(await session.put(safe(text)), name);
    const claim = {
      call: "t1c0",
      handle: `claim:${"1".repeat(32)}` as never,
      tool: "look",
      class: "read" as const,
    };
    const asMedia = { chars: 0, lines: 0, mediaType: "application/octet-stream" };
    const asText = { chars: text.length, lines: 300 };
    for (const sizes of [asMedia, asText, asMedia])
      await session.append({ type: "tool_result_stored", ...name, ...claim, ...sizes });
    assert.deepEqual(
      [session.find(claim.handle)?.chars, session.find(claim.handle)?.mediaType],
      [text.length, undefined],
    );
    await session.close();
    assert.equal(await store.content(session.id, claim.handle), text);
    assert.equal(name.sha256, sha256(text) as Digest);
    await assertClean(root);
  });
});
