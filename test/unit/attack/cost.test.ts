/** Hostile text costs no more than its length: what one call or one result may make the host do is bounded. */
import assert from "node:assert/strict";
import { Secrets } from "../../../src/agent/secrets";
import { asRaw } from "../../../src/schema/text";
import { createListFiles } from "../../../src/tools/createListFiles";
import { createSearchText } from "../../../src/tools/createSearchText";
import { planEdit } from "../../../src/tools/planEdit";
import { hash, openHouse, tool } from "../../support/house";
import { removeTemporaryFolders, temporaryWorkspace } from "../../support/temporaryWorkspace";

const ENOUGH_MS = 5000; // the slow ways below take minutes

function within(work: () => void): void {
  const startedAt = performance.now();
  work();
  assert.ok(performance.now() - startedAt < ENOUGH_MS, `${Math.round(performance.now() - startedAt)} ms`);
}

suite("attack/cost", () => {
  suiteTeardown(removeTemporaryFolders);

  test("an edit whose passage repeats itself is counted exactly, at once", () =>
    within(() => {
      const plan = planEdit("a".repeat(2_000_000), "a".repeat(1_000_000), "b");
      assert.deepEqual(plan, { kind: "ambiguous", count: 1_000_001, lines: new Array(10).fill(1) });
    }));

  test("an edit that is not found among lines that are all alike is refused at once", () =>
    within(() => {
      const plan = planEdit("x \n".repeat(200_000), `${"x\n".repeat(100_000)}y`, "b");
      assert.equal(plan.kind, "not_found");
    }));

  test("places that overlap count as several, and the first one's line is told", () => {
    assert.deepEqual(planEdit("\nabababa", "aba", "c"), { kind: "ambiguous", count: 3, lines: [2, 2, 2] });
    assert.deepEqual(planEdit("\naabaab", "aabaab", "c"), { kind: "replaces", after: "\nc", line: 2 });
    assert.equal(planEdit("aabaaab", "aabaab", "c").kind, "not_found");
  });

  test("the beginnings of web tokens, side by side, are searched at once", () =>
    within(() => {
      const text = `${"eyJ-".repeat(250)}.eyJ${"a".repeat(7000)} `.repeat(500);
      assert.deepEqual(new Secrets("", hash).hide(text), { text, hits: {} });
    }));

  test("a web token behind the beginning of another is still hidden", () => {
    const token = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", "dozjgNryP4J3jVmN"].join(".");
    const { text, hits } = new Secrets("", hash).hide(`eyJ eyJx.eyJ ${token} eyJ`);
    assert.match(text, /^eyJ eyJx\.eyJ \[secret:jwt:[0-9a-f]{8}\] eyJ$/);
    assert.deepEqual(hits, { jwt: 1 });
  });

  test("a glob of endless groups is refused by its length, in both tools", async () => {
    const { ports } = await temporaryWorkspace({ "a.txt": "a" });
    const glob = "{a}".repeat(100_000);
    const context = { signal: new AbortController().signal, preview: null, progress: () => undefined };
    for (const [made, args] of [
      [createListFiles(ports.workspace, null), { glob }],
      [createSearchText(ports.workspace, null), { glob, query: "a" }],
    ] as const) {
      const outcome = await made.run(JSON.stringify(args), context);
      assert.equal(outcome.kind === "failed" && outcome.code, "invalid_arguments", outcome.text.slice(0, 80));
    }
  });

  test("a reply of a hundred reads holds a few of them at once, and answers them all", async () => {
    let running = 0;
    let most = 0;
    const read = tool("read", async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return { kind: "ok", text: asRaw("text") };
    });
    const calls = Array.from({ length: 100 }, (_, i) => ({ id: `c${i}`, name: "read", arguments: {} }));
    const house = await openHouse({ replies: [{ calls }, { say: "done" }], tools: [read] });
    assert.equal((await house.ask("Read.")).end, "answered");
    assert.equal(house.eventsOf("remembered").length, 100);
    assert.ok(most > 1 && most <= 8, `${most} at once`);
  });
});
