/** `list_files`: paths, sorted, with how many there are in all. */
import * as z from "zod";
import { asRaw } from "../schema/text";
import type { Tool } from "../schema/tool";
import { acceptsGlob, listWorkspace } from "./listWorkspace";
import { linesOf, onOneLine, type Page, pageHeader, unreadableFolders } from "./page";
import { inputSchemaOf, invalidArguments, parseArguments } from "./parseArguments";
import type { Workspace } from "./ports";
import { failed, untilStopped } from "./untilStopped";

const DEFAULT_LIMIT = 200;

const Arguments = z.strictObject({
  glob: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'Which files, e.g. "*.ts" (any folder), "src/**/*.{ts,tsx}", "docs" (all in it). Left out: all.',
    ),
  limit: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe(`The most paths returned, a whole number from 1. Default ${DEFAULT_LIMIT}.`),
  offset: z.int().min(0).optional().describe("How many paths to skip, a whole number from 0. Default 0."),
});

/** `ripgrepPath` null lists in JavaScript, with the same result. */
export function createListFiles(workspace: Workspace, ripgrepPath: string | null): Tool {
  return {
    spec: {
      name: "list_files",
      description:
        "Lists the workspace's files, sorted, one path per line. The first line says how many there are and whether the list is complete; if not, call again with the offset it names. What .gitignore excludes, .git, node_modules and links are not listed.",
      inputSchema: inputSchemaOf(Arguments),
      class: "list",
      effect: "read",
    },
    async run(argumentsText, { signal }) {
      const parsed = parseArguments(Arguments, argumentsText);
      if (parsed.kind === "failed") return parsed;
      const { glob, limit = DEFAULT_LIMIT, offset = 0 } = parsed.value;
      const accepts = acceptsGlob(glob);
      if (accepts === null)
        return invalidArguments(`glob: ${JSON.stringify(glob)} is not a glob. Close each [ and {.`);
      const roots = workspace.roots();
      if (roots.length === 0) return failed("no_workspace", "No folder is open. Ask the user to open one.");
      return untilStopped(signal, async () => {
        const { files, unreadable } = await listWorkspace({ roots, accepts, ripgrepPath, signal });
        const page = files.slice(offset, offset + limit);
        const part: Page = {
          noun: "Files",
          offset,
          returned: page.length,
          total: files.length,
          exact: true,
          missing: unreadableFolders(unreadable),
        };
        const lines = [pageHeader(part), ...page.map((file) => onOneLine(file.shown))];
        return { kind: "ok", text: asRaw(lines.join("\n")), items: page.length, lines: linesOf(part) };
      });
    },
  };
}
