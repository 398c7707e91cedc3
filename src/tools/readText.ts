/** Reads a workspace file as text, or says why that cannot be and what to do instead. */
import { confine, type Place } from "./confine";
import { type BinaryKind, type Decoded, decodeText, kindOfBinary } from "./decodeText";
import { MAX_FILE_BYTES, type Workspace } from "./ports";

export type TextRead =
  | { readonly kind: "text"; readonly place: Place; readonly text: string }
  | { readonly kind: "missing"; readonly place: Place; readonly text: string } // `text` explains
  | { readonly kind: "failed"; readonly code: string; readonly text: string }
  | {
      readonly kind: "binary";
      readonly code: "binary_file";
      readonly text: string; // says so, and what to do
      readonly binary: BinaryKind;
      readonly bytes: Uint8Array;
    };

/** Reads what `asked` names. Contract: the text encodes back to the file's bytes exactly. */
export async function readText(workspace: Workspace, asked: string): Promise<TextRead> {
  const place = await confine(asked, workspace.roots());
  if (place.kind === "refused") return { kind: "failed", code: place.code, text: place.text };
  const name = JSON.stringify(place.shown);
  const read = await workspace.read(place.path, MAX_FILE_BYTES);
  switch (read.kind) {
    case "file": {
      const decoded: Decoded = decodeText(read.bytes);
      if (decoded.kind === "text") return { kind: "text", place, text: decoded.text };
      const { bytes } = read;
      const binary = kindOfBinary(bytes);
      const text = `${name} is not text (${binary.words}, ${bytes.length} bytes). Use run_command if its contents matter.`;
      return { kind: "binary", code: "binary_file", text, binary, bytes };
    }
    case "missing": {
      const text = `There is no file ${name}. Call list_files with a glob such as ${JSON.stringify(`**/${baseName(place.shown)}`)} to find it.`;
      return { kind: "missing", place, text };
    }
    case "folder":
      return {
        kind: "failed",
        code: "is_folder",
        text: `${name} is a folder. Call list_files with glob ${JSON.stringify(place.shown === "." ? "**" : `${place.shown}/**`)} to see what is in it.`,
      };
    case "special":
      return {
        kind: "failed",
        code: "not_a_file",
        text: `${name} is a pipe, socket or device and is not read.`,
      };
    case "too_large":
      return {
        kind: "failed",
        code: "too_large",
        text: `${name} has ${read.sizeBytes} bytes; the limit is ${MAX_FILE_BYTES}. Use run_command to look at a part of it.`,
      };
    case "unreadable":
      return {
        kind: "failed",
        code: "unreadable",
        text: `${name} cannot be read (${read.reason}). Ask the user to check its permissions.`,
      };
  }
}

const baseName = (shown: string): string => shown.slice(shown.lastIndexOf("/") + 1);
