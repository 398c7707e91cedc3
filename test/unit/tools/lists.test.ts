import assert from "node:assert/strict";
import { chmod, mkdir } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import fc from "fast-check";
import type { ToolOutcome } from "../../../src/schema/tool";
import { createListFiles } from "../../../src/tools/createListFiles";
import { createSearchText } from "../../../src/tools/createSearchText";
import { cutLine } from "../../../src/tools/cutLine";
import { compileGlob, expandBraces } from "../../../src/tools/glob";
import { openNodeWorkspace } from "../../../src/tools/nodeWorkspace";
import type { Workspace } from "../../../src/tools/ports";
import { findRipgrep, runRipgrep } from "../../../src/tools/ripgrep";
import {
  callTool,
  type Files,
  removeTemporaryFolders,
  ripgrepForTests,
  temporaryFolder,
  temporaryWorkspace,
} from "../../support/temporaryWorkspace";

/** Behind one line about them, all there are. */
const WHOLE = { headerLines: 1, complete: true };

/** Small enough to see at once, with everything that the rules speak about. */
const FILES: Files = {
  "README.md": "# House\nA cloakroom keeps coats.\n",
  "src/a.ts": "export const coat = 1;\nconst hat = 2;\n",
  "src/b.test.ts": "test('coat');\r\nexpect(COAT);\r\n",
  "src/deep/c.tsx": "no such thing\n",
  "src/[id].ts": "route\n",
  "docs/ä ö.md": "Überzug und überzug\n",
  ".github/ci.yml": "hidden, yet listed\n",
  ".gitignore": "*.log\nbuild/\n!keep.log\n/only-root.txt\n",
  "debug.log": "coat\n",
  "keep.log": "coat\n",
  "build/out.js": "coat\n",
  "only-root.txt": "coat\n",
  "src/only-root.txt": "coat here\n",
  "src/.gitignore": "!debug.log\n/skipped/\n",
  "src/skipped/x.ts": "coat\n",
  "src/debug.log": "coat kept by a nearer rule\n",
  "node_modules/x/index.js": "coat\n",
  "src/node_modules/y.js": "coat\n",
  ".git/config": "coat\n",
  "link.ts": "-> src/a.ts",
  linked: "-> src",
  "image.bin": Buffer.from("coat\0\n"),
  "late.bin": Buffer.from(`coat\n${"x".repeat(300_000)}\n\0`),
  "wide.txt": Buffer.from("\uFEFFcoat in UTF-16\r\n", "utf16le"),
  "bom.txt": "\uFEFFcoat after a mark\n",
  "latin1.txt": Buffer.from("caf\xe9 coat\n", "latin1"),
};

for (const engine of ["ripgrep", "JavaScript"] as const) {
  suite(`tools/lists with ${engine}`, () => {
    let ripgrep: string | null = null;

    suiteSetup(async function () {
      if (engine === "JavaScript") return;
      ripgrep = await ripgrepForTests();
      if (ripgrep === null) this.skip();
    });
    suiteTeardown(removeTemporaryFolders);

    async function list(input: unknown, files: Files = FILES): Promise<ToolOutcome> {
      const { ports } = await temporaryWorkspace(files);
      return callTool(createListFiles(ports.workspace, ripgrep), input);
    }

    async function search(input: unknown, files: Files = FILES): Promise<ToolOutcome> {
      const { ports } = await temporaryWorkspace(files);
      return callTool(createSearchText(ports.workspace, ripgrep), input);
    }

    test("lists what ignore files leave, sorted, hidden files too, and says that it is complete", async () => {
      const all = [
        ".github/ci.yml",
        ".gitignore",
        "README.md",
        "bom.txt",
        "docs/ä ö.md",
        "image.bin",
        "keep.log",
        "late.bin",
        "latin1.txt",
        "src/.gitignore",
        "src/[id].ts",
        "src/a.ts",
        "src/b.test.ts",
        "src/debug.log",
        "src/deep/c.tsx",
        "src/only-root.txt",
        "wide.txt",
      ];
      const text = [`[Files 1–${all.length} of ${all.length}; complete.]`, ...all].join("\n");
      assert.deepEqual(await list({}), { kind: "ok", text, items: all.length, lines: WHOLE });
    });

    test("a page says what is left and where it continues; the last one that the list ends", async () => {
      const pages = [
        await list({ glob: "src/**", limit: 3 }),
        await list({ glob: "src/**", limit: 3, offset: 3 }),
        await list({ glob: "src/**", limit: 3, offset: 6 }),
        await list({ glob: "src/**", limit: 3, offset: 9 }),
      ];
      assert.deepEqual(
        pages.map((page) => page.text),
        [
          "[Files 1–3 of 7; 4 more. Continue with offset=3.]\nsrc/.gitignore\nsrc/[id].ts\nsrc/a.ts",
          "[Files 4–6 of 7; 1 more. Continue with offset=6.]\nsrc/b.test.ts\nsrc/debug.log\nsrc/deep/c.tsx",
          "[Files 7–7 of 7; the list ends here.]\nsrc/only-root.txt",
          "[Files 0 of 7; offset 9 is past the end.]",
        ],
      );
      assert.deepEqual(
        pages.map((page) => page.kind === "ok" && page.items),
        [3, 3, 1, 0],
      );
    });

    test("globs choose by name at any depth, by path, by folder and by alternatives", async () => {
      const chosen = async (glob: string) => {
        const outcome = await list({ glob });
        return outcome.kind === "ok" ? outcome.text.split("\n").slice(1) : [outcome.code];
      };
      assert.deepEqual(await chosen("*.ts"), ["src/[id].ts", "src/a.ts", "src/b.test.ts"]);
      assert.deepEqual(await chosen("src/*.ts"), ["src/[id].ts", "src/a.ts", "src/b.test.ts"]);
      assert.deepEqual(await chosen("./src/a.ts"), ["src/a.ts"]);
      assert.deepEqual(await chosen("src/[id].ts"), ["src/[id].ts"]);
      assert.deepEqual(await chosen("src/[!a].ts"), []);
      assert.deepEqual(await chosen("**/c.{ts,tsx}"), ["src/deep/c.tsx"]);
      assert.deepEqual(await chosen("deep"), ["src/deep/c.tsx"]);
      assert.deepEqual(await chosen("docs/"), ["docs/ä ö.md"]);
      assert.deepEqual(await chosen("/README.md"), ["README.md"]);
      assert.deepEqual(await chosen("debug.log"), ["src/debug.log"]);
      assert.deepEqual(await chosen("src/[a.ts"), ["invalid_arguments"]);
      assert.deepEqual(await chosen("{a,b"), ["invalid_arguments"]);
    });

    test("an empty workspace is a complete list of nothing", async () => {
      const nothing = "[Files 0 of 0; complete.]";
      assert.deepEqual(await list({}, {}), { kind: "ok", text: nothing, items: 0, lines: WHOLE });
      const none = "[Matches 0 of 0; complete.]";
      assert.deepEqual(await search({ query: "x" }, {}), { kind: "ok", text: none, items: 0, lines: WHOLE });
    });

    test("a file name cannot forge a line", async () => {
      if (process.platform === "win32") return;
      const outcome = await list({}, { "a\n[Files 1–1 of 1; complete.]": "coat" });
      assert.equal(outcome.text, '[Files 1–1 of 1; complete.]\n"a\\n[Files 1–1 of 1; complete.]"');
      const found = await search({ query: "coat" }, { "a\nb": "coat" });
      assert.equal(found.text, '[Matches 1–1 of 1; complete.]\n"a\\nb":1: coat');
    });

    test("several folders are listed and searched by their names", async () => {
      const one = await temporaryFolder({ "a.ts": "coat\n" });
      const two = await temporaryFolder({ "b.ts": "coat\n" });
      const workspace = await openNodeWorkspace([
        { name: "two", path: two },
        { name: "one", path: one },
      ]);
      const outcome = await callTool(createListFiles(workspace, ripgrep), {});
      assert.equal(outcome.text, "[Files 1–2 of 2; complete.]\none/a.ts\ntwo/b.ts");
      const found = await callTool(createSearchText(workspace, ripgrep), { query: "coat", glob: "two/**" });
      assert.equal(found.text, "[Matches 1–1 of 1; complete.]\ntwo/b.ts:1: coat");
    });

    test("search finds literal text in every encoding it can, whatever its case, sorted by path and line", async () => {
      const found = [
        "README.md:2: A cloakroom keeps coats.",
        "bom.txt:1: coat after a mark",
        "keep.log:1: coat",
        "latin1.txt:1: caf\uFFFD coat",
        "src/a.ts:1: export const coat = 1;",
        "src/b.test.ts:1: test('coat');",
        "src/b.test.ts:2: expect(COAT);",
        "src/debug.log:1: coat kept by a nearer rule",
        "src/only-root.txt:1: coat here",
        "wide.txt:1: coat in UTF-16",
      ];
      const text = ["[Matches 1–10 of 10; complete.]", ...found].join("\n");
      assert.deepEqual(await search({ query: "coat" }), { kind: "ok", text, items: 10, lines: WHOLE });
    });

    const lines = async (input: object, files?: Files) => {
      const outcome = await search(input, files);
      return outcome.kind === "ok" ? outcome.text.split("\n").slice(1) : [outcome.code];
    };

    test("a file is binary wherever its NUL stands", async () => {
      const late = Buffer.from(`coat\n${"x".repeat(300_000)}\n\0`);
      assert.deepEqual(await lines({ query: "coat" }, { "a.txt": "coat\n", "late.bin": late }), [
        "a.txt:1: coat",
      ]);
    });

    test("case counts when asked for, beyond ASCII too", async () => {
      assert.deepEqual(await lines({ query: "COAT", caseSensitive: true }), [
        "src/b.test.ts:2: expect(COAT);",
      ]);
      assert.deepEqual(await lines({ query: "ÜBERZUG" }), ["docs/ä ö.md:1: Überzug und überzug"]);
    });

    test("literal text may look like a pattern or an option", async () => {
      const files = { a: "f(x) = [y] $1 \\d+ a|b\n--files\n-e x\n" };
      for (const query of ["f(x)", "[y]", "$1", "\\d+", "a|b"]) {
        assert.deepEqual(await lines({ query }, files), ["a:1: f(x) = [y] $1 \\d+ a|b"], query);
      }
      for (const query of [". ", "/", "f.x"]) assert.deepEqual(await lines({ query }, files), [], query);
      assert.deepEqual(await lines({ query: "--files" }, files), ["a:2: --files"]);
      assert.deepEqual(await lines({ query: "-e" }, files), ["a:3: -e x"]);
    });

    test("regular expressions find, and lines end before their line break", async () => {
      const files = { a: "one 1\r\ntwo 22\r\n\r\nthree-3" };
      assert.deepEqual(await lines({ query: "^\\w+ \\d+$", isRegex: true }, files), [
        "a:1: one 1",
        "a:2: two 22",
      ]);
      assert.deepEqual(await lines({ query: "^$", isRegex: true }, files), ["a:3: "]);
      assert.deepEqual(await lines({ query: "(?i)THREE\\-", isRegex: true, caseSensitive: true }, files), [
        "a:4: three-3",
      ]);
      assert.deepEqual(await lines({ query: "(?P<n>o)n|wo", isRegex: true }, files), [
        "a:1: one 1",
        "a:2: two 22",
      ]);
    });

    test("a pattern that is none is refused with what is wrong with it", async () => {
      for (const query of ["(", "[a", "*a(", "a(?=b)", "(?<!a)b", "(a)\\1"]) {
        const outcome = await search({ query, isRegex: true });
        assert.equal(outcome.kind === "failed" && outcome.code, "invalid_regex", query);
        assert.match(outcome.text, /not a valid regular expression.*\w/s);
      }
      assert.deepEqual(await lines({ query: "a\nb" }), ["invalid_arguments"]);
      assert.deepEqual(await lines({ query: "a\\nb", isRegex: true }), ["invalid_arguments"]);
      assert.deepEqual(await lines({ query: "" }), ["invalid_arguments"]);
    });

    test("a long line is cut around the match, and says how much is missing", async () => {
      const files = { a: `${"x".repeat(1000)}NEEDLE${"y".repeat(2000)}\n` };
      const [line] = await lines({ query: "needle" }, files);
      assert.equal(line, `a:1: [+900 chars] ${"x".repeat(100)}NEEDLE${"y".repeat(294)} [+1706 chars]`);
    });

    test("pages of matches lead through all of them", async () => {
      const files = { a: "m\n".repeat(7), b: "m\n".repeat(3) };
      const seen: string[] = [];
      for (const offset of [0, 4, 8]) seen.push(...(await lines({ query: "m", limit: 4, offset }, files)));
      assert.equal(new Set(seen).size, 10);
      const page = await search({ query: "m", limit: 4, offset: 4 }, files);
      assert.equal(page.text.split("\n")[0], "[Matches 5–8 of 10; 2 more. Continue with offset=8.]");
    });

    test("counting stops at 10 000, and the header never claims more than it knows", async () => {
      const files: Record<string, string> = {};
      for (let i = 0; i < 90; i++) files[`f${String(i).padStart(3, "0")}.txt`] = "m\n".repeat(700);
      const { ports } = await temporaryWorkspace(files);
      const tool = createSearchText(ports.workspace, ripgrep);
      const header = async (offset: number) =>
        (await callTool(tool, { query: "m", limit: 2, offset })).text.split("\n");
      assert.deepEqual(await header(0), [
        "[Matches 1–2 of more than 10000. Continue with offset=2.]",
        "f000.txt:1: m",
        "f000.txt:2: m",
      ]);
      assert.deepEqual(await header(9998), [
        "[Matches 9999–10000 of more than 10000; later ones are not counted. Narrow the query or the glob.]",
        "f014.txt:199: m",
        "f014.txt:200: m",
      ]);
      const exactly = await temporaryWorkspace({ a: "m\n".repeat(10_000) });
      const all = await callTool(createSearchText(exactly.ports.workspace, ripgrep), {
        query: "m",
        limit: 1,
      });
      assert.match(all.text, /^\[Matches 1–1 of 10000; 9999 more\./);
    });

    test("unsaved text is searched as the person sees it, not as it is on the disk", async () => {
      const { path, ports } = await temporaryWorkspace({
        "a.txt": "old\n",
        "b.txt": "old\n",
        "c.txt": "old new\n",
      });
      const workspace: Workspace = {
        ...ports.workspace,
        unsaved: () => [join(path, "b.txt")],
        read: async (file, maxBytes) =>
          file === join(path, "b.txt")
            ? { kind: "file", bytes: Buffer.from("first\nnew\n") }
            : ports.workspace.read(file, maxBytes),
      };
      const tool = createSearchText(workspace, ripgrep);
      const found = async (query: string) => (await callTool(tool, { query })).text.split("\n").slice(1);
      assert.deepEqual(await found("new"), ["b.txt:2: new", "c.txt:1: old new"]);
      assert.deepEqual(await found("old"), ["a.txt:1: old", "c.txt:1: old new"]);
    });

    test("a stopped call ends and says so", async () => {
      const { ports } = await temporaryWorkspace(FILES);
      for (const tool of [
        createListFiles(ports.workspace, ripgrep),
        createSearchText(ports.workspace, ripgrep),
      ]) {
        const controller = new AbortController();
        const running = callTool(tool, tool.spec.name === "list_files" ? {} : { query: "coat" }, controller);
        controller.abort();
        const outcome = await running;
        assert.equal(outcome.kind === "failed" && outcome.code, "stopped");
      }
    });
  });
}

suite("tools/lists", () => {
  let ripgrep: string | null = null;
  suiteSetup(async () => {
    ripgrep = await ripgrepForTests();
  });
  suiteTeardown(removeTemporaryFolders);

  test("both engines read any ignore file and any tree alike (property)", async function () {
    if (ripgrep === null) return this.skip();
    const binary = ripgrep;
    const name = fc.constantFrom("a", "b", "ab", "a.b", ".c", "build", "[x]");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
    const piece = fc.constantFrom(
      "a",
      "b",
      "*",
      "**",
      "?",
      "/",
      "!",
      "[ab]",
      "\\[x]",
      ".c",
      "build",
      " ",
      "#",
      "{",
    );
    const line = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(""));
    const rules = fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { maxLength: 8 }),
        rules,
        rules,
        fc.constantFrom("a", "b", ""),
        async (paths, top, below, folder) => {
          // left out where ripgrep is not git: [!a] and [^a] match a slash there, as do some `**` beside other characters
          const portable = (text: string) =>
            text
              .split("\n")
              .filter((rule) => !/\*\*[^/]|[^/!]\*\*|\{|^!!?$|^!!|\/\/|\/ /.test(rule))
              .join("\n");
          const files: Record<string, string> = { ".gitignore": portable(top) };
          for (const one of paths) files[`${one}/file`] = "x";
          if (folder !== "" && paths.some((one) => one.startsWith(`${folder}/`)))
            files[`${folder}/.gitignore`] = portable(below);
          const { ports } = await temporaryWorkspace(files);
          const [fast, plain] = await Promise.all(
            [binary, null].map((engine) => callTool(createListFiles(ports.workspace, engine), {})),
          );
          assert.deepEqual(plain, fast, JSON.stringify(files));
        },
      ),
      { numRuns: 80, seed: 20261129 },
    );
  });

  test("a pattern that backtracks without end is given up in JavaScript", async function () {
    this.timeout(6000);
    const { ports } = await temporaryWorkspace({ a: `${"a".repeat(60)}!\n` });
    const outcome = await callTool(createSearchText(ports.workspace, null), {
      query: "(a+)+$",
      isRegex: true,
    });
    assert.equal(outcome.kind === "failed" && outcome.code, "too_slow");
    assert.match(outcome.text, /stopped in a\)/);
  });

  test("a stopped search kills ripgrep", async function () {
    if (process.platform === "win32") return this.skip();
    const folder = await temporaryFolder({ rg: "#!/bin/sh\necho $$\nexec sleep 60\n" });
    await chmod(join(folder, "rg"), 0o755);
    const controller = new AbortController();
    let pid = 0;
    const run = runRipgrep(join(folder, "rg"), [], {
      folder,
      input: null,
      separator: "\n",
      signal: controller.signal,
      onRecord: (record) => {
        pid = Number(record);
        controller.abort();
      },
    });
    await assert.rejects(run, { name: "AbortError" });
    assert.ok(pid > 0);
    assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
  });

  test("a ripgrep that cannot be started is replaced by the search in JavaScript", async () => {
    const { path, ports } = await temporaryWorkspace({ "a.txt": "coat\n" });
    const broken = join(path, "no such rg");
    const listed = await callTool(createListFiles(ports.workspace, broken), {});
    assert.equal(listed.text, "[Files 1–1 of 1; complete.]\na.txt");
    for (const isRegex of [true, false]) {
      const found = await callTool(createSearchText(ports.workspace, broken), { query: "coat", isRegex });
      assert.equal(found.text, "[Matches 1–1 of 1; complete.]\na.txt:1: coat");
    }
  });

  test("ripgrep is looked for in VS Code's own folders first, then on PATH, never in a relative folder", async function () {
    if (process.platform === "win32") return this.skip();
    const inApp = `node_modules/@vscode/ripgrep-universal/bin/${process.platform}-${process.arch}/rg`;
    const older = "node_modules.asar.unpacked/@vscode/ripgrep/bin/rg";
    const app = await temporaryFolder({ [inApp]: "", [older]: "" });
    const onPath = await temporaryFolder({ rg: "" });
    const path = ["", ".", "bin", join(onPath, "none"), onPath].join(delimiter);
    const here = relative(process.cwd(), onPath);
    assert.equal(await findRipgrep(app, path), null); // nothing may be run yet
    await chmod(join(onPath, "rg"), 0o755);
    assert.equal(await findRipgrep(app, path), join(onPath, "rg"));
    assert.equal(await findRipgrep(app, here), null);
    await chmod(join(app, older), 0o755);
    assert.equal(await findRipgrep(app, path), join(app, older));
    await chmod(join(app, inApp), 0o755);
    assert.equal(await findRipgrep(app, path), join(app, inApp));
    assert.equal(await findRipgrep(undefined, undefined), null);
    await mkdir(join(onPath, "folder", "rg"), { recursive: true });
    assert.equal(await findRipgrep(undefined, join(onPath, "folder")), null);
  });

  test("a glob of many stars ends", () => {
    const glob = compileGlob(`${"*a".repeat(40)}b`);
    assert.equal(glob?.matches(["a".repeat(5000)]), false); // by trying every way it would never end
    assert.equal(expandBraces("{a,b}".repeat(9)), null); // 512 alternatives
    assert.deepEqual(expandBraces("x{a,{b,c}d}y"), ["xay", "xbdy", "xcdy"]);
  });

  test("a cut line keeps characters and escapes whole, and counts what is missing (property)", () => {
    const unit = fc.constantFrom("a", "é", "👩‍👩‍👧", "e\u0301", "\x1b[31m", "漢", " ");
    fc.assert(
      fc.property(fc.array(unit, { minLength: 300, maxLength: 700 }), fc.nat(699), (units, at) => {
        const line = units.join("");
        const start = units.slice(0, at).join("").length;
        const cut = cutLine(line, start);
        const marks = /^(?:\[\+(\d+) chars\] )?(.*?)(?: \[\+(\d+) chars\])?$/su.exec(cut);
        const [, before = "0", shown = "", after = "0"] = marks ?? [];
        const length = (text: string) => Array.from(text).length;
        assert.equal(Number(before) + length(shown) + Number(after), length(line));
        assert.ok(length(shown) <= 400 || cut === line);
        assert.equal(
          Array.from(line)
            .slice(Number(before), Number(before) + length(shown))
            .join(""),
          shown,
        );
        const edges = new Set([0]);
        for (const one of units) edges.add(Math.max(...[...edges].slice(-1)) + one.length);
        const from = Array.from(line).slice(0, Number(before)).join("").length;
        assert.ok(edges.has(from) && edges.has(from + shown.length), "cut inside a unit");
      }),
      { numRuns: 300 },
    );
  });
});
