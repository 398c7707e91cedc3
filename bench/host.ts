// bench: what the extension costs a VS Code: the size of its package, and its activation in fresh extension hosts.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { packageExtension } from "../scripts/package";
import { installVsix } from "../test/vscode/commandLine";
import { ensureHost } from "../test/vscode/install";
import { type Server, serverFolders, startServer } from "../test/vscode/server";
import { launchBrowser, openWorkbench } from "../test/vscode/workbench";
import type { BenchResult } from "./run";

const HOSTS = 20;

type Measured =
  | { pid: number; activationMs: number; wasActive: boolean; hostSeconds: number }
  | { error: string };

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

function readMeasured(file: string): Measured[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Measured);
}

/** Opens windows side by side, each with a new extension host that measures one activation once all is quiet. */
async function measureSideBySide(browser: Browser, server: Server, output: string, count: number) {
  const before = readMeasured(output).length;
  const extensions = [path.join(import.meta.dirname, "hostProbe")];
  const pages = await Promise.all(
    Array.from({ length: count }, () => openWorkbench(browser, server, { extensions })),
  );
  const untilMs = Date.now() + 180_000;
  while (readMeasured(output).length < before + count) {
    if (Date.now() > untilMs) throw new Error("an extension host measured nothing within 180 s");
    await sleep(200);
  }
  for (const page of pages) await page.context().close(); // its extension host ends with it
  return readMeasured(output)
    .slice(before)
    .map((measured) => {
      if ("error" in measured) throw new Error(measured.error);
      if (measured.wasActive) throw new Error("the extension was active before it was asked for");
      if (measured.hostSeconds < 5)
        throw new Error(`measured ${measured.hostSeconds} s after the host's start`);
      return measured;
    });
}

export async function run(): Promise<BenchResult> {
  await ensureHost();
  const base = mkdtempSync(path.join(os.tmpdir(), "clk-"));
  const output = path.join(base, "measured.jsonl");
  const vsix = path.join(base, "cloakroom.vsix");
  try {
    const { bytes } = await packageExtension(vsix);
    const folders = serverFolders(base);
    await installVsix(folders, vsix);
    const server = await startServer({
      folders,
      environment: { ...process.env, CLOAKROOM_BENCH_OUTPUT: output },
    });
    const browser = await launchBrowser();
    try {
      const measured = [];
      while (measured.length < HOSTS) measured.push(...(await measureSideBySide(browser, server, output, 2)));
      const hosts = new Set(measured.map(({ pid }) => pid)).size;
      if (hosts !== HOSTS) throw new Error(`${HOSTS} activations in ${hosts} extension hosts`);
      const times = measured.map(({ activationMs }) => activationMs);
      const rounded = (value: number) => Number(value.toFixed(1));
      return {
        rows: [
          ["package", `${bytes} bytes`],
          ["activation, median", `${rounded(median(times))} ms`],
          ["activation, range", `${rounded(Math.min(...times))} to ${rounded(Math.max(...times))} ms`],
          ["extension hosts", `${hosts}`],
        ],
        json: { vsix_bytes: bytes, activation_ms_p50: rounded(median(times)) },
      };
    } finally {
      await browser.close();
      await server.stop();
    }
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
