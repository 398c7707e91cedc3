import assert from "node:assert/strict";
import { ToolSpec } from "../../../src/schema/tool";
import { createWorkspaceTools } from "../../../src/tools/createWorkspaceTools";
import { callTool, removeTemporaryFolders, temporaryWorkspace } from "../../support/temporaryWorkspace";

suite("tools", () => {
  suiteTeardown(removeTemporaryFolders);

  test("every tool says what it is, what it can change, and takes no argument it does not know", async () => {
    const { ports } = await temporaryWorkspace();
    const tools = createWorkspaceTools(ports, { ripgrepPath: null });
    assert.deepEqual(
      tools.map(({ spec, preview }) => [spec.name, spec.class, spec.effect, preview !== undefined]),
      [
        ["read_file", "read", "read", false],
        ["list_files", "list", "read", false],
        ["search_text", "list", "read", false],
        ["edit_file", "other", "write", true],
        ["run_command", "execute", "execute", true],
      ],
    );
    for (const { spec } of tools) {
      assert.deepEqual(ToolSpec.parse(spec), spec);
      assert.equal(spec.inputSchema.type, "object");
      assert.equal(spec.inputSchema.additionalProperties, false);
      assert.ok(spec.description.length > 80 && spec.description.length < 500, spec.name);
      const properties = Object.values(
        spec.inputSchema.properties as Record<string, { description?: string }>,
      );
      assert.ok(
        properties.every((property) => property.description !== undefined),
        spec.name,
      );
    }
  });

  test("counts are integers with a lower bound, so that a policy can lower them", async () => {
    const { ports } = await temporaryWorkspace();
    for (const { spec } of createWorkspaceTools(ports, { ripgrepPath: null })) {
      const { limit } = spec.inputSchema.properties as Record<string, { type?: string; minimum?: number }>;
      if (spec.class === "list") assert.deepEqual([limit?.type, limit?.minimum], ["integer", 1]);
    }
  });

  test("a workspace without folders is an answer, not a crash", async () => {
    const { ports } = await temporaryWorkspace();
    const workspace = { ...ports.workspace, roots: () => [] };
    const inputs = [
      { path: "a" },
      {},
      { query: "a" },
      { path: "a", oldText: "", newText: "" },
      { command: "true" },
    ];
    const tools = createWorkspaceTools({ ...ports, workspace }, { ripgrepPath: null });
    for (const [index, tool] of tools.entries()) {
      const outcome = await callTool(tool, inputs[index]);
      assert.equal(outcome.kind === "failed" && outcome.code, "no_workspace", tool.spec.name);
    }
  });
});
