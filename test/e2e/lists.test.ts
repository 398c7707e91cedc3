// test/e2e: a list over its limit and old results, as a person sees them: how much of the list was read, what was shortened and why.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { parseLabel } from "../../src/coverage/label";
import { showRow } from "../support/inspectorRows";
import { SAMPLE_WORD, sampleCopy } from "../support/sample";
import { calling, scriptFile } from "../support/scriptFile";
import { endedSession, openInspector, startSession } from "../support/session";
import { withWorkbench } from "../support/workbench";

test("the inspector says that a list is incomplete, which records each page had, what was shortened, and that the answer came without reading the rest", async () => {
  const sample = sampleCopy();
  const script = scriptFile();
  script.write([
    calling("search_text", { query: SAMPLE_WORD, limit: 500 }),
    calling("fetch_result", { handle: "{{next:search_text}}" }),
    ...Array.from({ length: 4 }, () => calling("list_files", { limit: 5 })),
    { say: "That is all there is." },
  ]);
  const prices = { scripted: { write: 1, read: 1, ttlSeconds: null } }; // nothing is cached: shorter is cheaper
  const settings = { ...script.settings, "cloakroom.ageing.cacheProfiles": prices };
  const viewport = { width: 1440, height: 1000 };
  const options = { workspace: sample.folder, settings, viewport };
  await withWorkbench("lists", options, async (harness) => {
    const frame = await openInspector(harness);
    await startSession(harness, "List every high water.");
    const events = await endedSession(harness);
    const pages = events.flatMap((event) =>
      event.type === "remembered" && event.shown === "page" ? [parseLabel(event.text)] : [],
    );
    const [first, second] = pages;
    assert.ok(first && second && second.first === first.last + 1 && first.total > second.last);
    await frame.locator("#summary").getByText("1 list incomplete").waitFor();
    await showRow(frame, /^Turn 7/);
    await frame.getByRole("treeitem", { name: /^Reply, lists unread/ }).click();
    await frame.getByText(`search_text: ${second.last} of ${first.total} records read`).first().waitFor();
    await showRow(frame, /^Turn 1\b/);
    await showRow(frame, /^search_text/);
    const list = frame.getByRole("treeitem", { name: /^Incomplete list/ });
    await list.getByText(`records 1–${first.last} of ${first.total}`).waitFor();
    const shortened = events.flatMap((event) => (event.type === "aged" ? event.decisions : []));
    assert.ok(shortened.some(({ call }) => call === "t1c0"));
    await frame
      .getByRole("treeitem", { name: /^Shortened/ })
      .first()
      .click();
    await frame.getByText("This model caches nothing: shorter is cheaper.").first().waitFor();
    await harness.screenshot(path.join(root, "out", "e2e", "lists-inspector.png"));
  }).finally(() => {
    script.remove();
    sample.remove();
  });
});
