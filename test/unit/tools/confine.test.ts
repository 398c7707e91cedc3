import assert from "node:assert/strict";
import { realpath } from "node:fs/promises";
import { dirname, join, posix, sep, win32 } from "node:path";
import fc from "fast-check";
import { candidatesFor, confine } from "../../../src/tools/confine";
import { readFromDisk } from "../../../src/tools/nodeWorkspace";
import type { Root } from "../../../src/tools/ports";
import { removeTemporaryFolders, temporaryFolder } from "../../support/temporaryWorkspace";

suite("tools/confine", () => {
  suiteTeardown(removeTemporaryFolders);

  async function house(): Promise<{ roots: Root[]; outside: string }> {
    const outside = await temporaryFolder({ "secret.txt": "SECRET", "deep/secret.txt": "SECRET" });
    const path = await temporaryFolder({
      "src/a.ts": "a",
      "docs/read me.md": "r",
      "in.txt": "-> src/a.ts",
      "link-in": "-> src",
      "link-out": `-> ${outside}`,
      "file-out": `-> ${outside}/secret.txt`,
      up: "-> ..",
      chain: "-> link-out/deep",
      loop: "-> loop",
      dangling: `-> ${outside}/not yet`,
      "CLAUDE.md": "-> docs/read me.md",
      hooks: "-> .git/hooks",
      ".git/hooks/pre-commit": "#!/bin/sh",
    });
    return { roots: [{ name: "work", path }], outside };
  }

  test("a path inside the workspace resolves to its real path, whatever way it is written", async () => {
    const { roots } = await house();
    const root = roots[0] as Root;
    const shownFor = async (asked: string) => {
      const place = await confine(asked, roots);
      return place.kind === "inside" ? `${place.shown}${place.exists ? "" : " (new)"}` : place.code;
    };
    const cases: [string, string][] = [
      ["src/a.ts", "src/a.ts"],
      ["./src//a.ts", "src/a.ts"],
      ["src/../src/a.ts", "src/a.ts"],
      [join(root.path, "src/a.ts"), "src/a.ts"],
      [root.path, "."],
      [".", "."],
      ["work/src/a.ts", "src/a.ts"], // the root's own name in front
      ["in.txt", "src/a.ts"],
      ["link-in/a.ts", "src/a.ts"],
      ["src/new/deep/b.ts", "src/new/deep/b.ts (new)"],
      ["link-in/new.ts", "src/new.ts (new)"],
      ["src/a.ts/below", "src/a.ts/below (new)"],
      ["..name", "..name (new)"],
      ["up/outside.txt", "outside_workspace"],
      ["link-out", "outside_workspace"],
      ["link-out/secret.txt", "outside_workspace"],
      ["link-out/new.txt", "outside_workspace"],
      ["file-out", "outside_workspace"],
      ["chain/secret.txt", "outside_workspace"],
      ["..", "outside_workspace"],
      ["../x", "outside_workspace"],
      ["src/../../x", "outside_workspace"],
      ["/etc/passwd", "outside_workspace"],
      [`${root.path}-sibling/x`, "outside_workspace"],
      ["~", "outside_workspace"],
      ["~/.ssh/id_rsa", "outside_workspace"],
      ["dangling", "invalid_path"],
      ["dangling/x", "invalid_path"],
      ["loop", "invalid_path"],
      ["", "invalid_path"],
      ["src/a.ts\0.png", "invalid_path"],
      ["C:\\Windows\\win.ini", "invalid_path"],
      ["c:/Windows", "invalid_path"],
      ["\\\\server\\share\\x", "invalid_path"],
      ["//server/share/x", "invalid_path"],
      ["x".repeat(5000), "invalid_path"],
    ];
    for (const [asked, expected] of cases) {
      assert.equal(await shownFor(asked), expected, JSON.stringify(asked.slice(0, 80)));
    }
  });

  test("on Windows, shapes that mean another file, a stream, a device or a drive are refused", () => {
    const roots = [{ name: "work", path: "D:\\work" }];
    const decide = (asked: string) => {
      const candidates = candidatesFor(asked, roots, win32);
      return "kind" in candidates ? candidates.code : candidates[0];
    };
    assert.equal(decide("src/a.ts"), "D:\\work\\src\\a.ts");
    assert.equal(decide("src\\a.ts"), "D:\\work\\src\\a.ts");
    assert.equal(decide("D:\\work\\a.ts"), "D:\\work\\a.ts");
    for (const asked of ["..\\x", "a\\..\\..\\x", "~\\x"])
      assert.equal(decide(asked), "outside_workspace", asked);
    assert.equal(decide("\\\\server\\share\\x"), "outside_workspace"); // before anything is looked at
    const shapes = ["\\x", "/x", "C:x", "C:", "\\\\?\\D:\\work\\a", "\\\\.\\pipe\\x", "//?/D:/work"];
    const names = ["a.ts:stream", ".git.", ".git ", "a. /b", "con", "NUL.txt", "src/com1", "a<b", "LPT¹"];
    for (const asked of [...shapes, ...names]) assert.equal(decide(asked), "invalid_path", asked);
  });

  test("with several folders a path starts with a folder's name, or is in one of them only", async () => {
    const one = await temporaryFolder({ "a.ts": "", "both.ts": "", "sub/x.ts": "" });
    const two = await temporaryFolder({ "b.ts": "", "both.ts": "", cross: `-> ${one}` });
    const roots = [
      { name: "one", path: one },
      { name: "two", path: two },
      { name: "nested", path: join(one, "sub") },
    ];
    const shownFor = async (asked: string) => {
      const place = await confine(asked, roots);
      return place.kind === "inside" ? place.shown : place.code;
    };
    assert.equal(await shownFor("one/a.ts"), "one/a.ts");
    assert.equal(await shownFor("two"), "two");
    assert.equal(await shownFor("b.ts"), "two/b.ts");
    assert.equal(await shownFor("one/../two/b.ts"), "two/b.ts");
    assert.equal(await shownFor("two/cross/a.ts"), "one/a.ts"); // a link from one folder of the workspace to another
    assert.equal(await shownFor("one/sub/x.ts"), "nested/x.ts");
    assert.equal(await shownFor("both.ts"), "ambiguous_path");
    assert.equal(await shownFor("new.ts"), "ambiguous_path");
    assert.equal(await shownFor("."), "ambiguous_path");
    assert.equal(await shownFor("one/../../x"), "outside_workspace");
  });

  test("without a folder there is nothing to reach", () => {
    const candidates = candidatesFor("a", [], posix);
    assert.ok("kind" in candidates && candidates.code === "no_workspace");
  });

  test("a place is sensitive by the name that was asked for and by the file it leads to", async () => {
    const { roots } = await house();
    const isSensitive = async (asked: string) => {
      const place = await confine(asked, roots);
      return place.kind === "inside" && place.sensitive;
    };
    assert.equal(await isSensitive("docs/read me.md"), false);
    assert.equal(await isSensitive("CLAUDE.md"), true);
    assert.equal(await isSensitive("hooks/pre-commit"), true);
    assert.equal(await isSensitive("hooks/new"), true);
  });

  test("no path, through any links, reaches what lies outside (property)", async () => {
    const { roots, outside } = await house();
    const root = (roots[0] as Root).path;
    const names = [
      "src",
      "a.ts",
      "in.txt",
      "link-in",
      "link-out",
      "file-out",
      "up",
      "chain",
      "loop",
      "dangling",
    ];
    const segment = fc.constantFrom(
      ...names,
      ...[
        "secret.txt",
        "deep",
        "new",
        "work",
        "..",
        ".",
        "",
        "~",
        "...",
        "..\\..",
        "C:",
        outside.slice(1),
        root.slice(1),
      ],
    );
    const prefix = fc.constantFrom(
      "",
      "",
      "",
      "/",
      "./",
      "../",
      "//",
      `${root}/`,
      `${outside}/`,
      "~/",
      "\\\\",
    );
    const path = fc
      .tuple(prefix, fc.array(segment, { maxLength: 7 }))
      .map(([start, parts]) => start + parts.join("/"));
    let inside = 0;
    await fc.assert(
      fc.asyncProperty(path, async (asked) => {
        const place = await confine(asked, roots);
        if (place.kind !== "inside") return;
        inside++;
        let existing = place.path;
        let real = "";
        while (real === "") {
          real = await realpath(existing).catch(() => "");
          if (real === "") existing = dirname(existing);
        }
        assert.equal(real, existing, "the path has no links in it");
        assert.ok(real === root || real.startsWith(root + sep), `${asked} reached ${real}`);
        const read = await readFromDisk(place.path, 100);
        if (read.kind === "file") assert.notEqual(Buffer.from(read.bytes).toString(), "SECRET");
      }),
      { numRuns: 1500 },
    );
    assert.ok(inside > 100, `only ${inside} paths were inside: the property looked at too little`);
  });
});
