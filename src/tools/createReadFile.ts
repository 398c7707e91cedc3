/** `read_file`: a file's text, or some of its lines; a file that is not text whole, as a part of its own. */
import * as z from "zod";
import { imageTypeOf } from "../claims/mediaType";
import { asRaw, lineCount } from "../schema/text";
import type { Tool, ToolOutcome } from "../schema/tool";
import { lineRange } from "./lineRange";
import { onOneLine } from "./page";
import { inputSchemaOf, invalidArguments, parseArguments } from "./parseArguments";
import type { Workspace } from "./ports";
import { readText, type TextRead } from "./readText";
import { failed, untilStopped } from "./untilStopped";

const line = z.int().min(1).max(1_000_000_000);
const Arguments = z.strictObject({
  path: z.string().min(1).describe("A file path, relative to the workspace folder."),
  startLine: line
    .optional()
    .describe("The first line wanted, a whole number from 1. Left out: from the start."),
  endLine: line
    .optional()
    .describe("The last line wanted, included, a whole number from 1. Left out: to the end."),
});

/**
 * The text comes byte for byte, without line numbers, so that any part of it can be given to `edit_file` as it stands.
 * Only a result for a range starts with a line of ours, which says which lines of how many follow.
 */
export function createReadFile(workspace: Workspace): Tool {
  return {
    spec: {
      name: "read_file",
      description:
        "Reads a file of the workspace, exactly as it is, without line numbers. With startLine or endLine only those lines, after one line that says which of how many they are. An image is shown where you can see images; of any other file that is not text you are told what it is.",
      inputSchema: inputSchemaOf(Arguments),
      class: "read",
      effect: "read",
    },
    async run(argumentsText, { signal }) {
      const parsed = parseArguments(Arguments, argumentsText);
      if (parsed.kind === "failed") return parsed;
      const { path, startLine = 1, endLine } = parsed.value;
      if (endLine !== undefined && endLine < startLine) {
        return invalidArguments(`endLine (${endLine}) is before startLine (${startLine}).`);
      }
      return untilStopped(signal, async () => {
        const read = await readText(workspace, path);
        if (read.kind === "missing") return failed("not_found", read.text);
        if (read.kind === "failed") return failed(read.code, read.text);
        if (read.kind === "binary") return binaryFile(read);
        if (parsed.value.startLine === undefined && endLine === undefined) {
          return { kind: "ok", text: asRaw(read.text) };
        }
        const total = lineCount(read.text);
        const shown = onOneLine(read.place.shown);
        if (total === 0)
          return { kind: "ok", class: "read_range", text: asRaw(`[${shown} is empty: 0 lines.]`) };
        if (startLine > total) {
          return failed("out_of_range", `${shown} has ${total} lines; line ${startLine} does not exist.`);
        }
        const last = Math.min(endLine ?? total, total);
        const header = `[Lines ${startLine}–${last} of ${total} of ${shown}]`;
        return {
          kind: "ok",
          class: "read_range",
          text: asRaw(`${header}\n${lineRange(read.text, startLine, last)}`),
        };
      });
    },
  };
}

/** The file itself, whole, whatever lines were asked for. An image speaks for itself; of the rest a sentence says what it is. */
function binaryFile({ text, binary, bytes }: TextRead & { kind: "binary" }): ToolOutcome {
  const isImage = imageTypeOf(bytes) !== null;
  return { kind: "ok", text: asRaw(isImage ? "" : text), media: [{ mediaType: binary.mediaType, bytes }] };
}
