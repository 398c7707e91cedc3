/** From a file to a session of the workspace: listed, shown, read back, verified, forked and gone on with; all or nothing. */
import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { inspectorFold, projectSession, settle, viewOf } from "../../../src/inspector/project";
import { reportOf } from "../../../src/inspector/report";
import { Failure } from "../../../src/schema/failure";
import { StoreActs } from "../../../src/store/acts";
import { DEFAULT_STORE_SETTINGS, StoreCare } from "../../../src/store/care";
import { limitsOf } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import { runCli } from "../../support/cliProcess";
import { clock, filesBelow, hasCode, withFolder } from "../../support/storeFolder";
import { linesOf, transcriptPorts } from "../../support/transcripts";

const HERE = "file:///work";
const ESC = "\u001b]52;c;aGk=\u0007";
const LONG = `first line\n${"A clause of a contract. ".repeat(400)}NUL \0 and the end.`;
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUg==", "base64");

const said = (role: string, content: unknown) => ({
  type: role,
  sessionId: "theirs",
  uuid: "u",
  cwd: "/home/me/tug",
  timestamp: "2026-01-02T03:04:05Z",
  message: { id: JSON.stringify(content), role, model: "their-model", content },
});
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const use = (id: string) => ({ type: "tool_use", id, name: "Read", input: { path: id } });

const TRANSCRIPT = linesOf(
  said("user", "Read both."),
  said("assistant", [use("a"), use("b"), use("open")]),
  said("user", [
    result("a", LONG),
    result("b", [
      { type: "image", source: { type: "base64", media_type: "image/png", data: PNG.toString("base64") } },
    ]),
  ]),
  said("assistant", [{ type: "text", text: `Both are read.${ESC}` }]),
  "torn",
);

const readTranscripts = (file: string) => readTranscript(file, transcriptPorts);
const careOf = (store: string, settings = DEFAULT_STORE_SETTINGS, onStep?: (step: string) => void) =>
  StoreCare.open(store, HERE, clock, settings, { readTranscripts, ...(onStep && { onStep }) });

async function withTranscript(
  text: string,
  body: (file: string, store: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = path.join(folder, "some file");
    await writeFile(file, text);
    await body(file, path.join(folder, "store"));
  });
}

test("an imported transcript has its turns and calls in the inspector, and long results are stored and read back", () =>
  withTranscript(TRANSCRIPT, async (file, store) => {
    const acts = new StoreActs(() => careOf(store));
    const told = await acts.import(file);
    assert.equal(told.summary, "Imported “Read both.” with its 2 stored results. Going on with it forks it.");
    assert.deepEqual(told.lines.slice(1), [
      `${told.session}: a transcript of Claude Code`,
      `${told.session}: 1 line(s) were no JSON, and not read`,
      `${told.session}: 1 call(s) without a result`,
    ]);
    const sessions = await Sessions.open(store, HERE, clock);
    const events = await sessions.events(told.session ?? "");
    assert.ok(events.slice(2).every(({ origin }) => origin === "import"));
    const view = projectSession(events);
    assert.ok(view);
    assert.deepEqual(
      viewOf(settle(events.reduce(inspectorFold.reduce, inspectorFold.begin())))?.turns.map(
        ({ turn, asked, reply, calls }) => [
          turn,
          asked,
          reply?.text,
          calls.map(({ call, state }) => `${call} ${state}`),
        ],
      ),
      [
        [1, "Read both.", "", ["t1c0 done", "t1c1 done", "t1c2 interrupted"]],
        [2, null, `Both are read.${ESC}`, []],
      ],
    );
    assert.equal(view.model, "their-model");
    assert.match(
      reportOf(view).join("\n"),
      /Imported from a transcript of Claude Code\.[\s\S]*1 line\(s\) were no JSON/,
    );
    const stored = view.turns[0]?.calls[0]?.stored;
    assert.equal(stored?.chars, LONG.length);

    const verified = await (await careOf(store)).verify();
    assert.deepEqual(verified.findings, []);
    assert.equal(verified.contents, 2);

    const forked = await (await careOf(store)).fork(told.session ?? "");
    const session = await sessions.open(forked.session);
    const adopted = session.events.find(({ type }) => type === "adopted");
    assert.ok(adopted?.type === "adopted");
    const claim = adopted.claims.find(({ handle }) => handle === stored?.handle);
    assert.ok(claim);
    const { text } = await session.window(claim, 0, 20_000);
    assert.equal(text, LONG.slice(0, text.length));
    await session.close();
  }));

test("a transcript whose sessions do not all fit leaves none of them, and a hostile file nothing", () =>
  withTranscript(
    JSON.stringify(
      [1, 2].map((n) => ({
        task_id: n,
        traj: [
          { role: "user", content: "x" },
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "c", function: { name: "read", arguments: "{}" } }],
          },
          { role: "tool", tool_call_id: "c", content: `${n}${"0123456789".repeat(60_000)}` },
        ],
      })),
    ),
    async (file, store) => {
      const small = { ...DEFAULT_STORE_SETTINGS, limits: limitsOf(1, 64) };
      await assert.rejects((await careOf(store, small)).import(file), hasCode("store-full"));
      const sessions = await Sessions.open(store, HERE, clock);
      assert.deepEqual(await sessions.list(), []);
      await writeFile(file, "no transcript");
      await assert.rejects(
        (await careOf(store)).import(file),
        (cause: unknown) => cause instanceof Failure && /Choose a session file/.test(cause.message),
      );
      assert.deepEqual(await sessions.list(), []);
      const left = (await filesBelow(store)).filter((name) => /log\.jsonl|blobs/.test(name));
      assert.deepEqual(left, []);
    },
  ));

test("a result larger than may be stored is missing and told, the session is there", () =>
  withTranscript(
    linesOf(
      said("user", "x"),
      said("assistant", [use("a")]),
      said("user", [result("a", "0123456789".repeat(200_000))]),
    ),
    async (file, store) => {
      const small = { ...DEFAULT_STORE_SETTINGS, limits: limitsOf(64, 1) };
      const told = await new StoreActs(() => careOf(store, small)).import(file);
      assert.equal(told.ok, false);
      assert.match(told.summary, /1 stored result was missing/);
    },
  ));

test("killed at any step of an import: no half session in the list", () =>
  withTranscript(TRANSCRIPT, async (file, store) => {
    for (const step of ["open", "copy", "log", "name"]) {
      const care = await careOf(store, undefined, (at) => {
        if (at === step) throw new Error("killed");
      });
      await assert.rejects(care.import(file), /killed/);
      const [tenant] = await readdir(path.join(store, "tenants")).catch(() => []);
      const left = tenant
        ? await readdir(path.join(store, "tenants", tenant, "sessions")).catch(() => [])
        : [];
      assert.deepEqual(left, [], step);
    }
  }));

test("cli: import detects a transcript by its content, show prints it, and going on with it forks it", () =>
  withTranscript(TRANSCRIPT, async (file, store) => {
    const cloakroom = (...words: string[]) =>
      runCli([...words, "--workspace", path.dirname(file), "--store", store]);
    const imported = await cloakroom("import", file);
    assert.equal(imported.code, 0, imported.err);
    assert.match(imported.err, /1 line\(s\) were no JSON/);
    const session = imported.out.trim().split("\n").at(-1) ?? "";
    const shown = await cloakroom("show", session);
    assert.match(shown.out, /Read both\. \(imported\)/);
    assert.match(shown.out, /Both are read\.\\x1b\]52;c;aGk=\\x07/);

    const script = path.join(path.dirname(file), "script.json");
    await writeFile(script, JSON.stringify({ name: "Script", conversations: [[{ say: "I go on." }]] }));
    const ran = await cloakroom("run", "--script", script, "--session", session, "--question", "And?");
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.out, /Turn 3:[\s\S]*And\?[\s\S]*I go on\./);
    assert.notEqual(/^(\S+):/.exec(ran.out)?.[1], session);
    const again = await cloakroom("show", session);
    assert.equal(again.out, shown.out);
    const verified = await cloakroom("verify");
    assert.equal(verified.code, 0, verified.err);
    const replayed = await cloakroom("replay", session);
    assert.ok(replayed.code < 2 && !/at .*\.ts:/.test(replayed.err), replayed.err);
    const missing = await cloakroom("import", path.join(path.dirname(file), "not there"));
    assert.equal(missing.code, 1);
    assert.match(missing.err, /there is no such file/);
  }));
