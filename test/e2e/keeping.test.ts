// test/e2e: where and how sessions are kept, as a person meets it: sealed, without a key, in Redis, with Redis away.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { rowInTree, showRow } from "../support/inspectorRows";
import { startRedis } from "../support/redisServer";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import {
  changeSettings,
  choose,
  clearNotifications,
  notification,
  openInspector,
  startIsRefused,
  startSession,
  until,
} from "../support/session";
import { type Harness, sharedWorkbench } from "../support/workbench";

const AGREEMENT = "between the town of Sandvik";
const LOCKED = "Sealed session, key missing";
const shot = (harness: Harness, name: string) =>
  harness.screenshot(path.join(root, "out", "e2e", `${name}.png`));

const storeOf = ({ userData }: Harness) =>
  path.join(userData, "User", "globalStorage", "cloakroom.cloakroom");

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

/** The text as bytes that a search for it could meet: plain, UTF-16, base64 at each of its three alignments, hexadecimal. */
function formsOf(text: string): readonly Buffer[] {
  const bytes = Buffer.from(text);
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from(
      Buffer.concat([Buffer.alloc(shift), bytes.subarray(0, bytes.length - ((bytes.length + shift) % 3))])
        .toString("base64")
        .slice(shift === 0 ? 0 : 4),
    ),
  );
  return [bytes, Buffer.from(text, "utf16le"), Buffer.from(bytes.toString("hex")), ...base64];
}

/** Which of the texts can be found in which files or file names, in whatever form. */
function readableIn(folder: string, texts: readonly string[]): readonly string[] {
  const forms = texts.map((text) => [text, formsOf(text)] as const);
  return filesBelow(folder).flatMap((file) => {
    const bytes = Buffer.concat([Buffer.from(`${path.relative(folder, file)}\n`), readFileSync(file)]);
    return forms
      .filter(([, looks]) => looks.some((form) => bytes.includes(form)))
      .map(([text]) => `${path.basename(file)}: ${text}`);
  });
}

/** Waits until the run of the session that is shown has ended in that turn, its last. */
async function answered(frame: Frame, turn = 4): Promise<void> {
  await rowInTree(frame, new RegExp(`^Turn ${turn}\\b`));
  await rowInTree(frame, /^Run ended/);
}

async function openStored(frame: Frame): Promise<void> {
  const call = frame.getByRole("treeitem", { name: /^read_file/ }).first();
  await until("turn 1 is open", async () => {
    await showRow(frame, /^Turn 1/); // a click may meet a page that is being drawn anew
    return call.isVisible();
  });
  await showRow(frame, /^read_file/);
  const stored = frame.getByRole("treeitem", { name: /^In the store/ }).first();
  await stored.click();
  await frame.locator("#details").locator('[data-action="openStored"]').click();
}

async function storedIsShown({ page }: Harness): Promise<void> {
  await page.locator(".tab.active").filter({ hasText: ".txt" }).waitFor();
  await page.locator(".view-line").getByText(AGREEMENT).first().waitFor();
}

/** Deletes a session by its title from the palette, and resolves when that was told. */
async function deleteSession(harness: Harness, title: string): Promise<void> {
  await harness.run("Cloakroom: Delete Session…");
  await choose(harness, title);
  const dialog = harness.page.locator(".monaco-dialog-box");
  await dialog.getByText(`Delete the session “${title}”?`).waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await notification(harness, /Deleted 1 session with/);
  await clearNotifications(harness);
}

/** A changed setting counts for certain in a window that opens after it. */
async function withSettings(harness: Harness, changes: Readonly<Record<string, unknown>>): Promise<Frame> {
  await harness.run("View: Close All Editors");
  changeSettings(harness, changes);
  await harness.reload();
  return openInspector(harness);
}

suite("how sessions are kept", () => {
  const sample = sampleCopy();
  const opened = sharedWorkbench("keeping", () => ({
    workspace: sample.folder,
    settings: { "cloakroom.model": "scripted", "cloakroom.store.encryption": true },
    secretStorage: true, // as on a desktop: what is kept there is there after a reload
    viewport: { width: 1440, height: 900 },
  }));
  suiteTeardown(() => sample.remove());

  test("with encryption on nothing of a session can be read on disk; it is shown, goes on after a reload, and without its key is locked until it is deleted", async () => {
    const harness = opened();
    const { page } = harness;
    let frame = await openInspector(harness);
    await startSession(harness, SAMPLE_FACT.question);
    await answered(frame);
    const agreement = readFileSync(path.join(sample.folder, SAMPLE_FACT.file));
    const texts = [SAMPLE_FACT.question, SAMPLE_FACT.text, AGREEMENT, "418 crowns"];
    const names = [SAMPLE_FACT.file, "read_file", createHash("sha256").update(agreement).digest("hex")];
    const closed = () => {
      assert.deepEqual(readableIn(storeOf(harness), [...texts, ...names]), []);
      assert.deepEqual(readableIn(harness.userData, texts), [], "nor in VS Code's own files");
    };
    closed();
    assert.ok(readableIn(sample.folder, texts).length > 0, "the search finds what is there");
    await openStored(frame);
    await storedIsShown(harness);
    await shot(harness, "sealed");

    await harness.reload();
    frame = await harness.webview("#tree");
    await harness.run("View: Close All Editors");
    await openStored(frame);
    await storedIsShown(harness);
    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, SAMPLE_FACT.question);
    await harness.answer("Continue Session", "Is that still so?");
    await answered(frame, 6);
    texts.push("Is that still so?");
    closed();

    // The key goes: the session is locked, not lost, and no new one takes its place.
    await harness.run("View: Close All Editors");
    await page.evaluate(() => localStorage.removeItem("secrets.provider"));
    await harness.reload();
    frame = await harness.webview("#problem");
    const locked =
      /^The sessions of this workspace are sealed, and their key is not in VS Code's secret storage/;
    await frame.locator("#problem").getByText(locked).waitFor();
    await frame
      .locator("#sessions option")
      .filter({ hasText: LOCKED })
      .first()
      .waitFor({ state: "attached" });
    await startIsRefused(harness, /their key is not in VS Code's secret storage\. They stay as they are/);
    await shot(harness, "key-missing");
    await clearNotifications(harness);
    await deleteSession(harness, LOCKED);
    await frame.locator("#empty").waitFor();
    const left = filesBelow(storeOf(harness)).map((file) => path.basename(file));
    const ofTheStore = left.filter((name) => name !== "usage.log"); // a count of bytes: there once a sweep has measured
    assert.deepEqual(ofTheStore.sort(), ["erasures.jsonl", "format.json"]); // and the next one gets a new key: see below
  });

  test("going on with a plain session where new ones are encrypted says that it is a copy, and what stays", async () => {
    const harness = opened();
    let frame = await withSettings(harness, { "cloakroom.store.encryption": false });
    await startSession(harness, SAMPLE_FACT.question);
    await answered(frame);
    assert.ok(readableIn(storeOf(harness), [SAMPLE_FACT.question]).length > 0);
    frame = await withSettings(harness, { "cloakroom.store.encryption": true });
    await harness.run("Cloakroom: Continue Session…");
    await choose(harness, SAMPLE_FACT.question);
    await harness.answer("Continue Session", "Is that still so?");
    await notification(harness, /You go on in an encrypted copy of this session\. The session itself stays/);
    await answered(frame, 6);
    await frame
      .getByRole("treeitem", { name: /^Begun as a copy/ })
      .first()
      .waitFor();
    await shot(harness, "sealed-copy");
    await clearNotifications(harness);
    await deleteSession(harness, SAMPLE_FACT.question);
    assert.deepEqual(readableIn(storeOf(harness), [SAMPLE_FACT.question, SAMPLE_FACT.text, AGREEMENT]), []);
    await deleteSession(harness, `${SAMPLE_FACT.question} (fork)`);
  });

  test("stored results in Redis are read from the inspector; a server that is away is said, and hides no session", async function () {
    const redis = await startRedis();
    if (!redis) return this.skip(); // no redis-server on this machine
    const harness = opened();
    try {
      const set = { "cloakroom.store.encryption": false, "cloakroom.store.redisUrl": redis.url };
      let frame = await withSettings(harness, set);
      await startSession(harness, SAMPLE_FACT.question);
      await answered(frame);
      await openStored(frame);
      await storedIsShown(harness);
      await shot(harness, "redis");
      assert.deepEqual(
        filesBelow(storeOf(harness)).filter((file) => /\bblobs\b/.test(file)),
        [],
      );
      assert.ok(readableIn(storeOf(harness), [SAMPLE_FACT.question]).length > 0, "the log is here");
      await harness.run("View: Close All Editors");
      await redis.stop();
      await frame.locator("#details").locator('[data-action="openStored"]').click();
      const away = /The stored results are kept in Redis, and it did not answer \(.+\)\. Check the setting/;
      const told = await notification(harness, away);
      await harness.page.getByRole("button", { name: "Open Settings", exact: true }).hover(); // has slid in
      assert.deepEqual(told.buttons, ["Open Settings"]);
      await shot(harness, "redis-away");
      await clearNotifications(harness);
      await startIsRefused(harness, away);
      await clearNotifications(harness);

      frame = await withSettings(harness, { "cloakroom.store.redisUrl": "" });
      await frame.getByText(/2 results stored/).waitFor(); // the log is here: the session is shown as ever
      await harness.run("Cloakroom: Continue Session…");
      await choose(harness, SAMPLE_FACT.question);
      await harness.answer("Continue Session", "Is that still so?");
      await notification(harness, /Say which in the setting cloakroom\.store\.redisUrl/);
      await shot(harness, "redis-unset");
    } finally {
      await redis.stop();
    }
  });
});
