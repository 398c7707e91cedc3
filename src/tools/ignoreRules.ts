/** `.gitignore` files as git and ripgrep read them: one file's rules, and a stack of them from a root down to a folder. */
import { compileGlob, type Glob } from "./glob";

type Rule = { readonly glob: Glob; readonly keeps: boolean; readonly foldersOnly: boolean };

/** Rules of one `.gitignore`, for paths relative to its folder. */
export type IgnoreRules = readonly Rule[];

/** Never listed or searched, whatever the ignore files say. */
export const ALWAYS_SKIPPED: readonly string[] = [".git", "node_modules"];

/** Reads an ignore file. Lines that are no pattern are left out, as git does. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rules: Rule[] = [];
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (line.startsWith("#")) continue;
    let pattern = withoutTrailingSpaces(line);
    const keeps = pattern.startsWith("!");
    if (keeps) pattern = pattern.slice(1);
    const foldersOnly = pattern.endsWith("/");
    if (foldersOnly) pattern = pattern.slice(0, -1);
    if (pattern === "") continue;
    const glob = compileGlob(pattern.includes("/") ? pattern : `**/${pattern}`);
    if (glob !== null) rules.push({ glob, keeps, foldersOnly });
  }
  return rules;
}

/** Whether the rules ignore or keep an entry; null when none of them speaks about it. The last one that does decides. */
export function ignores(rules: IgnoreRules, segments: readonly string[], isFolder: boolean): boolean | null {
  for (let i = rules.length - 1; i >= 0; i--) {
    const rule = rules[i] as Rule;
    if ((isFolder || !rule.foldersOnly) && rule.glob.matches(segments)) return !rule.keeps;
  }
  return null;
}

function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " " && line[end - 2] !== "\\") end--;
  return line.slice(0, end);
}
