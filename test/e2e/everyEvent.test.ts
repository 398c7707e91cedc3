// test/e2e: nothing of a log is out of reach in the inspector: of every kind of event there is a row that has it, by its number and as it stands.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import type { EventType } from "../../src/schema/event";
import { EVENT_TYPES, everyEvent, logged } from "../support/everyEvent";
import { selectRow, showRow } from "../support/inspectorRows";
import { sampleCopy } from "../support/sample";
import { chooseFile, notification, openInspector, sessionLogs } from "../support/session";
import { writeArchive } from "../support/sessionArchive";
import { withWorkbench } from "../support/workbench";

/** The row below the session's that has the event. A kind of event that is missing is a compile error. */
const ROWS = {
  session_started: "",
  adopted: "",
  recovered: "",
  configured: "",
  resumed: "/t1/note0",
  asked: "/t1/asked",
  pruned: "/t1/note1",
  overflowed: "/t1/recovery0",
  requested: "/t1/request",
  replied: "/t1/reply",
  clamped: "/t1/t1c0/receipt",
  authorised: "/t1/t1c0/permission",
  executed: "/t1/t1c0/receipt",
  redacted: "/t1/t1c0/changes",
  measured: "/t1/t1c0/receipt",
  tool_result_stored: "/t1/t1c0/stored",
  projected: "/t1/t1c0/response",
  branched: "/t1/t1c0/response",
  covered: "/t1/t1c0/page",
  remembered: "/t1/t1c0/result",
  redeemed: "/t1/t1c1/result",
  paged: "/t1/t1c1/page",
  redemption_refused: "/t1/t1c2/refusal",
  media_replaced: "/t1/t1c0",
  pinned: "/t1/t1c0",
  forgotten: "/t1/t1c0/stored",
  repaired: "/t2/repair0",
  aged: "/t1/t1c0/shortened0",
  budgeted: "/t1/t1c1/shortened0",
  gated: "/t2/note0",
  run_ended: "/t2/end",
} satisfies Record<EventType, string>;

/** More of an event than this is not shown. */
const SHOWN_CHARS = 8000;

test("every event of a log is reached from a row of the inspector, with its number and its own words", async () => {
  const sample = sampleCopy();
  const archive = path.join(path.dirname(sample.folder), "every.zip");
  // A session that is taken up again has had a turn.
  const events = everyEvent().map((event) => (event.type === "resumed" ? { ...event, turn: 1 } : event));
  await writeArchive(archive, logged(events));
  const options = { workspace: sample.folder, viewport: { width: 1440, height: 900 } };
  await withWorkbench("every event", options, async (harness) => {
    const frame = await openInspector(harness);
    await harness.run("Cloakroom: Import Sessions…");
    await chooseFile(harness, "Import Sessions", archive);
    await notification(harness, /Imported/);
    await harness.run("Notifications: Clear All Notifications");
    const kept = sessionLogs(harness.userData)[0]?.events ?? [];
    const [first] = kept;
    assert.ok(first?.type === "session_started");
    const keyOf = (type: EventType) => `${first.session}${ROWS[type]}`;
    for (const call of ["/t1", "/t1/t1c0", "/t1/t1c1", "/t1/t1c2"])
      await showRow(frame, `${first.session}${call}`);
    await harness.screenshot(path.join(root, "out", "e2e", "every-event.png"));
    let shown = "";
    for (const type of [...EVENT_TYPES].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
      const event = kept.find((one) => one.type === type);
      assert.ok(event, `the log has ${type}`);
      if (shown !== keyOf(type)) shown = await selectRow(frame, keyOf(type));
      const entry = frame.locator(`#details [data-event="${event.n}"]`);
      await entry.locator("summary").getByText(`Event ${event.n}, ${type}`).waitFor();
      const said = (await entry.locator("pre").textContent()) ?? "";
      if (said.length < SHOWN_CHARS) assert.deepEqual(JSON.parse(said), event);
      else assert.match(said, new RegExp(`"type": "${type}"`));
    }
  }).finally(() => sample.remove());
});
