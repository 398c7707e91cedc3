/** What `cloakroom export` writes: as it is told, or by the file's name. */
import { ExportFormat, type ExportOptions } from "../schema/export";

const ENDINGS: readonly (readonly [string, ExportFormat])[] = [
  [".otlp.json", "otlp"],
  [".json", "json"],
  [".html", "html"],
  [".htm", "html"],
];

/** As text: which word is wrong. */
export function exportOptions(
  file: string,
  { format, contents }: { readonly format?: string | undefined; readonly contents: boolean },
): ExportOptions | string {
  const name = file.toLowerCase();
  const told = format ?? ENDINGS.find(([ending]) => name.endsWith(ending))?.[1] ?? "archive";
  const known = ExportFormat.safeParse(told);
  if (!known.success) return `--format takes ${ExportFormat.options.join(", ")}.`;
  if (contents && (known.data === "archive" || known.data === "html"))
    return known.data === "archive"
      ? "An archive has all stored results: leave --contents out."
      : "A report names stored results: leave --contents out, or export as JSON.";
  return { format: known.data, withContents: known.data === "archive" || contents };
}
