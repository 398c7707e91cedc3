/** The built-in contracts against the real tools: what they say about them is true, and nothing gets lost. */
import assert from "node:assert/strict";
import type { Tool } from "../../../src/schema/tool";
import { BUILTIN_ARTIFACT, builtinPolicy } from "../../../src/thimble/builtin";
import { disclose } from "../../../src/thimble/disclosure";
import { createWorkspaceTools } from "../../../src/tools/createWorkspaceTools";
import { sha256 } from "../../support/hash";
import { removeTemporaryFolders, temporaryWorkspace } from "../../support/temporaryWorkspace";
import { ask } from "../../support/thimble";

const POLICY = builtinPolicy(sha256);
const MATCHES = 37;

suite("thimble/builtin and the tools", () => {
  let tools: readonly Tool[];

  suiteSetup(async () => {
    const lines = Array.from({ length: MATCHES }, (_, i) => `needle ${i}`).join("\n");
    const files = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f/${i}.txt`, "x"]));
    const { ports } = await temporaryWorkspace({ ...files, "hay.txt": lines });
    tools = createWorkspaceTools(ports, { ripgrepPath: null });
  });
  suiteTeardown(removeTemporaryFolders);

  const toolNamed = (name: string): Tool => {
    const tool = tools.find(({ spec }) => spec.name === name);
    assert.ok(tool, name);
    return tool;
  };

  async function linesOf(tool: Tool, argumentsText: string): Promise<string[]> {
    const context = { signal: new AbortController().signal, preview: null, progress: () => undefined };
    const outcome = await tool.run(argumentsText, context);
    assert.equal(outcome.kind, "ok");
    return outcome.text.split("\n").slice(1); // the first line says how many there are
  }

  test("every contract names a read-only tool and integer arguments that it has", () => {
    for (const { tool, argument, continuation } of BUILTIN_ARTIFACT.contracts) {
      const { effect, inputSchema } = toolNamed(tool).spec;
      assert.equal(effect, "read", tool);
      const properties = inputSchema.properties as Record<string, { type?: string; minimum?: number }>;
      assert.equal(properties[argument.slice(1)]?.type, "integer", `${tool}${argument}`);
      assert.equal(properties[argument.slice(1)]?.minimum, 1, `${tool}${argument}`);
      assert.equal(
        properties[continuation?.argument?.slice(1) ?? ""]?.type,
        "integer",
        `${tool} continuation`,
      );
    }
  });

  test("a call for 500 returns ten matches, and the way on that is disclosed leads through all the others", async () => {
    const tool = toolNamed("search_text");
    const whole = await linesOf(tool, '{"query":"needle","limit":500}');
    assert.equal(whole.length, MATCHES);
    const collected: string[] = [];
    let text = '{"query":"needle","limit":500}';
    for (let calls = 0; collected.length < MATCHES; calls++) {
      assert.ok(calls < 5, "the way on does not end");
      const { proposal, effectiveArguments } = ask(text, POLICY, { tool: "search_text", toolReadOnly: true });
      const page = await linesOf(tool, effectiveArguments ?? text);
      assert.ok(page.length <= 10);
      collected.push(...page);
      const offset = /Continue with offset=(\d+), limit=10\./.exec(
        disclose(proposal, POLICY, text) ?? "",
      )?.[1];
      text = `{"query":"needle","limit":500,"offset":${offset}}`;
    }
    assert.deepEqual(collected, whole);
  });

  test("a listing of 120 files is asked for 50 in enforce and for all in observe", async () => {
    const tool = toolNamed("list_files");
    const text = '{"glob":"f","limit":1200}';
    const run = async (mode: "enforce" | "observe") => {
      const { effectiveArguments } = ask(text, POLICY, { tool: "list_files", mode });
      return (await linesOf(tool, effectiveArguments ?? text)).length;
    };
    assert.equal(await run("enforce"), 50);
    assert.equal(await run("observe"), 120);
  });
});
