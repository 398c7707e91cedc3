/** What a session can be exported as, and what JSON then has of its stored results: the rows that people pick from. */
import type { ExportFormat } from "../schema/export";

export type Choice<T> = { readonly label: string; readonly detail: string; readonly value: T };

export type ExportForm = {
  readonly format: ExportFormat;
  readonly withContents: boolean;
  readonly ending: string;
  readonly filters: Record<string, string[]>;
};

const form = (
  label: string,
  detail: string,
  format: ExportFormat,
  ending: string,
  kind: string,
): Choice<ExportForm> => {
  const extension = ending.slice(ending.lastIndexOf(".") + 1);
  const filters = { [kind]: [extension] };
  return { label, detail, value: { format, withContents: format === "archive", ending, filters } };
};

/** Not encrypted, whichever it is. */
export const EXPORTS: readonly Choice<ExportForm>[] = [
  form(
    "Archive (can be imported again)",
    "The log and every stored result, as a ZIP file. Not encrypted.",
    "archive",
    ".zip",
    "Cloakroom sessions",
  ),
  form("JSON", "The log, for programs of your own. Not encrypted.", "json", ".json", "JSON"),
  form(
    "OpenTelemetry (OTLP JSON)",
    "Requests and calls as a trace, without messages. Not encrypted.",
    "otlp",
    ".otlp.json",
    "OTLP JSON",
  ),
  form("HTML Report", "To read, print and send. Not encrypted.", "html", ".html", "HTML"),
];

export const JSON_CONTENTS: readonly Choice<boolean>[] = [
  {
    label: "Only Name Stored Results",
    detail: "Handle, digest, size and type of each.",
    value: false,
  },
  {
    label: "Embed Stored Results",
    detail: "Text as text, everything else as base64. The file may be large.",
    value: true,
  },
];
