/** What a person typed is offered again until it was used, in the box that it was typed in. */
import assert from "node:assert/strict";
import { type Draft, Drafts } from "../../../src/vscode/drafts";

const TASK = { title: "Start Session: Task", prompt: "What should the agent do?" };
const NEXT = { title: "Continue Session", prompt: "What should the agent do next?" };

/** A person who answers each box in turn; undefined: they close it. `offered`: what stood in each. */
function person(...answers: readonly (string | undefined)[]) {
  const offered: (string | undefined)[] = [];
  const drafts = new Drafts(async ({ value }) => {
    offered.push(value);
    return answers[offered.length - 1];
  });
  return { drafts, offered };
}
const typed = (draft: Draft | undefined): Draft => draft ?? assert.fail("nothing was typed");

test("what was typed is in the box again while what comes after it is dismissed or fails, and no longer once it was used", async () => {
  const { drafts, offered } = person(" Mend the boat ", undefined, "Mend the boat", "Paint it");
  assert.equal(typed(await drafts.ask("", TASK)).text, "Mend the boat");
  assert.equal(await drafts.ask("", TASK), undefined); // closed: nothing is used by that
  typed(await drafts.ask("", TASK)).used();
  await drafts.ask("", TASK);
  assert.deepEqual(offered, ["", "Mend the boat", "Mend the boat", ""]);
});

test("each box has its own, of each session its own, and a suggestion neither takes its place nor is taken for it", async () => {
  const { drafts, offered } = person("a", "b", "c", "d", ...Array(4).fill(undefined));
  const suggestion = "Call it again";
  const boxes = [
    () => drafts.ask("", TASK),
    () => drafts.ask("s1", NEXT),
    () => drafts.ask("s2", NEXT),
    () => drafts.ask("s1", { ...NEXT, suggestion }),
  ];
  for (const ask of [...boxes, ...boxes]) await ask();
  assert.deepEqual(offered, ["", "", "", suggestion, "a", "b", "c", "d"]);
});

test("what was typed later is not lost when the earlier text is used", async () => {
  const { drafts, offered } = person("first", "second", undefined);
  const first = typed(await drafts.ask("", TASK));
  await drafts.ask("", TASK);
  first.used();
  await drafts.ask("", TASK);
  assert.deepEqual(offered, ["", "first", "second"]);
});

test("what a person took out of the box again does not come back", async () => {
  const { drafts, offered } = person("Mend the boat", "", undefined);
  await drafts.ask("", TASK);
  assert.equal(await drafts.ask("", TASK), undefined);
  await drafts.ask("", TASK);
  assert.deepEqual(offered, ["", "Mend the boat", ""]);
});

test("blanks are nothing", async () => {
  const { drafts, offered } = person("  ", undefined);
  assert.equal(await drafts.ask("", TASK), undefined);
  await drafts.ask("", TASK);
  assert.deepEqual(offered, ["", ""]);
});
