/** `run_command`: a shell command in the workspace, allowed by the person first. */
import { stat } from "node:fs/promises";
import * as z from "zod";
import { asRaw } from "../schema/text";
import type { Tool, ToolOutcome, ToolPreview } from "../schema/tool";
import { confine } from "./confine";
import { isWellFormed } from "./decodeText";
import { inputSchemaOf, parseArguments } from "./parseArguments";
import type { Clock, Workspace } from "./ports";
import { runShell, type ShellResult, shellName } from "./runShell";
import { mentionsSensitivePath } from "./sensitivePaths";
import { failed } from "./untilStopped";

/** Limits of every command, set by the user; a call's timeoutSeconds can only be shorter. */
export type CommandLimits = {
  readonly timeoutMs: number;
  readonly graceMs: number; // between asking a process tree to end and killing it
  readonly maxOutputBytes: number;
};

export const DEFAULT_COMMAND_LIMITS: CommandLimits = {
  timeoutMs: 120_000,
  graceMs: 2000,
  maxOutputBytes: 32 * 1024 * 1024,
};

const Arguments = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(30_000) // bytes of UTF-8 below what a POSIX system takes as one argument
    .refine((command) => !command.includes("\0"), "a command has no NUL character")
    .refine(isWellFormed, "half of a surrogate pair cannot be run")
    .describe("The command line."),
  folder: z
    .string()
    .min(1)
    .optional()
    .describe("Where it runs, relative to the workspace folder. Default: that folder."),
  timeoutSeconds: z
    .number()
    .min(1)
    .max(3600)
    .optional()
    .describe("When to stop it, a number of seconds from 1 to 3600. Default: the user's setting."),
});

type Plan = {
  readonly kind: "plan";
  readonly path: string; // absolute, real
  readonly timeoutMs: number;
  readonly preview: Extract<ToolPreview, { kind: "command" }>;
};

/** Contract: `run` runs exactly what `context.preview` showed, or nothing. */
export function createRunCommand(workspace: Workspace, clock: Clock, limits: CommandLimits): Tool {
  async function planFor(argumentsText: string): Promise<Plan | Extract<ToolPreview, { kind: "invalid" }>> {
    const parsed = parseArguments(Arguments, argumentsText);
    if (parsed.kind === "failed") return { ...parsed, kind: "invalid" };
    const { command, folder, timeoutSeconds } = parsed.value;
    const roots = workspace.roots();
    const place = await confine(folder ?? roots[0]?.path ?? ".", roots);
    if (place.kind === "refused") return { kind: "invalid", code: place.code, text: place.text };
    if (!place.exists || !(await stat(place.path)).isDirectory()) {
      return {
        kind: "invalid",
        code: "not_a_folder",
        text: `${JSON.stringify(place.shown)} is not a folder.`,
      };
    }
    return {
      kind: "plan",
      path: place.path,
      timeoutMs: Math.min(limits.timeoutMs, (timeoutSeconds ?? Number.POSITIVE_INFINITY) * 1000), // the user's limit stands
      preview: {
        kind: "command",
        command,
        folder: place.shown,
        sensitive: place.sensitive || mentionsSensitivePath(command),
      },
    };
  }

  return {
    spec: {
      name: "run_command",
      description: `Runs a command with ${shellName} in the workspace, without a terminal or input. Returns everything it prints and, in the last line, its exit code. Start nothing that does not end by itself.`,
      inputSchema: inputSchemaOf(Arguments),
      class: "execute",
      effect: "execute",
    },
    async preview(argumentsText) {
      const plan = await planFor(argumentsText);
      return plan.kind === "plan" ? plan.preview : plan;
    },
    async run(argumentsText, { signal, preview, progress }) {
      const plan = await planFor(argumentsText);
      if (preview?.kind !== "command") {
        return plan.kind === "invalid"
          ? failed(plan.code, plan.text)
          : failed("not_allowed", "The command was not shown to the user first. It did not run.");
      }
      const isAsAllowed =
        plan.kind === "plan" &&
        plan.preview.command === preview.command &&
        plan.preview.folder === preview.folder &&
        plan.preview.sensitive === preview.sensitive;
      if (!isAsAllowed)
        return failed("changed_since_allowed", "This is no longer what was allowed. It did not run.");
      const startedAt = clock.now();
      const result = await runShell(preview.command, {
        folder: plan.path,
        timeoutMs: plan.timeoutMs,
        graceMs: limits.graceMs,
        maxOutputBytes: limits.maxOutputBytes,
        signal,
        onText: progress,
      });
      return outcomeOf(result, plan.timeoutMs, clock.now() - startedAt, limits);
    },
  };
}

/** The whole output, then one line that says how it ended. Only exit code 0 is a success. */
function outcomeOf(
  result: ShellResult,
  timeoutMs: number,
  elapsedMs: number,
  limits: CommandLimits,
): ToolOutcome {
  const { output, end } = result;
  const after = `after ${(elapsedMs / 1000).toFixed(1)} s`;
  const leftBehind = result.holdsOutput
    ? " A background process goes on; what it prints from now on is lost."
    : "";
  const withLine = (line: string) =>
    `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}[${line}${leftBehind}]`;
  switch (end.kind) {
    case "exited": {
      const text = withLine(`Exit code ${end.exitCode} ${after}.`);
      return end.exitCode === 0 ? { kind: "ok", text: asRaw(text) } : failed(`exit_${end.exitCode}`, text);
    }
    case "killed":
      return failed("killed", withLine(`Ended by ${end.signal} ${after}.`));
    case "not_started":
      return failed("not_started", `The command could not be started: ${end.reason}.`);
    case "timed_out":
      return failed(
        "timed_out",
        withLine(
          `Stopped with all it started ${after}: the time-out of ${timeoutMs / 1000} s was reached. It may have partly run.`,
        ),
      );
    case "stopped":
      return failed("stopped", withLine(`Stopped with all it started ${after}. It may have partly run.`));
    case "too_much_output":
      return failed(
        "too_much_output",
        withLine(
          `Stopped with all it started ${after}: it printed more than ${limits.maxOutputBytes} bytes. It may have partly run.`,
        ),
      );
  }
}
