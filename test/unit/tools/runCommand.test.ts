import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { ToolContext } from "../../../src/schema/tool";
import {
  type CommandLimits,
  createRunCommand,
  DEFAULT_COMMAND_LIMITS,
} from "../../../src/tools/createRunCommand";
import { endProcessTree } from "../../../src/tools/processTree";
import { commandEnvironment } from "../../../src/tools/runShell";
import {
  callTool,
  removeTemporaryFolders,
  type TemporaryWorkspace,
  temporaryWorkspace,
} from "../../support/temporaryWorkspace";

suite("tools/run_command", () => {
  suiteSetup(function () {
    if (process.platform === "win32") this.skip(); // the commands below are written for a POSIX shell
  });
  suiteTeardown(removeTemporaryFolders);

  const toolFor = ({ ports }: TemporaryWorkspace, limits: Partial<CommandLimits> = {}) =>
    createRunCommand(ports.workspace, ports.clock, { ...DEFAULT_COMMAND_LIMITS, ...limits });

  async function run(
    command: string,
    limits: Partial<CommandLimits> = {},
    context: Partial<ToolContext> = {},
  ) {
    const house = await temporaryWorkspace({ "sub/a.txt": "" });
    const outcome = await callTool(toolFor(house, limits), { command }, context);
    const text = outcome.text.replace(/ after \d+\.\d s/, " after N s");
    return outcome.kind === "failed" ? [outcome.code, text] : [outcome.kind, text];
  }

  /** The process numbers that a command wrote to a file, once all are there. */
  async function pidsIn(path: string, count: number): Promise<number[]> {
    for (let tries = 0; tries < 100; tries++) {
      const text = await readFile(path, "utf8").catch(() => "");
      const pids = text.trim().split(/\s+/).filter(Boolean).map(Number);
      if (pids.length === count) return pids;
      await delay(20);
    }
    throw new Error(`no ${count} process numbers in ${path}`);
  }

  /** Running, and not merely waiting for a parent that never asks how it ended. */
  function isAlive(pid: number): boolean {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
    return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
  }

  test("the output of both streams comes in order, then how it ended", async () => {
    const [kind, text] = await run("echo one; echo two >&2; echo three; printf four >&2");
    assert.deepEqual([kind, text], ["ok", "one\ntwo\nthree\nfour\n[Exit code 0 after N s.]"]);
    assert.deepEqual(await run("true"), ["ok", "[Exit code 0 after N s.]"]);
  });

  test("any other exit code is a failure with the whole output", async () => {
    assert.deepEqual(await run("echo broken; exit 3"), ["exit_3", "broken\n[Exit code 3 after N s.]"]);
    assert.deepEqual(await run("kill -SEGV $$"), ["killed", "[Ended by SIGSEGV after N s.]"]);
    const [code, text] = await run("if then");
    assert.match(`${code} ${text}`, /^exit_[12] .*syntax error/s);
  });

  test("it runs in the workspace or a folder of it, without input and without a terminal", async () => {
    const house = await temporaryWorkspace({ "sub/a.txt": "", "a.txt": "", out: "-> /" });
    const pwd = async (folder?: string) => {
      const outcome = await callTool(toolFor(house), { command: "pwd -P; cat", ...(folder && { folder }) });
      return outcome.kind === "failed" ? outcome.code : outcome.text.split("\n")[0];
    };
    assert.equal(await pwd(), house.path);
    assert.equal(await pwd("sub"), join(house.path, "sub"));
    assert.equal(await pwd(".."), "outside_workspace");
    assert.equal(await pwd("out"), "outside_workspace");
    assert.equal(await pwd("a.txt"), "not_a_folder");
    assert.equal(await pwd("none"), "not_a_folder");
  });

  test("output is passed on as it comes, and a character in two pieces stays whole", async () => {
    const pieces: string[] = [];
    const command = "printf '\\303'; sleep 0.2; printf '\\244|'; sleep 0.2; printf end";
    const [, text] = await run(command, {}, { progress: (piece) => pieces.push(piece) });
    assert.equal(text, "ä|end\n[Exit code 0 after N s.]");
    assert.deepEqual(pieces, ["ä|", "end"]);
  });

  test("a watcher that fails ends the command and the call", async () => {
    const progress = () => {
      throw new Error("watcher broke");
    };
    await assert.rejects(run("echo x; sleep 300", {}, { progress }), /watcher broke/); // the test may take a minute
  });

  test("a time-out keeps the output and ends all that was started, also what ignores being asked", async () => {
    const house = await temporaryWorkspace();
    const pids = join(house.path, "pids");
    const stubborn = `sh -c 'trap "" TERM; echo $$ >> pids; while :; do sleep 0.05; done'`;
    const command = `echo $$ >> pids; ${stubborn} & sh -c 'echo $$ >> pids; exec sleep 30' & echo begun; wait`;
    const outcome = await callTool(toolFor(house, { timeoutMs: 500, graceMs: 200 }), { command });
    assert.equal(outcome.kind === "failed" && outcome.code, "timed_out");
    assert.match(
      outcome.text,
      /^begun\n\[Stopped with all it started after \d\.\d s: the time-out of 0\.5 s/,
    );
    assert.deepEqual((await pidsIn(pids, 3)).filter(isAlive), []);
  });

  test("a stop ends grandchildren too, those in a group of their own included", async () => {
    const house = await temporaryWorkspace();
    const node = JSON.stringify(process.execPath);
    const script = `require("node:child_process").spawn("sleep", ["30"], { detached: true, stdio: "ignore" }).once("spawn", function () { console.log(process.pid, this.pid) }); setTimeout(() => {}, 30000)`;
    const command = `${node} -e '${script}' | tee pids; true`;
    const controller = new AbortController();
    const running = callTool(toolFor(house), { command }, { signal: controller.signal });
    const pids = await pidsIn(join(house.path, "pids"), 2);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    controller.abort();
    const outcome = await running;
    assert.equal(outcome.kind === "failed" && outcome.code, "stopped");
    assert.match(
      outcome.text,
      /^\d+ \d+\n\[Stopped with all it started after .* It may have partly run\.\]$/,
    );
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test("a call stopped before it starts does not run", async () => {
    const [code, text] = await run("echo ran", {}, { signal: AbortSignal.abort() });
    assert.equal(code, "stopped");
    assert.doesNotMatch(`${text}`, /ran\n/);
  });

  test("a background process that holds the output does not hold the call", async () => {
    const [kind, text] = await run("echo $$; sleep 300 & echo started"); // the test may take a minute
    assert.equal(kind, "ok");
    assert.match(`${text}`, /started\n\[Exit code 0 after N s\. A background process goes on;/);
    await endProcessTree(Number(`${text}`.split("\n")[0]), 100);
  });

  test("output without end is stopped at the limit, and the text says so", async () => {
    const [code, text] = await run("yes", { maxOutputBytes: 100_000, graceMs: 200 });
    assert.equal(code, "too_much_output");
    assert.match(
      `${text}`.slice(-150),
      /y\n\[Stopped .*more than 100000 bytes\. It may have partly run\.\]$/,
    );
    assert.ok(`${text}`.length >= 100_000 && `${text}`.length < 300_000);
  });

  test("a large output is complete", async () => {
    const [, text] = await run("seq 1 300000");
    const lines = `${text}`.split("\n");
    assert.equal(lines.length, 300_001);
    assert.equal(lines[299_999], "300000");
  });

  test("the editor's own variables are not passed on, the rest is", () => {
    const passed = commandEnvironment({
      PATH: "/bin",
      HOME: "/h",
      VSCODE_PID: "1",
      ELECTRON_RUN_AS_NODE: "1",
    });
    assert.deepEqual(passed, { PATH: "/bin", HOME: "/h" });
  });

  test("the command that runs is the one that was shown, or none", async () => {
    const house = await temporaryWorkspace({ "sub/a.txt": "" });
    const tool = toolFor(house);
    const input = { command: "echo $((1+1)) > .vscode/x || echo no", folder: "sub" };
    const signal = new AbortController().signal;
    const preview = (await tool.preview?.(JSON.stringify(input), signal)) ?? null;
    assert.deepEqual(preview, { kind: "command", ...input, sensitive: true });
    const code = async (context: Partial<ToolContext>, other: object = {}) => {
      const outcome = await callTool(tool, { ...input, ...other }, context);
      return outcome.kind === "failed" ? outcome.code : outcome.kind;
    };
    assert.equal(await code({ preview: null }), "not_allowed");
    assert.equal(await code({ preview }, { command: "echo other" }), "changed_since_allowed");
    assert.equal(await code({ preview }, { folder: "." }), "changed_since_allowed");
    await mkdir(join(house.path, "sub/.vscode"));
    assert.equal(await code({ preview }), "ok");
    assert.equal(await code({}, { command: "a\0b" }), "invalid_arguments");
    assert.equal(await code({}, { command: `: ${"ä".repeat(30_000)}` }), "invalid_arguments");
    assert.equal(await code({}, { command: `: ${"漢".repeat(29_998)}` }), "ok");
    assert.equal(await code({}, { timeoutSeconds: "5" }), "invalid_arguments");
    assert.equal(await code({}, { timeoutSeconds: 0 }), "invalid_arguments");
  });
});
