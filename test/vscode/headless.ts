// test/vscode: takes the arguments that @vscode/test-electron gives to VS Code, runs the tests in the npm-hosted one's
// extension host, relays their output and exits with their result.
//   CLOAKROOM_HEADLESS_SECONDS   limit for the whole run (default 300)
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { format } from "node:util";
import { parseArguments } from "./arguments";
import { runCommandLine } from "./commandLine";
import { vscodeFolder } from "./places";
import { startServer } from "./server";
import { launchBrowser, openWorkbench } from "./workbench";

const given = parseArguments(process.argv.slice(2));
const temporary = mkdtempSync(path.join(os.tmpdir(), "clk-"));
const folders = {
  userData: path.resolve(given.last("user-data-dir") ?? path.join(temporary, "user")),
  extensions: path.resolve(given.last("extensions-dir") ?? path.join(temporary, "extensions")),
  server: path.join(temporary, "s"),
};

function exitWith(code: number): never {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

/** `code --version`, `--install-extension FILE`, `--list-extensions`: everything that does not open a window. */
async function runWithoutWindow(): Promise<void> {
  if (given.last("version") !== undefined) {
    console.log(JSON.parse(readFileSync(path.join(vscodeFolder(), "package.json"), "utf8")).version);
    exitWith(0);
  }
  const asked = ["install-extension", "uninstall-extension", "list-extensions"].flatMap((name) =>
    given.all(name).flatMap((value) => (value ? [`--${name}`, value] : [`--${name}`])),
  );
  if (asked.length === 0) return;
  const manner = ["show-versions", "force"]
    .filter((name) => given.last(name) !== undefined)
    .map((name) => `--${name}`);
  exitWith(await runCommandLine(folders, [...asked, ...manner], "inherit"));
}

async function runTests(testsPath: string): Promise<void> {
  const output = path.join(temporary, "tests.out");
  const logFile = path.join(temporary, "log.txt");
  const log = (text: string) => appendFileSync(logFile, text);
  writeFileSync(output, "");
  const descriptor = openSync(output, "r");
  const buffer = Buffer.alloc(65_536);
  const relay = () => {
    for (;;) {
      const count = readSync(descriptor, buffer, 0, buffer.length, null);
      if (count === 0) return;
      process.stdout.write(Buffer.from(buffer.subarray(0, count)));
    }
  };

  let settle: (result: { code: number; why?: string }) => void = () => {};
  const result = new Promise<{ code: number; why?: string }>((resolve) => {
    settle = resolve;
  });
  const fail = (why: string, code = 1) => settle({ code, why });
  const started = () => existsSync(`${output}.started`);
  const parent = process.ppid;
  const watch = setInterval(() => {
    relay();
    if (process.ppid !== parent) fail("whoever started the tests is gone", 130);
  }, 50);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => fail(`ended by ${signal}`, 130));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {}); // nobody reads: still clean up
  const limit = Number(process.env.CLOAKROOM_HEADLESS_SECONDS ?? 300);
  setTimeout(() => fail(`no result after ${limit} s`, 124), limit * 1000);
  setTimeout(() => started() || fail("the tests did not start within 90 s"), 90_000);

  const closing: (() => Promise<unknown>)[] = [];
  const open = async () => {
    const server = await startServer({
      folders,
      log,
      environment: {
        ...process.env,
        CLOAKROOM_HEADLESS_TESTS: path.resolve(testsPath),
        CLOAKROOM_HEADLESS_OUTPUT: output,
      },
    });
    closing.unshift(() => server.stop());
    server.exited.then((code) => fail(`VS Code's server ended early (${code})`));
    const browser = await launchBrowser();
    closing.unshift(() =>
      Promise.race([browser.close(), new Promise((resolve) => setTimeout(resolve, 5_000))]),
    );
    browser.on("disconnected", () => fail("the browser ended early"));
    await openWorkbench(browser, server, {
      workspace: given.workspace,
      extensions: given.all("extensionDevelopmentPath").map((folder) => path.resolve(folder)),
      testsPath: path.join(import.meta.dirname, "wrapper.cjs"),
      payload: given.last("disable-extensions") === undefined ? {} : { disableExtensions: "true" },
      log,
      prepare: async (page) => {
        page.on("crash", () => fail("the workbench page crashed"));
        await page.exposeFunction("codeAutomationLog", (kind: string, values: unknown[]) =>
          log(`[${kind}] ${format(...values)}\n`),
        );
        await page.exposeFunction("codeAutomationExit", (code: number) => {
          if (code !== 0) settle({ code });
          else if (existsSync(`${output}.passed`)) settle({ code: 0 });
          else fail(`the extension host ended before ${started() ? "the tests did" : "any test ran"}`);
        });
      },
    });
  };
  open().catch((error: Error) => fail(error.stack ?? String(error)));

  const { code, why } = await result;
  clearInterval(watch);
  for (const close of closing) await close();
  relay(); // nothing can write any more
  if (why) {
    const tail = existsSync(logFile) ? readFileSync(logFile, "utf8").slice(-4_000) : "";
    console.error(`headless VS Code: ${why}\nthe end of its log:\n${tail}`);
  }
  process.stdout.write("", () => process.stderr.write("", () => exitWith(code)));
}

await runWithoutWindow();
const testsPath = given.last("extensionTestsPath");
if (testsPath) await runTests(testsPath);
else {
  console.error("headless VS Code: nothing to do without --extensionTestsPath");
  exitWith(2);
}
