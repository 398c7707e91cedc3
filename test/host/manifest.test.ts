// test/host: the manifest and the code that reads its settings agree.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { Failure } from "../../src/schema/failure";
import { DEFAULT_SETTINGS } from "../../src/schema/settings";
import { readCoreSettings, readEditorSettings, readStoreSettings } from "../../src/vscode/settings";

type Property = {
  readonly default?: unknown;
  readonly type: string | string[];
  readonly scope?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
};

suite("settings", () => {
  const manifest = vscode.extensions.getExtension("cloakroom.cloakroom")?.packageJSON;
  const properties: Record<string, Property> = manifest.contributes.configuration.properties;

  test("each has a description, a scope and a default, and the defaults are the core's", () => {
    for (const [name, property] of Object.entries(properties)) {
      assert.ok((property.markdownDescription ?? property.description ?? "").length > 10, name);
      assert.ok(property.default !== undefined, name);
      assert.ok(property.scope, name);
      assert.equal(property.enumDescriptions?.length, property.enum?.length, name);
    }
    assert.deepEqual(readCoreSettings(), DEFAULT_SETTINGS);
    assert.deepEqual(readEditorSettings(), {
      model: "",
      script: "",
      commandTimeoutSeconds: 120,
      mcpServers: {},
      policyFile: "",
    });
    assert.equal(readStoreSettings().keepSessionsDays, 30); // CONFORMANCE §0.6
  });

  test("none of them counts in an untrusted workspace", () => {
    const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.deepEqual([...restrictedConfigurations].sort(), Object.keys(properties).sort());
  });

  test("what decides where data goes, what runs and what is limited is not the workspace's to set", () => {
    const ours = ["model", "scriptedModel.script", "commandTimeoutSeconds", "mcp.servers"].map(
      (name) => `cloakroom.${name}`,
    );
    const limits = Object.keys(properties).filter((name) => name.startsWith("cloakroom.resultLimits."));
    for (const name of [...ours, ...limits])
      assert.match(properties[name]?.scope ?? "", /^(application|machine)$/, name);
  });

  test("a value of the wrong form is refused by the setting's name", async () => {
    const target = vscode.ConfigurationTarget.Global;
    const wrong: Record<string, unknown> = {
      number: "many",
      integer: 1.5,
      string: 7,
      boolean: "yes",
      object: [],
      array: "none",
    };
    for (const [name, { type, scope }] of Object.entries(properties)) {
      const section = vscode.workspace.getConfiguration();
      const value = wrong[Array.isArray(type) ? String(type[0]) : type];
      await section.update(name, value, target);
      try {
        assert.throws(
          () => [readCoreSettings(), readEditorSettings(), readStoreSettings()],
          (cause) => cause instanceof Failure && cause.message.includes(name),
          `${name} (${scope}) = ${JSON.stringify(value)}`,
        );
      } finally {
        await section.update(name, undefined, target);
      }
    }
    assert.deepEqual(readCoreSettings(), DEFAULT_SETTINGS);
  });
});
