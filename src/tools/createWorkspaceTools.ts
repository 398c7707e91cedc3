/** The hands, all of them: what `extension.ts` and `cli.ts` give to the loop. */
import type { Tool } from "../schema/tool";
import { createEditFile } from "./createEditFile";
import { createListFiles } from "./createListFiles";
import { createReadFile } from "./createReadFile";
import { type CommandLimits, createRunCommand, DEFAULT_COMMAND_LIMITS } from "./createRunCommand";
import { createSearchText } from "./createSearchText";
import type { ToolPorts } from "./ports";

/** `ripgrepPath` comes from `findRipgrep`; null works without it. */
export type WorkspaceToolOptions = {
  readonly ripgrepPath: string | null;
  readonly command?: Partial<CommandLimits>;
};

/** The workspace tools in the order in which the model sees them. */
export function createWorkspaceTools(ports: ToolPorts, options: WorkspaceToolOptions): readonly Tool[] {
  const { workspace, editor, clock } = ports;
  return [
    createReadFile(workspace),
    createListFiles(workspace, options.ripgrepPath),
    createSearchText(workspace, options.ripgrepPath),
    createEditFile(workspace, editor),
    createRunCommand(workspace, clock, { ...DEFAULT_COMMAND_LIMITS, ...options.command }),
  ];
}
