// test/vscode: the command line of `code`, as far as tests use it.
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** Options whose value may be the next argument. */
const VALUED = new Set([
  "extensionDevelopmentPath",
  "extensionTestsPath",
  "user-data-dir",
  "extensions-dir",
  "install-extension",
  "uninstall-extension",
  "folder-uri",
]);

export type Arguments = {
  /** Values of an option in order; a bare option is one empty value. */
  all(name: string): readonly string[];
  last(name: string): string | undefined;
  readonly workspace: string | undefined;
};

const toPath = (text: string): string =>
  text.startsWith("file://") ? fileURLToPath(text) : path.resolve(text);

export function parseArguments(argv: readonly string[]): Arguments {
  const options = new Map<string, string[]>();
  const positional: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? "";
    const match = /^--?([^=]+)(?:=(.*))?$/s.exec(argument);
    if (!match?.[1]) {
      positional.push(toPath(argument));
      continue;
    }
    const name = match[1];
    let value = match[2];
    const next = argv[index + 1];
    if (value === undefined && VALUED.has(name) && next !== undefined && !next.startsWith("-")) {
      value = next;
      index += 1;
    }
    options.set(name, [...(options.get(name) ?? []), value ?? ""]);
  }
  const folderUri = options.get("folder-uri")?.at(-1);
  const isWorkspace = (file: string) =>
    file.endsWith(".code-workspace") || (existsSync(file) && statSync(file).isDirectory());
  return {
    all: (name) => options.get(name) ?? [],
    last: (name) => options.get(name)?.at(-1),
    workspace: positional.find(isWorkspace) ?? (folderUri ? toPath(folderUri) : undefined),
  };
}
