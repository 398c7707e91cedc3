import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { lineCount } from "../../../src/schema/text";
import { createReadFile } from "../../../src/tools/createReadFile";
import { decodeText, encodeText } from "../../../src/tools/decodeText";
import { lineRange } from "../../../src/tools/lineRange";
import { openNodeWorkspace, readFromDisk } from "../../../src/tools/nodeWorkspace";
import type { Workspace } from "../../../src/tools/ports";
import {
  callTool,
  type Files,
  removeTemporaryFolders,
  temporaryWorkspace,
} from "../../support/temporaryWorkspace";

suite("tools/read_file", () => {
  suiteTeardown(removeTemporaryFolders);

  async function read(files: Files, input: unknown) {
    const { ports } = await temporaryWorkspace(files);
    return callTool(createReadFile(ports.workspace), input);
  }

  test("a whole file comes byte for byte: BOM, CRLF, no final line break, control characters", async () => {
    const text = "\uFEFFeins\r\nzwei\n\x1b[31mdrei\rvier 👩‍👩‍👧";
    assert.deepEqual(await read({ "a.txt": text }, { path: "a.txt" }), { kind: "ok", text });
  });

  test("an empty file is empty text", async () => {
    assert.deepEqual(await read({ "a.txt": "" }, { path: "a.txt" }), { kind: "ok", text: "" });
  });

  test("UTF-16 with a byte order mark is text, without one it is binary", async () => {
    const le = Buffer.from("\uFEFFhallo\r\n", "utf16le");
    const be = Buffer.from(le).swap16();
    assert.equal((await read({ a: le }, { path: "a" })).text, "\uFEFFhallo\r\n");
    assert.equal((await read({ a: be }, { path: "a" })).text, "\uFEFFhallo\r\n");
    const bare = await read({ a: le.subarray(2) }, { path: "a" });
    assert.deepEqual(bare.media, [{ mediaType: "application/octet-stream", bytes: le.subarray(2) }]);
  });

  test("a range says which lines of how many, and keeps their line ends", async () => {
    const files = { "src/a.ts": "1\r\n2\n3\r4\n5" };
    const range = async (input: object) => {
      const outcome = await read(files, { path: "src/a.ts", ...input });
      return outcome.kind === "ok" ? [outcome.class, outcome.text] : [outcome.code];
    };
    assert.deepEqual(await range({ startLine: 2, endLine: 3 }), [
      "read_range",
      "[Lines 2–3 of 5 of src/a.ts]\n2\n3\r",
    ]);
    assert.deepEqual(await range({ startLine: 4 }), ["read_range", "[Lines 4–5 of 5 of src/a.ts]\n4\n5"]);
    assert.deepEqual(await range({ endLine: 1 }), ["read_range", "[Lines 1–1 of 5 of src/a.ts]\n1\r\n"]);
    assert.deepEqual(await range({ startLine: 5, endLine: 99 }), [
      "read_range",
      "[Lines 5–5 of 5 of src/a.ts]\n5",
    ]);
    assert.deepEqual(await range({ startLine: 6 }), ["out_of_range"]);
    assert.deepEqual(await range({ startLine: 3, endLine: 2 }), ["invalid_arguments"]);
    assert.deepEqual((await read({ a: "" }, { path: "a", startLine: 1 })).text, "[a is empty: 0 lines.]");
  });

  test("C25 an image is one part and no text, by its first bytes, whatever it is called and whatever lines are asked for", async () => {
    const images: [string, string][] = [
      ["image/png", "89504e470d0a1a0a0000"],
      ["image/jpeg", "ffd8ffe000104a464946"],
      ["image/gif", "47494638396101000100"],
      ["image/webp", "52494646100000005745425056503820"],
    ];
    for (const [mediaType, hex] of images) {
      const bytes = Buffer.from(hex, "hex");
      const expected = { kind: "ok", text: "", media: [{ mediaType, bytes }] };
      assert.deepEqual(await read({ "notes.txt": bytes }, { path: "notes.txt" }), expected);
      assert.deepEqual(await read({ a: bytes }, { path: "a", startLine: 5 }), expected);
    }
    assert.deepEqual(await read({ "logo.png": "text" }, { path: "logo.png" }), { kind: "ok", text: "text" });
  });

  test("C25 another binary file is one part too, and a sentence says what it is", async () => {
    const binaries: [string, string, RegExp][] = [
      [
        "255044462d312e3700ff",
        "application/pdf",
        /^"a" is not text \(PDF document, 10 bytes\)\. Use run_command/,
      ],
      ["424d00ff", "image/bmp", /BMP image/],
      ["52494646ffffffff57415645", "application/octet-stream", /encoding other than UTF-8/],
      ["00ff00", "application/octet-stream", /binary data, 3 bytes/],
      ["636166e9", "application/octet-stream", /encoding other than UTF-8, 4 bytes/],
    ];
    for (const [hex, mediaType, words] of binaries) {
      const bytes = Buffer.from(hex, "hex");
      const { text, ...rest } = await read({ a: bytes }, { path: "a" });
      assert.deepEqual(rest, { kind: "ok", media: [{ mediaType, bytes }] });
      assert.match(text, words);
    }
  });

  test("what cannot be read says why and what to do", async () => {
    const files = { "src/a.ts": "", out: "-> /etc/hostname" };
    const failure = async (path: string) => {
      const outcome = await read(files, { path });
      assert.equal(outcome.kind, "failed", path);
      return outcome.kind === "failed" ? `${outcome.code}: ${outcome.text}` : "";
    };
    assert.match(await failure("src"), /^is_folder: .*list_files.*"src\/\*\*"/);
    assert.match(await failure("src/b.ts"), /^not_found: .*list_files.*"\*\*\/b.ts"/);
    assert.match(await failure("src/a.ts/x"), /^not_found: /);
    assert.match(await failure("out"), /^outside_workspace: /);
    assert.match(await failure("../x"), /^outside_workspace: /);
  });

  test("a pipe is refused at once instead of being waited for", async function () {
    if (process.platform === "win32") return this.skip();
    const { path, ports } = await temporaryWorkspace();
    execFileSync("mkfifo", [join(path, "pipe")]);
    const outcome = await callTool(createReadFile(ports.workspace), { path: "pipe" });
    assert.equal(outcome.kind === "failed" && outcome.code, "not_a_file");
  });

  test("a link that took a file's place after its path was resolved is not followed", async function () {
    if (process.platform === "win32") return this.skip();
    const { path } = await temporaryWorkspace({ a: "-> /etc/hostname" });
    assert.deepEqual(await readFromDisk(join(path, "a"), 100), { kind: "unreadable", reason: "ELOOP" });
  });

  test("a file above 64 MB and one that may not be read are refused with the reason", async () => {
    const { ports } = await temporaryWorkspace({ a: "x" });
    const answering = (read: Workspace["read"]) =>
      callTool(createReadFile({ ...ports.workspace, read }), { path: "a" });
    const large = await answering(async (_path, maxBytes) => ({
      kind: "too_large",
      sizeBytes: maxBytes + 1,
    }));
    assert.match(large.text, /67108865 bytes; the limit is 67108864/);
    const closed = await answering(async () => ({ kind: "unreadable", reason: "EACCES" }));
    assert.match(closed.text, /EACCES.*permissions/);
  });

  test("arguments that do not fit are refused by name with what is wanted", async () => {
    const problem = async (input: unknown) => {
      const outcome = await read({ a: "1\n2\n" }, input);
      return outcome.kind === "failed" ? `${outcome.code} ${outcome.text}` : outcome.text;
    };
    assert.match(
      await problem({ path: "a", startLine: "10" }),
      /^invalid_arguments startLine: .*got "10".*whole number/,
    );
    assert.match(await problem({ path: "a", startLine: 1.5 }), /startLine: .*got 1\.5/);
    assert.match(await problem({ path: "a", startLine: 0 }), /startLine: .*got 0/);
    assert.match(await problem('{"path":"a","endLine":12345678901234567890}'), /endLine: /);
    assert.match(await problem({}), /path: .*it is missing/);
    assert.match(await problem(""), /path: .*it is missing/);
    assert.match(
      await problem({ path: "a", file: "b" }),
      /Unknown argument "file"\. Known: path, startLine, endLine/,
    );
    assert.match(await problem('{"path":"a","__proto__":{}}'), /Unknown argument "__proto__"/);
    assert.match(await problem("[1]"), /must be a JSON object/);
    assert.match(await problem('{"path":'), /not valid JSON/);
    assert.equal(await problem('{"path":"a","startLine":2.0}'), "[Lines 2–2 of 2 of a]\n2\n");
  });

  test("a stopped call does not read", async () => {
    const { ports } = await temporaryWorkspace({ a: "x" });
    const signal = AbortSignal.abort();
    const outcome = await callTool(createReadFile(ports.workspace), { path: "a" }, { signal });
    assert.equal(outcome.kind === "failed" && outcome.code, "stopped");
  });

  test("a workspace needs folders that exist, each with its own name", async () => {
    const { path } = await temporaryWorkspace();
    await assert.rejects(openNodeWorkspace([]), { code: "no-workspace" });
    await assert.rejects(openNodeWorkspace([{ name: "a", path: join(path, "none") }]), {
      code: "no-workspace",
    });
    await assert.rejects(
      openNodeWorkspace([
        { name: "a", path },
        { name: "a", path },
      ]),
      { code: "no-workspace" },
    );
  });

  test("text decodes and encodes back to the same bytes, or is binary (property)", () => {
    const marks = fc.constantFrom([], [0xff, 0xfe], [0xfe, 0xff], [0xef, 0xbb, 0xbf]);
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: "binary" }).map((s) => Buffer.from(s)),
    );
    fc.assert(
      fc.property(marks, body, (mark, rest) => {
        const bytes = Buffer.concat([Buffer.from(mark), rest]);
        const decoded = decodeText(bytes);
        if (decoded.kind === "text")
          assert.deepEqual(Buffer.from(encodeText(decoded.text, decoded.encoding)), bytes);
      }),
      { numRuns: 1000 },
    );
  });

  test("the lines of a text, one after the other, are the text (property)", () => {
    const pieces = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "é", "👍"), { maxLength: 20 });
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        const lines = Array.from({ length: lineCount(text) }, (_, i) => lineRange(text, i + 1, i + 1));
        assert.equal(lines.join(""), text);
        assert.ok(lines.every((line) => lineCount(line) === 1));
      }),
      { numRuns: 500 },
    );
  });
});
