/** `search_text`: lines that match, with where they are and how many there are in all. */
import * as z from "zod";
import { asRaw } from "../schema/text";
import type { Tool } from "../schema/tool";
import { acceptsGlob, listWorkspace } from "./listWorkspace";
import { linesOf, onOneLine, type Page, pageHeader, unreadableFolders } from "./page";
import { inputSchemaOf, invalidArguments, parseArguments } from "./parseArguments";
import type { Workspace } from "./ports";
import type { Found, Search } from "./searchQuery";
import { searchWithRipgrep } from "./searchWithRipgrep";
import { searchWithScript } from "./searchWithScript";
import { failed, untilStopped } from "./untilStopped";

const DEFAULT_LIMIT = 100;

/** Matches are counted up to here; beyond it the header says "more than". */
export const MAX_COUNTED = 10_000;

const Arguments = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1000)
    .describe("What to find in a line: literal text, or a regular expression with isRegex."),
  isRegex: z
    .boolean()
    .optional()
    .describe("true: query is a regular expression, without look-around and back-references. Default false."),
  glob: z.string().max(1000).optional().describe('Which files, e.g. "*.ts" or "src/**". Left out: all.'),
  caseSensitive: z.boolean().optional().describe("true: upper and lower case differ. Default false."),
  limit: z
    .int()
    .min(1)
    .max(MAX_COUNTED)
    .optional()
    .describe(`The most matching lines returned, a whole number from 1. Default ${DEFAULT_LIMIT}.`),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("How many matching lines to skip, a whole number from 0. Default 0."),
});

/** `ripgrepPath` null searches in JavaScript, whose regular expressions differ in details. Unsaved text is searched as it stands. */
export function createSearchText(workspace: Workspace, ripgrepPath: string | null): Tool {
  return {
    spec: {
      name: "search_text",
      description:
        'Finds text in the workspace\'s files, line by line. Each result is "path:line: text"; the first line says how many matching lines there are and whether all are listed; if not, call again with the offset it names. Ignores case unless caseSensitive. What .gitignore excludes, .git, node_modules, binary files and files over 64 MB are not searched.',
      inputSchema: inputSchemaOf(Arguments),
      class: "list",
      effect: "read",
    },
    async run(argumentsText, { signal }) {
      const parsed = parseArguments(Arguments, argumentsText);
      if (parsed.kind === "failed") return parsed;
      const {
        query,
        isRegex = false,
        glob,
        caseSensitive = false,
        limit = DEFAULT_LIMIT,
        offset = 0,
      } = parsed.value;
      if (/[\r\n\0]/.test(query) || (isRegex && /(^|[^\\])(\\\\)*\\n/.test(query))) {
        return invalidArguments("query: a match lies within one line. Leave out line breaks and NUL.");
      }
      const accepts = acceptsGlob(glob);
      if (accepts === null)
        return invalidArguments(`glob: ${JSON.stringify(glob)} is not a glob. Close each [ and {.`);
      const roots = workspace.roots();
      if (roots.length === 0) return failed("no_workspace", "No folder is open. Ask the user to open one.");
      return untilStopped(signal, async () => {
        const { files, unreadable } = await listWorkspace({ roots, accepts, ripgrepPath, signal });
        const found = await search(ripgrepPath, {
          files,
          query: { text: query, isRegex, caseSensitive },
          maxHits: MAX_COUNTED,
          workspace,
          signal,
        });
        if (found.kind === "failed") return failed(found.code, explain(found));
        const page = found.hits.slice(offset, offset + limit);
        const part: Page = {
          noun: "Matches",
          offset,
          returned: page.length,
          total: found.hits.length,
          exact: found.exact,
          missing: unreadableFolders(unreadable),
        };
        const lines = page.map((hit) => `${onOneLine(hit.file.shown)}:${hit.line}: ${hit.text}`);
        const text = asRaw([pageHeader(part), ...lines].join("\n"));
        return { kind: "ok", text, items: page.length, lines: linesOf(part) };
      });
    },
  };
}

async function search(ripgrepPath: string | null, request: Search): Promise<Found> {
  const found = ripgrepPath === null ? null : await searchWithRipgrep(ripgrepPath, request);
  return found ?? searchWithScript(request);
}

function explain(found: Extract<Found, { kind: "failed" }>): string {
  if (found.code !== "invalid_regex") return found.text;
  return `The query is not a valid regular expression: ${found.text}\nCorrect it, or leave out isRegex to search for it literally.`;
}
