/** The workspace's files, in one order and by one set of rules whether ripgrep is there or not. */
import { join, sep } from "node:path";
import { compileGlob, expandBraces, type Glob } from "./glob";
import { ALWAYS_SKIPPED } from "./ignoreRules";
import type { Root } from "./ports";
import { runRipgrep } from "./ripgrep";
import { type Walk, walkFolder } from "./walkFolder";

/** A file: `shown` is what the model reads and may pass to other tools, `relative` is inside `root`. Both use forward slashes. */
export type Listed = { readonly root: Root; readonly relative: string; readonly shown: string };
export type Listing = { readonly files: readonly Listed[]; readonly unreadable: number };

export type ListQuery = {
  readonly roots: readonly Root[];
  readonly accepts: (file: Listed) => boolean;
  readonly ripgrepPath: string | null;
  readonly signal: AbortSignal;
};

/** Files that `accepts` takes, sorted by `shown` in UTF-16 order. Rejects with the signal's reason when it aborts. */
export async function listWorkspace(query: ListQuery): Promise<Listing> {
  const files: Listed[] = [];
  let unreadable = 0;
  for (const root of query.roots) {
    const walk =
      (query.ripgrepPath === null
        ? null
        : await listWithRipgrep(query.ripgrepPath, root.path, query.signal)) ??
      (await walkFolder(root.path, query.signal));
    unreadable += walk.unreadable;
    for (const relative of walk.files) {
      const shown = query.roots.length === 1 ? relative : `${root.name}/${relative}`;
      const file = { root, relative, shown };
      if (query.accepts(file)) files.push(file);
    }
  }
  files.sort((a, b) => (a.shown < b.shown ? -1 : a.shown > b.shown ? 1 : 0));
  return { files, unreadable };
}

/** The absolute path of a listed file. */
export const pathOf = (file: Listed): string => join(file.root.path, ...file.relative.split("/"));

/**
 * What a tool's `glob` argument accepts; null when it cannot be read. Without a slash it matches names at any depth;
 * without wildcards also everything in a folder of that name; with several roots it may start with a root's name.
 */
export function acceptsGlob(pattern: string | undefined): ((file: Listed) => boolean) | null {
  if (pattern === undefined) return () => true;
  const trimmed = pattern.replace(/^(\.?\/)+/, "");
  if (trimmed === "" || trimmed === ".") return () => true;
  const globs: Glob[] = [];
  for (const one of expandBraces(trimmed) ?? []) {
    const anchored = one.replace(/\/+$/, "").includes("/") || pattern.startsWith("/") ? one : `**/${one}`;
    const glob = compileGlob(anchored);
    if (glob === null) return null;
    globs.push(glob);
    if (!/[*?[\\]/.test(one) || one.endsWith("/")) {
      const inside = compileGlob(`${anchored}/**`);
      if (inside !== null) globs.push(inside);
    }
  }
  if (globs.length === 0) return null;
  const matches = (path: string) => {
    const segments = path.split("/");
    return path === trimmed || globs.some((glob) => glob.matches(segments)); // a file may be called [id].ts
  };
  return (file) => matches(file.relative) || (file.shown !== file.relative && matches(file.shown));
}

/** Ignore files inside the root count; global ones, those of parent folders and `.ignore` do not, so that both engines agree. */
async function listWithRipgrep(ripgrep: string, folder: string, signal: AbortSignal): Promise<Walk | null> {
  const args = [
    "--files",
    "--null",
    "--hidden",
    "--no-require-git",
    "--no-ignore-parent",
    "--no-ignore-global",
    "--no-ignore-exclude",
    "--no-ignore-dot",
    ...ALWAYS_SKIPPED.flatMap((name) => ["--glob", `!${name}`]),
  ];
  const files: string[] = [];
  const end = await runRipgrep(ripgrep, args, {
    folder,
    input: null,
    separator: "\0",
    signal,
    onRecord: (record) => files.push(record.replace(/^\.[\\/]/, "").replaceAll(sep, "/")),
  });
  if (end.kind === "unavailable") return null;
  const failures = end.problems.split("\n").filter((line) => / \(os error \d+\)$/.test(line));
  if (end.exitCode > 1 && failures.length === 0 && files.length === 0) return null; // it did not understand us: list ourselves
  return { files, unreadable: failures.length };
}
