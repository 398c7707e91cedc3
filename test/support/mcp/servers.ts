// test/support: MCP servers for tests: ones that break their word, real ones behind a proxy that records, and their tools.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/bootstrap.mjs";
import { type McpPorts, openServers } from "../../../src/mcp/openServers";
import { type McpServers, mcpServersFrom } from "../../../src/mcp/settings";
import type { Tool, ToolOutcome } from "../../../src/schema/tool";
import { sha256 } from "../../../src/store/digest";
import { endProcessTree } from "../../../src/tools/processTree";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** The settings of a server that behaves as `mode` says (fakeServer.mjs). */
export const fake = (mode: string, tools?: readonly unknown[], env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [here("fakeServer.mjs"), mode, ...(tools ? [JSON.stringify(tools)] : [])],
  env,
});

/** A real server from npm behind the recording proxy. `log`: where its lines are written down. */
export function real(log: string, script: string, ...args: string[]) {
  const program = path.join(root, "node_modules", script);
  return {
    command: process.execPath,
    args: [here("recordingProxy.mjs"), log, process.execPath, program, ...args],
  };
}

type Rpc = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  readonly result?: {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
  };
};
export type Line = { readonly to: "server" | "client"; readonly message: Rpc };

/** What went through the proxy, as parsed messages. */
export const linesIn = (log: string): Line[] =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .map(({ to, line }) => ({ to, message: JSON.parse(line) }));

/** The calls that a server received: name and arguments. */
export const callsIn = (log: string): unknown[] =>
  linesIn(log)
    .filter(({ to, message }) => to === "server" && message.method === "tools/call")
    .map(({ message: { params } }) => [params?.name, params?.arguments]);

const opened: { close(): Promise<void> }[] = [];

/** Opens servers as a run does; `closeAll` ends what a test left open. */
export async function open(
  servers: Record<string, unknown>,
  ports: Partial<McpPorts> = {},
  signal = new AbortController().signal,
) {
  const problems: string[] = [];
  const printed: string[] = [];
  const { tools, close } = await openServers(
    mcpServersFrom(servers, "test") as McpServers,
    {
      endProcessTree,
      folder: os.tmpdir(),
      startTimeoutMs: 20_000,
      callTimeoutMs: 20_000,
      hash: sha256,
      onProblem: (sentence) => problems.push(sentence),
      onPrinted: (server, text) => printed.push(`${server}: ${text}`),
      ...ports,
    },
    signal,
  );
  const result = { tools, problems, printed, close, names: tools.map(({ spec }) => spec.name) };
  opened.push(result);
  return result;
}

export const closeAll = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
};

/** Shows the call, then runs it as it was shown. `progress` gets what the tool tells on the way. */
export async function call(
  tool: Tool | undefined,
  given: string | object,
  {
    signal = new AbortController().signal,
    progress = () => undefined,
  }: { signal?: AbortSignal; progress?: (text: string) => void } = {},
): Promise<ToolOutcome> {
  if (tool === undefined) throw new Error("there is no such tool");
  const text = typeof given === "string" ? given : JSON.stringify(given);
  const preview = (await tool.preview?.(text, signal)) ?? null;
  return tool.run(text, { signal, preview, progress });
}

/** An outcome as a picture: its code or "ok", then its text. */
export const picture = (outcome: ToolOutcome): string =>
  `${outcome.kind === "ok" ? "ok" : `${outcome.kind} ${outcome.code}`}: ${outcome.text}`;

/** A folder that is gone after the suite. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-mcp-"));
  suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A git repository with that many commits, "change 1" the oldest. */
export function repositoryOf(commits: number, folder: string): string {
  const repository = path.join(folder, "repository");
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", repository]);
  const input = Array.from({ length: commits }, (_, i) => {
    const message = `change ${i + 1}`;
    const head = `commit refs/heads/main\nmark :${i + 1}\ncommitter A <a@example.com> ${1_700_000_000 + i} +0000\n`;
    return `${head}data ${message.length}\n${message}\n${i === 0 ? "" : `from :${i}\n`}\n`;
  });
  execFileSync("git", ["-C", repository, "fast-import", "--quiet"], { input: input.join("") });
  return repository;
}
