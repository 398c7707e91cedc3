/** A real folder on the disk with files in it, and the workspace tools over it. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Tool, ToolContext, ToolOutcome, ToolPreview } from "../../src/schema/tool";
import { nodeEditor } from "../../src/tools/nodeEditor";
import { openNodeWorkspace } from "../../src/tools/nodeWorkspace";
import type { ToolPorts } from "../../src/tools/ports";
import { findRipgrep } from "../../src/tools/ripgrep";

/** Content by path. A string that starts with "-> " is a link to what follows. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export type TemporaryWorkspace = { readonly path: string; readonly ports: ToolPorts };

const folders: string[] = [];

/** An empty folder that `removeTemporaryFolders` takes away. */
export async function temporaryFolder(files: Files = {}): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "cloakroom tools ")));
  folders.push(path);
  await writeFiles(path, files);
  return path;
}

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    if (typeof content === "string" && content.startsWith("-> ")) await symlink(content.slice(3), path);
    else await writeFile(path, content);
  }
}

export async function temporaryWorkspace(files: Files = {}): Promise<TemporaryWorkspace> {
  const path = await temporaryFolder(files);
  const workspace = await openNodeWorkspace([{ name: "work", path }]);
  return { path, ports: { workspace, editor: nodeEditor, clock: performance } };
}

/** For `suiteTeardown`. */
export async function removeTemporaryFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** A ripgrep for the tests: the one named by CLOAKROOM_RIPGREP, or the first on PATH. */
export async function ripgrepForTests(): Promise<string | null> {
  return process.env.CLOAKROOM_RIPGREP ?? (await findRipgrep(undefined, process.env.PATH));
}

/** Runs a tool as the loop does: previewed first if it can be, allowed, then run. */
export async function callTool(
  tool: Tool,
  input: unknown,
  context: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  const argumentsText = typeof input === "string" ? input : JSON.stringify(input);
  const signal = context.signal ?? new AbortController().signal;
  const preview: ToolPreview | null = (await tool.preview?.(argumentsText, signal)) ?? null;
  return tool.run(argumentsText, { signal, preview, progress: () => {}, ...context });
}
