/** Sessions for other programs, on disk: whole or not at all, plain, a piece at a time, and with no secret that the log has not. */
import assert from "node:assert/strict";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { runSession } from "../../../src/agent/runSession";
import { handleOf } from "../../../src/claims/handle";
import { estimatedTokens } from "../../../src/history/tokens";
import { DOCUMENTS } from "../../../src/inspector/export/documents";
import { createScriptedModel } from "../../../src/models/scripted";
import type { DocumentFormat, DocumentWriters } from "../../../src/schema/export";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { asRaw } from "../../../src/schema/text";
import { StoreActs } from "../../../src/store/acts";
import { StoreCare } from "../../../src/store/care";
import { sha256, sha256OfBytes } from "../../../src/store/digest";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { builtinPolicy } from "../../../src/thimble/builtin";
import { tool } from "../../support/house";
import { keep, LONG } from "../../support/lifetime";
import { bytesOf } from "../../support/media";
import { clock, folderOf, hasCode, withFolder, withStore } from "../../support/storeFolder";

const HERE = "file:///work";
const WIDE = `\ufeffa byte order mark, 😀 and \0, "quoted" \\ CRLF\r\n${"é😀".repeat(60_000)}`;
const FORMATS: readonly DocumentFormat[] = ["json", "otlp", "html"];

type Options = { vault?: Vault; documents?: DocumentWriters; onStep?: (step: string) => Promise<void> };
const careOf = (root: string, { documents = DOCUMENTS, ...more }: Options = {}) =>
  StoreCare.open(root, HERE, clock, undefined, { documents, ...more });

/** A session with texts and an image, each stored and shown. */
async function sessionOf(store: Sessions, texts: readonly string[], image: Uint8Array | null = null) {
  const session = await store.create({ workspace: "work", title: "A session" });
  for (const [at, text] of texts.entries()) await keep(session, text, `t1c${at}`);
  const [first] = session.events;
  if (image !== null && first?.type === "session_started") {
    const name = await session.putBytes(image);
    const handle = handleOf(first.salt, name.sha256, sha256);
    const claim = { ...name, handle, tool: "look", class: "read", chars: 0, lines: 0 } as const;
    const media = { bytes: image.length, mediaType: "image/png" };
    await session.append({ type: "tool_result_stored", call: "t1c9", ...claim, ...media });
  }
  await session.close();
  return session.id;
}

const json = { format: "json", withContents: true } as const;
const read = async (file: string) => JSON.parse(await readFile(file, "utf8"));

test("JSON: the log as it is, and every content byte for byte, text as text and an image as base64", async () => {
  await withStore(async (store, root) => {
    const image = bytesOf("image/png", 200_001);
    const id = await sessionOf(store, [LONG, WIDE, ""], image);
    const file = path.join(path.dirname(root), "session.json");
    const told = await (await careOf(root)).export(id, file, json);
    assert.deepEqual([told.events, told.contents, told.missing], [8, 4, []]);
    if (process.platform !== "win32") assert.equal(((await stat(file)).mode & 0o777).toString(8), "600");
    const { events, contents } = await read(file);
    assert.deepEqual(events, await store.events(id));
    for (const text of [LONG, WIDE, ""]) assert.equal(contents[sha256(text)].text, text);
    const { base64, bytes } = contents[sha256OfBytes(image)];
    assert.deepEqual([Buffer.from(base64, "base64").equals(image), bytes], [true, image.length]);
    await (await careOf(root)).export(id, file, { format: "json", withContents: false });
    const named = await read(file);
    assert.deepEqual(Object.keys(named.contents).sort(), Object.keys(contents).sort());
    assert.ok(!JSON.stringify(named.contents).includes("base64"));
  });
});

test("what is missing is said in the file and told; without contents nothing is looked for", async () => {
  await withStore(async (store, root) => {
    const id = await sessionOf(store, [LONG, WIDE]);
    await rm(path.join(await folderOf(root, id), "blobs", sha256(WIDE)));
    const file = path.join(path.dirname(root), "session.json");
    const acts = new StoreActs(() => careOf(root));
    const told = await acts.export(id, file, json);
    assert.deepEqual(
      [told.ok, told.summary],
      [false, "Exported the session as JSON with its 1 stored result. 1 stored result was missing."],
    );
    const { contents } = await read(file);
    assert.deepEqual([contents[sha256(WIDE)].missing, contents[sha256(LONG)].text], ["missing", LONG]);
    for (const [format, summary] of [
      ["json", "Exported the session as JSON. 2 stored results are named, not in it."],
      ["otlp", "Exported the session as OpenTelemetry traces without messages."],
      ["html", "Exported the session as an HTML report. 2 stored results are named, not in it."],
    ] as const)
      assert.deepEqual(
        [(await acts.export(id, file, { format, withContents: false })).summary, (await stat(file)).size > 0],
        [summary, true],
      );
  });
});

test("whole or not at all: what ends at any step, or cannot be written, leaves the file that was there", async () => {
  await withStore(async (store, root) => {
    const id = await sessionOf(store, [LONG]);
    const folder = path.join(path.dirname(root), "out");
    const file = path.join(folder, "session.json");
    const care = await careOf(root);
    await assert.rejects(care.export(id, file, json), hasCode("export-failed"));
    await withFolder(async (place) => {
      const kept = path.join(place, "session.json");
      await care.export(id, kept, json);
      const before = await readFile(kept);
      for (const ending of ["read", "prove", "write", "name"]) {
        const onStep = async (step: string) => {
          if (step === ending) throw new Error("ended");
        };
        await assert.rejects((await careOf(root, { onStep })).export(id, kept, json), /ended/);
      }
      const documents = {
        ...DOCUMENTS,
        json: function* () {
          yield "half";
          throw new Error("ended");
        },
      };
      await assert.rejects((await careOf(root, { documents })).export(id, kept, json), /ended/);
      assert.deepEqual([await readdir(place), await readFile(kept)], [["session.json"], before]);
    });
  });
});

test("a large content is never one string: what is written comes in pieces", async () => {
  await withStore(async (store, root) => {
    const large = "a line of a long log 😀\n".repeat(500_000);
    const id = await sessionOf(store, [large], bytesOf("image/png", 3_000_000));
    let longest = 0;
    const documents: DocumentWriters = {
      ...DOCUMENTS,
      json: async function* (...given) {
        for await (const piece of DOCUMENTS.json(...given)) {
          longest = Math.max(longest, piece.length);
          yield piece;
        }
      },
    };
    const file = path.join(path.dirname(root), "session.json");
    await (await careOf(root, { documents })).export(id, file, json);
    assert.ok(longest < 200_000, `${longest} characters at once`);
    assert.equal((await read(file)).contents[sha256(large)].text, large);
  });
});

test("a sealed session is exported plain, with the digests of its plain contents", async () => {
  await withFolder(async (root) => {
    const kept = new Map<string, string>();
    const keys = {
      get: async (tenant: string) => kept.get(tenant),
      set: async (tenant: string, key: string) => void kept.set(tenant, key),
      delete: async (tenant: string) => void kept.delete(tenant),
    };
    const vault = new Vault({ keys, sealsNew: true });
    const store = await Sessions.open(root, HERE, clock, DEFAULT_LIMITS, vault);
    const id = await sessionOf(store, [LONG]);
    const file = path.join(root, "session.json");
    for (const withContents of [true, false]) {
      await (await careOf(root, { vault })).export(id, file, { format: "json", withContents });
      const { contents, events } = await read(file);
      assert.deepEqual(Object.keys(contents), [sha256(LONG)]);
      assert.equal(events[1].sha256, sha256(LONG));
      assert.equal(contents[sha256(LONG)].text, withContents ? LONG : undefined);
    }
    await assert.rejects((await careOf(root)).export(id, file, json), hasCode("key-missing"));
  });
});

test("no export has a secret that a tool put out, or a word of the home folder or the store's place", async () => {
  await withStore(async (store, root) => {
    const token = ["gh", "p_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"].join("");
    const password = "s3cr3t-pass!";
    const output = `token ${token}\npostgres://app:${password}@db/app\n${LONG}`;
    const replies = [{ calls: [{ name: "run", arguments: "{}" }] }, { say: "Done." }];
    const model = createScriptedModel({ name: "Scripted", conversations: [replies] }, async () => undefined);
    const { session } = await runSession(
      {
        ...{ store, session: { kind: "new", workspace: "work" }, question: `Use ${token} please` },
        configuration: { settings: DEFAULT_SETTINGS, policy: builtinPolicy(sha256), intent: null },
        ports: {
          ...{ model, tools: [tool("run", () => ({ kind: "ok", text: asRaw(output) }))] },
          approver: {
            isTrusted: () => true,
            ask: async () => ({ granted: true, by: "user", reason: "yes" }),
          },
          clock: { now: clock.now, sleep: async () => undefined },
          ...{ hash: sha256, tokens: estimatedTokens },
          watcher: { replyText: () => undefined, toolProgress: () => undefined },
        },
        watch: () => undefined,
      },
      new AbortController().signal,
    );
    const care = await careOf(root);
    for (const format of FORMATS) {
      const file = path.join(path.dirname(root), `session.${format}`);
      await care.export(session, file, { format, withContents: format !== "html" });
      const text = await readFile(file, "utf8");
      assert.match(text, /github_token/, `${format} has what the tool put out`);
      for (const word of [token, password, os.homedir(), os.tmpdir(), root])
        assert.ok(!text.includes(word), `${word} in ${format}`);
    }
  });
});
