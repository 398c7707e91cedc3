/** A damaged log is shown as far as it holds, and says so. */
import assert from "node:assert/strict";
import { projectSession, withProblem } from "../../../src/inspector/project";
import { openHouse } from "../../support/house";

test("what follows damage is not shown, and that is told; a line that is being written is no damage", async () => {
  const house = await openHouse({ replies: [{ say: "Done." }] });
  await house.ask("Go.");
  const view = projectSession(house.events) ?? assert.fail();
  assert.equal(withProblem(view, null), view);
  assert.equal(withProblem(view, "line 9 is torn"), view);
  const told = withProblem(view, "line 9 does not follow from the one before");
  assert.match(told.notices.at(-1) ?? "", /^The session log is damaged: line 9 does not follow/);
});
