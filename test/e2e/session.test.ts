// test/e2e: the story of issue one, as a person lives it: a long result is stored and read back, a wide search is
// limited or only observed, the inspector shows it all, and a reload loses nothing.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { foldHistory } from "../../src/history/fold";
import type { Logged } from "../../src/schema/event";
import { receiptsFrom } from "../../src/thimble/receipt";
import { rowInTree, showRow } from "../support/inspectorRows";
import { SAMPLE_FACT, sampleCopy } from "../support/sample";
import { choose, endedSession, eventsOf, openInspector, startSession } from "../support/session";
import { type Harness, withWorkbench } from "../support/workbench";

const SETTINGS = { "cloakroom.model": "scripted", "workbench.colorTheme": "Default Dark Modern" };
const VIEWPORT = { width: 1440, height: 900 };

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Sets the limits as a person does, and returns what the session that follows recorded. */
async function sessionWithLimits(harness: Harness, label: string): Promise<readonly Logged[]> {
  await harness.run("Cloakroom: Set Result Limits…");
  await choose(harness, label);
  await harness.page.locator(".statusbar").getByText(`Result limits: ${label}`).waitFor();
  await startSession(harness, SAMPLE_FACT.question);
  return endedSession(harness);
}

suite("a session in VS Code", () => {
  test("C13 C14 C22 a result of over 90 000 characters is stored, read back, shown, and still there after a reload", async () => {
    const sample = sampleCopy();
    const agreement = readFileSync(path.join(sample.folder, SAMPLE_FACT.file), "utf8");
    const options = { workspace: sample.folder, settings: SETTINGS, viewport: VIEWPORT };
    await withWorkbench("session", options, async (harness) => {
      await openInspector(harness);
      const events = await sessionWithLimits(harness, "Enforce");

      // On disk: one stored result with its handle, and the window in the request that followed.
      const [stored] = eventsOf(events, "tool_result_stored");
      assert.ok(stored && stored.chars >= 90_000 && stored.tool === "read_file");
      assert.equal(stored.sha256, sha256(agreement));
      const ticket = eventsOf(events, "remembered")[0]?.text ?? "";
      assert.ok(ticket.includes(stored.handle) && ticket.length < 1000);
      const [redeemed] = eventsOf(events, "redeemed");
      assert.equal(redeemed?.handle, stored.handle);
      const third = events.findIndex((event) => event.type === "requested" && event.turn === 3);
      const sent = foldHistory(events.slice(0, third)).messages;
      assert.ok(sent.some((message) => message.role === "tool" && message.text.includes(SAMPLE_FACT.text)));

      // The search asked for 500 and the tool was given 10: it says so itself, and the receipt has both digests.
      const search = eventsOf(events, "clamped").find(({ tool }) => tool === "search_text");
      const receipt = receiptsFrom(events).get(search?.call ?? "");
      assert.equal(receipt?.original_args_sha256, sha256('{"query":"highWater(","limit":500}'));
      assert.equal(receipt?.effective_args_sha256, sha256('{"query":"highWater(","limit":10}'));
      assert.deepEqual([receipt?.decision, receipt?.actual?.items], ["clamp", 10]);
      const matches = eventsOf(events, "remembered").find(({ call }) => call === search?.call)?.text ?? "";
      assert.match(matches, /^\[Matches 1–10 of \d{3,}; \d+ more\. Continue with offset=10\.\]/);
      assert.match(
        matches,
        /\[limit lowered from 500 to 10 by policy; .* Continue with offset=10, limit=10\.\]$/,
      );

      // In the inspector: the sentence, the stored result, the read-back and the receipt.
      const frame = await harness.webview("#tree");
      await rowInTree(frame, /^Run ended/);
      await frame.getByText(/1 result stored/).waitFor();
      await showRow(frame, /^Turn 1/);
      await showRow(frame, /^read_file/);
      await frame
        .getByRole("treeitem", { name: /^In the store/ })
        .first()
        .waitFor();
      await showRow(frame, /^Turn 2/);
      await showRow(frame, /^fetch_result/);
      await frame
        .getByRole("treeitem", { name: /Read back/ })
        .first()
        .waitFor();
      await showRow(frame, /^Turn 3/);
      await showRow(frame, /^search_text/);
      await (await rowInTree(frame, /^Receipt.*500 → 10/)).click();
      await frame.locator("#details").getByText("cloakroom/builtin").first().waitFor();
      await harness.screenshot(path.join(root, "out", "e2e", "inspector.png"));

      // The stored content opens as a read-only document, whole.
      await (await rowInTree(frame, /^In the store/)).click();
      await frame.locator("#details").locator('[data-action="openStored"]').click();
      await harness.page.locator(".tab").filter({ hasText: ".txt" }).waitFor();
      await harness.page.locator(".view-line").getByText("between the town of Sandvik").first().waitFor();
      await harness.page.keyboard.type("x");
      await harness.page.getByText("Cloakroom only shows this: it cannot be edited.").first().waitFor();

      await harness.reload();
      const again = await harness.webview("#tree");
      await again.getByText(/1 result stored/).waitFor();
      await showRow(again, /^Turn 3/);
      await showRow(again, /^search_text/);
      await again
        .getByRole("treeitem", { name: /^Receipt.*500 → 10/ })
        .first()
        .waitFor();

      await harness.run("Cloakroom: Continue Session…");
      await choose(harness, SAMPLE_FACT.question);
      await harness.answer("Continue Session", "Is that still so?");
      const continued = await endedSession(harness, 2);
      assert.equal(eventsOf(continued, "redeemed").length, 2);
      assert.equal(eventsOf(continued, "run_ended").at(-1)?.end, "answered");
      await again.getByText("Is that still so?").first().waitFor();
    }).finally(sample.remove);
  });

  test("in observe the search runs with the 500 it asked for, and the proposal is on the receipt", async () => {
    const sample = sampleCopy();
    const options = { workspace: sample.folder, settings: SETTINGS, viewport: VIEWPORT };
    await withWorkbench("observe", options, async (harness) => {
      await openInspector(harness);
      const events = await sessionWithLimits(harness, "Observe");
      const search = eventsOf(events, "clamped").find(({ tool }) => tool === "search_text");
      const receipt = receiptsFrom(events).get(search?.call ?? "");
      assert.equal(receipt?.effective_args_sha256, receipt?.original_args_sha256);
      assert.deepEqual(
        [receipt?.decision, receipt?.reason, receipt?.actual?.items],
        ["pass", "observe_only", 500],
      );
      assert.deepEqual(receipt?.proposed_changes, [
        { path: "/limit", from: 500, to: 10, dimension: "items" },
      ]);
      const [stored] = eventsOf(events, "tool_result_stored").filter(({ call }) => call === search?.call);
      assert.ok(stored, "500 matches are over the limit of a list");

      const frame = await harness.webview("#tree");
      await rowInTree(frame, /^Run ended/);
      await showRow(frame, /^Turn 3/);
      await showRow(frame, /^search_text/);
      await frame
        .getByRole("treeitem", { name: /^Receipt.*500 → 10 proposed/ })
        .first()
        .waitFor();
    }).finally(sample.remove);
  });
});
