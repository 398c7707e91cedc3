import assert from "node:assert/strict";
import { chmod, link, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { ToolPreview } from "../../../src/schema/tool";
import { createEditFile } from "../../../src/tools/createEditFile";
import { nodeEditor } from "../../../src/tools/nodeEditor";
import { planEdit } from "../../../src/tools/planEdit";
import { isSensitivePath, mentionsSensitivePath } from "../../../src/tools/sensitivePaths";
import {
  callTool,
  type Files,
  removeTemporaryFolders,
  type TemporaryWorkspace,
  temporaryFolder,
  temporaryWorkspace,
} from "../../support/temporaryWorkspace";

suite("tools/edit_file", () => {
  suiteTeardown(removeTemporaryFolders);

  const signal = new AbortController().signal;
  const toolFor = ({ ports }: TemporaryWorkspace) => createEditFile(ports.workspace, ports.editor);
  const contentOf = (house: TemporaryWorkspace, name: string) => readFile(join(house.path, name), "utf8");

  async function preview(files: Files, input: unknown): Promise<ToolPreview | undefined> {
    return toolFor(await temporaryWorkspace(files)).preview?.(JSON.stringify(input), signal);
  }

  test("one exact passage is replaced; the preview shows the whole text before and after", async () => {
    const house = await temporaryWorkspace({ "a.ts": "const a = 1;\r\nconst b = 2;\r\n" });
    const input = { path: "./a.ts", oldText: "b = 2", newText: "b = 3" };
    assert.deepEqual(await toolFor(house).preview?.(JSON.stringify(input), signal), {
      kind: "diff",
      path: "a.ts",
      before: "const a = 1;\r\nconst b = 2;\r\n",
      after: "const a = 1;\r\nconst b = 3;\r\n",
      sensitive: false,
    });
    const outcome = await callTool(toolFor(house), input);
    assert.deepEqual(outcome, { kind: "ok", text: "Edited a.ts at line 2." });
    assert.equal(await contentOf(house, "a.ts"), "const a = 1;\r\nconst b = 3;\r\n");
    assert.deepEqual(await readdir(house.path), ["a.ts"], "no draft is left behind");
  });

  test("an empty oldText creates a file, its folders too, and fills an empty one", async () => {
    const house = await temporaryWorkspace({ "empty.txt": "" });
    const created = await callTool(toolFor(house), { path: "new/deep/a.txt", oldText: "", newText: "hi\n" });
    assert.deepEqual(created, { kind: "ok", text: "Created new/deep/a.txt." });
    assert.equal(await contentOf(house, "new/deep/a.txt"), "hi\n");
    await callTool(toolFor(house), { path: "empty.txt", oldText: "", newText: "full" });
    assert.equal(await contentOf(house, "empty.txt"), "full");
  });

  test("what cannot be done is said before anybody is asked, with what to do", async () => {
    const files = {
      "a.txt": "one\ntwo\none\n",
      "crlf.txt": "one\r\n  two\r\n",
      "b.bin": Buffer.from([0]),
      dir: "-> .",
    };
    const problem = async (input: object) => {
      const shown = await preview(files, { path: "a.txt", oldText: "x", newText: "y", ...input });
      return shown?.kind === "invalid" ? `${shown.code}: ${shown.text}` : shown?.kind;
    };
    assert.match(
      `${await problem({})}`,
      /^not_found: oldText does not occur in "a.txt". Read the file again/,
    );
    assert.match(
      `${await problem({ oldText: "one" })}`,
      /^ambiguous: oldText occurs 2 times in "a.txt" \(lines 1, 3\)/,
    );
    assert.match(`${await problem({ oldText: "" })}`, /^already_exists: /);
    assert.match(`${await problem({ oldText: "one", newText: "one" })}`, /^no_change: /);
    assert.match(`${await problem({ path: "none.txt" })}`, /^not_found: There is no file/);
    assert.match(
      `${await problem({ path: "crlf.txt", oldText: "one\n  two" })}`,
      /line ends: the file uses CRLF/,
    );
    assert.match(
      `${await problem({ path: "crlf.txt", oldText: "one\r\ntwo" })}`,
      /line 1 .*only in white space/,
    );
    assert.match(`${await problem({ path: "b.bin" })}`, /^binary_file: /);
    assert.match(`${await problem({ path: "dir" })}`, /^is_folder: /);
    assert.match(`${await problem({ path: "../x", oldText: "" })}`, /^outside_workspace: /);
    assert.match(`${await problem({ newText: 1 })}`, /^invalid_arguments: newText: /);
    assert.match(
      `${await problem({ newText: "\ud800" })}`,
      /^invalid_arguments: newText: half of a surrogate pair/,
    );
  });

  test("places that overlap are ambiguous too", () => {
    assert.deepEqual(planEdit("aaa", "aa", "b"), { kind: "ambiguous", count: 2, lines: [1, 1] });
  });

  test("an edit changes nothing but the passage (property)", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "\r\n", "\n", "👍", "$&", "\uFEFF"), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, text, text, text, (head, oldText, tail, newText) => {
        fc.pre(oldText !== "");
        const before = head + oldText + tail;
        const plan = planEdit(before, oldText, newText);
        const starts = Array.from({ length: before.length }, (_, i) => i);
        const places = starts.filter((i) => before.startsWith(oldText, i)).length;
        if (places === 1) assert.equal(plan.kind === "replaces" && plan.after, head + newText + tail);
        else assert.equal(plan.kind === "ambiguous" && plan.count, places);
      }),
      { numRuns: 1000 },
    );
  });

  test("BOM, UTF-16 and the file's mode survive an edit", async () => {
    const wide = Buffer.from("\uFEFFalt\r\n", "utf16le");
    const house = await temporaryWorkspace({
      "bom.txt": "\uFEFFalt\r\n",
      "wide.txt": wide,
      "run.sh": "alt\n",
    });
    await chmod(join(house.path, "run.sh"), 0o750);
    for (const path of ["bom.txt", "wide.txt", "run.sh"]) {
      const outcome = await callTool(toolFor(house), { path, oldText: "alt", newText: "neu" });
      assert.equal(outcome.kind, "ok");
    }
    assert.equal(await contentOf(house, "bom.txt"), "\uFEFFneu\r\n");
    const bytes = await readFile(join(house.path, "wide.txt"));
    assert.deepEqual(bytes, Buffer.from("\uFEFFneu\r\n", "utf16le"));
    if (process.platform !== "win32")
      assert.equal((await stat(join(house.path, "run.sh"))).mode & 0o777, 0o750);
  });

  test("a file that changed after the edit was allowed is left alone", async () => {
    const house = await temporaryWorkspace({ "a.txt": "one two\n" });
    const tool = toolFor(house);
    const run = async (input: object, between: () => Promise<unknown>) => {
      const argumentsText = JSON.stringify(input);
      const allowed = (await tool.preview?.(argumentsText, signal)) ?? null;
      await between();
      return tool.run(argumentsText, { signal, preview: allowed, progress: () => {} });
    };
    const write = (text: string) => () => writeFile(join(house.path, "a.txt"), text);
    const edit = { path: "a.txt", oldText: "two", newText: "2" };
    const elsewhere = await run(edit, write("ONE two\n"));
    const gone = await run(edit, write("one\n"));
    const create = { path: "new.txt", oldText: "", newText: "mine" };
    const taken = await run(create, () => writeFile(join(house.path, "new.txt"), "theirs"));
    for (const outcome of [elsewhere, gone, taken]) {
      assert.equal(outcome.kind === "failed" && outcome.code, "changed_since_allowed");
    }
    assert.equal(await contentOf(house, "a.txt"), "one\n");
    assert.equal(await contentOf(house, "new.txt"), "theirs");
  });

  test("nothing is written without a preview, for another edit than the one shown, or after a stop", async () => {
    const house = await temporaryWorkspace({ "a.txt": "one\n" });
    const tool = toolFor(house);
    const allowed = await tool.preview?.(
      JSON.stringify({ path: "a.txt", oldText: "one", newText: "1" }),
      signal,
    );
    const code = async (newText: string, context: object) => {
      const argumentsText = JSON.stringify({ path: "a.txt", oldText: "one", newText });
      const outcome = await tool.run(argumentsText, {
        signal,
        preview: allowed ?? null,
        progress: () => {},
        ...context,
      });
      return outcome.kind === "failed" ? outcome.code : outcome.kind;
    };
    assert.equal(await code("1", { preview: null }), "not_allowed");
    assert.equal(await code("other", {}), "changed_since_allowed");
    assert.equal(await code("1", { signal: AbortSignal.abort() }), "stopped");
    assert.equal(await contentOf(house, "a.txt"), "one\n");
    const broken = await tool.run("{", { signal, preview: null, progress: () => {} });
    assert.equal(broken.kind === "failed" && broken.code, "invalid_arguments");
  });

  test("the editor itself refuses what is no longer the text it was given", async () => {
    const folder = await temporaryFolder({ "a.txt": "now", file: "" });
    assert.deepEqual(await nodeEditor.replace(join(folder, "a.txt"), "then", "x"), { kind: "changed" });
    assert.deepEqual(await nodeEditor.replace(join(folder, "a.txt"), null, "x"), { kind: "changed" });
    assert.deepEqual(await nodeEditor.replace(join(folder, "b.txt"), "then", "x"), { kind: "changed" });
    const below = await nodeEditor.replace(join(folder, "file", "b.txt"), null, "x");
    assert.equal(below.kind, "unwritable");
    assert.equal(await readFile(join(folder, "a.txt"), "utf8"), "now");
    assert.deepEqual((await readdir(folder)).sort(), ["a.txt", "file"]);
  });

  test("a link inside the workspace is edited where it leads, and stays a link", async () => {
    const house = await temporaryWorkspace({ "docs/a.md": "one", "a.md": "-> docs/a.md" });
    await callTool(toolFor(house), { path: "a.md", oldText: "one", newText: "two" });
    assert.equal(await contentOf(house, "docs/a.md"), "two");
    await link(join(house.path, "docs/a.md"), join(house.path, "hard.md"));
    assert.equal(await contentOf(house, "a.md"), "two");
  });

  test("writes that change what agents and editors do are sensitive, however they are spelt", async () => {
    const sensitive = [
      ".vscode/settings.json",
      ".VSCode/Tasks.json",
      "packages/x/.git/hooks/pre-commit",
      ".git",
      ".git./config",
      ".GIT /config",
      ".g\u200Cit/config",
      ".git::$INDEX_ALLOCATION/config",
      "AGENTS.md",
      "docs/claude.md",
      ".github/copilot-instructions.md",
      ".github/hooks/x.json",
      ".github/workflows/ci.yml",
      ".cursor/rules/a.mdc",
      ".mcp.json",
      "sub/mcp.json",
      "thimble.json",
      ".husky/pre-push",
      "house.code-workspace",
      "a\\.vscode\\settings.json",
    ];
    for (const path of sensitive) assert.equal(isSensitivePath(path), true, path);
    for (const path of [
      "src/a.ts",
      ".gitignore",
      "vscode/a",
      "agents.md.txt",
      "github/hooks/x",
      "git",
      ".",
      "",
    ]) {
      assert.equal(isSensitivePath(path), false, path);
    }
    const shown = await preview({ "a/x": "" }, { path: "A/.VsCode/x.json", oldText: "", newText: "{}" });
    assert.equal(shown?.kind === "diff" && shown.sensitive, true);
  });

  test("a command that names such a path is pointed out", () => {
    assert.equal(mentionsSensitivePath("echo x > .vscode/settings.json"), true);
    assert.equal(mentionsSensitivePath("cp a 'sub/.GIT/hooks/pre-commit'"), true);
    assert.equal(mentionsSensitivePath("git --git-dir=.git status"), true);
    assert.equal(mentionsSensitivePath("npm test -- src/a.ts && git commit -m .gitignore"), false);
  });
});
