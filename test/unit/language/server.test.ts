/** The real server: bundled as it is shipped, in its own process, spoken to over stdio. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import {
  createProtocolConnection,
  type Diagnostic,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { artifactWith, contractWith } from "../../support/thimble";

const URI = "file:///project/.vscode/thimble.json";
const textOf = (...contracts: object[]): string =>
  JSON.stringify(artifactWith(contracts.map(contractWith)), null, 1);

suite("language/server", () => {
  let folder: string;
  let server: ChildProcess;
  let client: ProtocolConnection;
  const published: PublishDiagnosticsParams[] = [];
  let tell: (() => void) | null = null;

  /** The next diagnostics for `version`; null = published without one (the document was closed). */
  async function diagnosticsOf(version: number | null): Promise<Diagnostic[]> {
    for (;;) {
      const found = published.find((p) => (p.version ?? null) === version);
      if (found !== undefined) return found.diagnostics;
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
  }

  suiteSetup(async () => {
    folder = mkdtempSync(join(tmpdir(), "thimble language "));
    const outfile = join(folder, "languageServer.cjs");
    await build({
      entryPoints: [join(import.meta.dirname, "..", "..", "..", "src", "language", "server.ts")],
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      mainFields: ["module", "main"],
      logLevel: "error",
    });
    server = spawn(process.execPath, [outfile, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    assert.ok(server.stdout && server.stdin);
    client = createProtocolConnection(
      new StreamMessageReader(server.stdout),
      new StreamMessageWriter(server.stdin),
    );
    client.onNotification(PublishDiagnosticsNotification.type, (params) => {
      published.push(params);
      tell?.();
    });
    client.listen();
    const { capabilities } = await client.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
    });
    assert.deepEqual(capabilities, { textDocumentSync: 2, hoverProvider: true });
    await client.sendNotification(InitializedNotification.type, {});
  });

  suiteTeardown(() => {
    client?.dispose();
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = (text: string, version: number) =>
    client.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: URI, languageId: "json", version, text },
    });

  test("a duplicate contract is published with its range", async () => {
    await open(textOf({}, {}), 1);
    const [diagnostic, ...rest] = await diagnosticsOf(1);
    assert.deepEqual(rest, []);
    assert.equal(diagnostic?.code, "duplicate_contract");
    assert.deepEqual(diagnostic?.range, {
      start: { line: 19, character: 15 },
      end: { line: 19, character: 23 },
    });
  });

  test("an edit of the second contract clears it, and the hover says what the contract does", async () => {
    await client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: URI, version: 2 },
      contentChanges: [
        { range: { start: { line: 19, character: 15 }, end: { line: 19, character: 23 } }, text: '"/first"' },
      ],
    });
    assert.deepEqual(await diagnosticsOf(2), []);
    const hovered = await client.sendRequest(HoverRequest.type, {
      textDocument: { uri: URI },
      position: { line: 19, character: 17 },
    });
    assert.match(JSON.stringify(hovered?.contents), /\/first of search above 10 is lowered/);
  });

  test("bad input does not end the server: deep nesting, wild edits, unknown documents, a flood of changes", async () => {
    const replace = (text: string, version: number) =>
      client.sendNotification(DidChangeTextDocumentNotification.type, {
        textDocument: { uri: URI, version },
        contentChanges: [{ text }],
      });
    await replace("[".repeat(100_000), 3);
    assert.equal((await diagnosticsOf(3))[0]?.code, "syntax");
    await client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: URI, version: 4 },
      contentChanges: [
        {
          range: { start: { line: 9, character: 99 }, end: { line: 2, character: 0 } },
          text: "\ud800\u0000",
        },
      ],
    });
    await client.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: "file:///never/opened.json", version: 1 },
      contentChanges: [{ text: "{" }],
    });
    for (let version = 5; version < 200; version++) await replace(`{${version}`, version);
    await replace(textOf({}, {}), 200);
    assert.equal((await diagnosticsOf(200))[0]?.code, "duplicate_contract");
    await new Promise((resolve) => setTimeout(resolve, 400)); // longer than the server waits for quiet
    assert.ok(published.filter((p) => (p.version ?? 0) >= 5).length < 50, "changes are not debounced");
  });

  test("closing clears the diagnostics, and the server leaves when asked", async () => {
    await client.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri: URI } });
    assert.deepEqual(await diagnosticsOf(null), []);
    const left = new Promise<number | null>((resolve) => server.once("exit", resolve));
    await client.sendRequest(ShutdownRequest.type);
    await client.sendNotification(ExitNotification.type);
    assert.equal(await left, 0);
  });
});
