/** CONFORMANCE §1 Wording: the sentences, generated and parsed in one place; handles; kinds of text. */
import assert from "node:assert/strict";
import { handleOf, parseHandle } from "../../../src/claims/handle";
import { describe, isBinaryLooking } from "../../../src/claims/kind";
import { agedLine, opaqueTicketOf, parseTicket, ticketOf, windowText } from "../../../src/claims/ticket";
import { windowOf } from "../../../src/claims/window";
import { sha256 } from "../../support/hash";

const SALT = "00112233445566778899aabbccddeeff";
const handle = handleOf(SALT, sha256("content"), sha256);
const facts = {
  tool: "read_contract",
  handle,
  totalChars: 92_104,
  what: "1403 lines, text",
  head: "Clause 1.",
  headChars: 508,
  tail: "",
  tailChars: 0,
};

test("§1 a ticket says at both ends, outside the content, how much is missing", () => {
  assert.equal(
    ticketOf(facts),
    `[Incomplete: first 508 of 92104 characters from read_contract (1403 lines, text). Absence below proves nothing.]

Clause 1.

[92104 characters, 91596 not shown. Call fetch_result with handle='${handle}' to read the rest.]`,
  );
  assert.deepEqual(parseTicket(ticketOf(facts)), { handle, totalChars: 92_104, hiddenChars: 91_596 });
  const withTail = ticketOf({ ...facts, tail: "exit 1", tailChars: 6 });
  assert.match(withTail, /^\[Incomplete: first 508 and last 6 of 92104 characters/);
  assert.ok(withTail.includes("\n\n[… 91590 characters not shown here …]\n\nexit 1\n\n"));
  assert.equal(parseTicket(withTail)?.hiddenChars, 91_590);
  assert.equal(parseTicket("no ticket"), null);
});

test("§1 windows, aged lines and opaque content in the words of the rules", () => {
  const content = "x".repeat(92_104);
  const cases: [string, string][] = [
    [
      windowText(handle, windowOf(content, 4096)).slice(4096),
      `\n\n[Characters 4096–8191 of 92104; 83912 remain. Next: fetch_result with handle='${handle}', offset=8192]`,
    ],
    [
      windowText(handle, windowOf(content, 92_100)),
      "xxxx\n\n[Characters 92100–92103 of 92104; this is the end.]",
    ],
    [windowText(handle, windowOf(content, 99_999)), "[No characters at 99999 of 92104; this is the end.]"],
    [
      agedLine({
        ...facts,
        tool: "read_file",
        subject: "src/a.go",
        lines: 450,
        kind: "Go source",
        totalChars: 28_104,
      }),
      `[read_file src/a.go: 450 lines, 28104 characters, Go source; shown earlier, now stored. Call fetch_result with handle='${handle}' to read it again.]`,
    ],
    [
      opaqueTicketOf({ ...facts, what: "binary or encoded data", bytes: 92_104, sha256: "ab" }),
      `[Not shown: 92104 characters from read_contract (binary or encoded data, 92104 bytes, digest ab). Call fetch_result with handle='${handle}' to read them.]`,
    ],
  ];
  for (const [text, expected] of cases) assert.equal(text, expected);
});

test("C7 C8 a handle follows from session and content: same in, same out; another session, another handle", () => {
  assert.equal(handleOf(SALT, sha256("content"), sha256), handle);
  assert.notEqual(handleOf("f".repeat(32), sha256("content"), sha256), handle);
  assert.notEqual(handleOf(SALT, sha256("Content"), sha256), handle);
  assert.equal(handle, `claim:${sha256(SALT + sha256("content")).slice(0, 32)}`);
});

test("C12 only text of a handle's exact form is one", () => {
  assert.equal(parseHandle(handle), handle);
  for (const given of [
    "",
    "/etc/passwd",
    "claim:../x",
    "claim:",
    handle.slice(6),
    `${handle}0`,
    `${handle}\n`,
    `${handle}\0`,
    ` ${handle}`,
    handle.toUpperCase(),
    `claim:${"0".repeat(1500)}`,
    `${handle}/../../x`,
  ])
    assert.equal(parseHandle(given), null, JSON.stringify(given));
});

test("§4 a text's kind: JSON only where it parses, source by language, then diff, log, tables", () => {
  const go = "package main\n\nfunc main() {}\n";
  const cases: [string, string][] = [
    ['{"a":1}', "1 line, JSON"],
    ["[1,\n2]\n", "2 lines, JSON"],
    ["{ not json", "1 line, text"],
    [go, "3 lines, Go source"],
    ["def f():\n    pass\n", "2 lines, Python source"],
    ["function f() {}\n", "1 line, JavaScript source"],
    ['import x from "y";\n', "1 line, TypeScript source"],
    [`diff --git a/a.go b/a.go\n${go}`, "4 lines, diff"],
    ["--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "3 lines, diff"],
    ["commit 0123456789abcdef\nAuthor: A\n", "2 lines, git log"],
    ["a,b,c\n1,2,3\n4,5,6\n7,8,9\n", "4 lines, CSV"],
    ["a\tb\tc\n1\t2\t3\n4\t5\t6\n7\t8\t9\n", "4 lines, TSV"],
    ["2026-01-01 10:00 a\n2026-01-01 10:01 b\n2026-01-01 10:02 c\n", "3 lines, log"],
    ["The package arrived.\n", "1 line, text"],
    ["a\r\nb\rc", "3 lines, text"],
  ];
  for (const [text, expected] of cases) assert.equal(describe(text), expected, text.slice(0, 30));
});

test("§1 base64 and binary data show no head, prose and code do", () => {
  const bytes = Array.from({ length: 3000 }, (_, i) => (i * 7919 + 13) % 251);
  const base64 = btoa(String.fromCharCode(...bytes));
  const utf16 = [..."plain text, twice as wide"]
    .map((char) => `${char}\0`)
    .join("")
    .repeat(20);
  const cases: [string, boolean][] = [
    [base64, true],
    [base64.replace(/.{76}/g, "$&\n"), true],
    ["\ufffd\x00\x01".repeat(200), true],
    [utf16, true],
    ["x".repeat(6000), false],
    ["A sentence of 2 words. ".repeat(200), false],
    ["const a1 = B2;\n".repeat(200), false],
    ["short", false],
  ];
  for (const [text, expected] of cases) assert.equal(isBinaryLooking(text), expected, text.slice(0, 20));
});
