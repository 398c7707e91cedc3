// test/support: documents that name tests, and the titles that test files have.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";

export type Row = { readonly about: readonly string[]; readonly file: string; readonly name: string };

const ROW = /^\| (?<about>.+?) +\| `(?<file>test\/[^`]+)` "(?<name>.+)" +\|$/;

/** The lines of the table under a heading, without its head. */
export function tableUnder(document: string, heading: string): readonly string[] {
  const text = readFileSync(path.join(root, "docs", document), "utf8");
  const from = text.indexOf(heading);
  assert.ok(from >= 0, `${document} has no "${heading}"`);
  const section = text.slice(from + heading.length).split(/^## /m)[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2);
}

/** The rows of a table whose last column names a test, each of which must be there under that name. */
export function namedTests(document: string, heading: string): readonly Row[] {
  return tableUnder(document, heading).map((line) => {
    const { about, file, name } = ROW.exec(line)?.groups ?? {};
    assert.ok(about && file && name, `the last column is not "file and test": ${line}`);
    const text = readFileSync(path.join(root, file), "utf8");
    assert.ok(text.includes(`"${name}"`), `${file} has no test "${name}"`);
    return { about: about.split(" | ").map((cell) => cell.trim()), file, name };
  });
}

const TITLE = /^\s*(?:test|sharedTest)\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gm;

/** The titles of all tests below `test`, as they stand in the source. */
export function allTitles(): readonly string[] {
  const folder = path.join(root, "test");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .flatMap((name) => [...readFileSync(path.join(folder, name), "utf8").matchAll(TITLE)])
    .map(([, quoted, template]) => quoted ?? template ?? "");
}
