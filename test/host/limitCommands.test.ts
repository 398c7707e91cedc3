// test/host: what VS Code keeps of a person's choices about result limits, and the policy files of the user and the workspace.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import { Digest } from "../../src/schema/claim";
import { Failure } from "../../src/schema/failure";
import type { LimitChoice, OperatorExemption, Rollout } from "../../src/schema/policy";
import { LimitChoices } from "../../src/vscode/limitChoices";
import { readPolicyFiles } from "../../src/vscode/policyFiles";
import { temporaryFiles } from "../support/temporaryFiles";

/** VS Code's memento, in memory: what is kept is kept as JSON. */
function memento(kept: Record<string, unknown> = {}) {
  const storage: vscode.Memento = {
    keys: () => Object.keys(kept),
    get: <T>(key: string, otherwise?: T) => (key in kept ? (kept[key] as T) : otherwise) as T,
    update: async (key, value) => {
      kept[key] = JSON.parse(JSON.stringify(value));
    },
  };
  return { kept, storage };
}

const EXEMPTION: OperatorExemption = {
  ...{ id: "e1", tool: "search_text", once: true, reason: "an audit", owner: "me", expiresAt: null },
};
const EXHAUSTIVE: LimitChoice = { intent: "exhaustive", exemptions: [EXEMPTION] };
const NOTHING: LimitChoice = { intent: null, exemptions: [] };
const digest = (digit: string): Digest => Digest.parse(digit.repeat(64));
const ONE = digest("1");
const OTHER = digest("2");

suite("choices about result limits", () => {
  test("each session has its own; what was chosen for the next one is the started one's, once", async () => {
    const machine = memento();
    const workspace = memento();
    const choices = new LimitChoices(machine.storage, workspace.storage);
    assert.deepEqual([choices.of("a"), choices.of(null)], [NOTHING, NOTHING]);
    await choices.set("a", { intent: "all 37", exemptions: [] });
    await choices.set(null, EXHAUSTIVE);
    assert.deepEqual(choices.of("b"), NOTHING);
    await choices.started("b");
    const again = new LimitChoices(machine.storage, workspace.storage); // the next window
    assert.deepEqual([again.of("b"), again.of(null)], [EXHAUSTIVE, NOTHING]);
    assert.equal(again.of("a").intent, "all 37");
    await again.started("a");
    assert.equal(again.of("a").intent, "all 37", "nothing was chosen for the next one: it keeps its own");
    assert.deepEqual(machine.kept, {}, "no choice for a session leaves its workspace");
  });

  test("an exemption joins those that there are, of its session only; the intent stays", async () => {
    const choices = new LimitChoices(memento().storage, memento().storage);
    await choices.set("a", EXHAUSTIVE);
    const second = { ...EXEMPTION, id: "e2" };
    await choices.exempt("a", second);
    await choices.exempt("b", second);
    assert.deepEqual(choices.of("a"), { intent: "exhaustive", exemptions: [EXEMPTION, second] });
    assert.deepEqual(choices.of("b"), { intent: null, exemptions: [second] });
  });

  test("the newest 200 sessions keep theirs", async () => {
    const choices = new LimitChoices(memento().storage, memento().storage);
    for (let at = 0; at < 210; at++) await choices.set(`s${at}`, EXHAUSTIVE);
    assert.deepEqual(choices.of("s0"), NOTHING);
    assert.deepEqual([choices.of("s50"), choices.of("s209")], [EXHAUSTIVE, EXHAUSTIVE]);
  });

  test("rules are approved by their digest, on the machine; reviews are added, none is taken away", async () => {
    const machine = memento();
    const choices = new LimitChoices(machine.storage, memento().storage);
    assert.equal(choices.isApproved(ONE), false);
    await choices.approve(ONE);
    await choices.approve(ONE);
    await choices.approve(OTHER);
    const elsewhere = new LimitChoices(machine.storage, memento().storage);
    assert.deepEqual([elsewhere.isApproved(ONE), elsewhere.isApproved(OTHER)], [true, true]);
    assert.equal(elsewhere.isApproved(digest("3")), false);
    const decision: Rollout = {
      ...{ id: "c", tool: "search_text", argument: "/limit", mode: "enforce" },
      ...{ by: "me", at: 1, why: "no false clamp" },
    };
    await elsewhere.review(decision);
    await elsewhere.review({ ...decision, mode: "observe", at: 2 });
    assert.deepEqual(
      choices.reviewed().map(({ mode, at }) => [mode, at]),
      [
        ["enforce", 1],
        ["observe", 2],
      ],
    );
  });

  test("what is damaged reads as nothing: nobody is exempt by it, nothing is approved or enforced by it", async () => {
    const keys = ["cloakroom.limits.choices", "cloakroom.limits.approved", "cloakroom.limits.reviewed"];
    const damaged: unknown[] = [
      ...[null, 7, "", ONE, [], {}, [null], [ONE, 7], { [ONE]: ONE }],
      { next: { intent: "everything", exemptions: [] } },
      { next: { intent: null, exemptions: [{ ...EXEMPTION, tool: "" }] } },
      [{ id: "c", mode: "off" }],
    ];
    for (const value of damaged) {
      const state = () => memento(Object.fromEntries(keys.map((key) => [key, value])));
      const choices = new LimitChoices(state().storage, state().storage);
      assert.deepEqual(choices.of(null), NOTHING, JSON.stringify(value));
      assert.equal(choices.isApproved(ONE), false, JSON.stringify(value));
      assert.deepEqual(choices.reviewed(), [], JSON.stringify(value));
      await choices.started("a");
      await choices.set("a", EXHAUSTIVE);
      await choices.approve(ONE);
      assert.deepEqual(choices.of("a"), EXHAUSTIVE);
      assert.equal(choices.isApproved(ONE), true);
    }
  });
});

suite("policy files", () => {
  const files = temporaryFiles();
  const folder = () => vscode.workspace.workspaceFolders?.[0] ?? assert.fail("no folder is open");
  const own = () => path.join(folder().uri.fsPath, ".vscode", "thimble.json");
  teardown(() => rmSync(own(), { force: true }));
  suiteTeardown(() => files.remove());

  test("the user's comes first, then the workspace's as it is saved; absent ones are none", async () => {
    assert.ok(vscode.workspace.isTrusted);
    assert.equal(existsSync(own()), false);
    assert.deepEqual(await readPolicyFiles(""), []);
    const mine = files.write("mine.json", '{"kind":');
    mkdirSync(path.dirname(own()), { recursive: true });
    writeFileSync(own(), "\ufeff{}");
    assert.deepEqual(await readPolicyFiles(mine), [
      { layer: "user", label: mine, path: mine, text: '{"kind":' },
      { layer: "workspace", label: `${folder().name}/.vscode/thimble.json`, path: own(), text: "\ufeff{}" },
    ]);
    rmSync(own());
    mkdirSync(own());
    assert.deepEqual(await readPolicyFiles(""), [], "a folder of that name is no policy");
    rmSync(own(), { recursive: true });
  });

  test("a workspace that is not trusted has no say; the user's own file still counts", async () => {
    const mine = files.write("mine.json", "{}");
    mkdirSync(path.dirname(own()), { recursive: true });
    writeFileSync(own(), "{}");
    const read = await readPolicyFiles(mine, false);
    assert.deepEqual(
      read.map(({ layer }) => layer),
      ["user"],
    );
  });

  test("the user's file that cannot be read is refused by the setting's name", async () => {
    for (const missing of [path.join(files.folder, "none.json"), files.folder, "relative.json"])
      await assert.rejects(readPolicyFiles(missing), (cause) => {
        assert.ok(cause instanceof Failure);
        assert.equal(cause.code, "settings-invalid");
        assert.equal(cause.facts.field, "resultLimits.policyFile");
        assert.ok(
          cause.message.startsWith(`Setting cloakroom.resultLimits.policyFile: ${missing} cannot be read.`),
        );
        return true;
      });
  });

  test("which file that is, is the machine's to say, and counts in no untrusted workspace", () => {
    const manifest = vscode.extensions.getExtension("cloakroom.cloakroom")?.packageJSON;
    const name = "cloakroom.resultLimits.policyFile";
    assert.equal(manifest.contributes.configuration.properties[name].scope, "machine");
    assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(name));
  });
});
