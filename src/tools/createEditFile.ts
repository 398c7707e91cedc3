/** `edit_file`: replaces one exact passage, or creates a file, after the person has seen the difference. */
import * as z from "zod";
import { asRaw } from "../schema/text";
import type { Tool, ToolPreview } from "../schema/tool";
import { isWellFormed } from "./decodeText";
import { inputSchemaOf, parseArguments } from "./parseArguments";
import { planEdit } from "./planEdit";
import type { Editor, Workspace } from "./ports";
import { readText } from "./readText";
import { failed } from "./untilStopped";

const text = z.string().refine(isWellFormed, "half of a surrogate pair cannot be written");
const Arguments = z.strictObject({
  path: z.string().min(1).describe("A file path, relative to the workspace folder."),
  oldText: text.describe(
    "The passage to replace, exactly as it stands in the file, with enough around it to occur only once. Empty: create the file.",
  ),
  newText: text.describe("What takes its place; for a new file, its whole text."),
});

/** What a call would do: `before` null creates the file at `path` (absolute, real). */
type Change = {
  readonly kind: "change";
  readonly path: string;
  readonly before: string | null;
  readonly preview: Extract<ToolPreview, { kind: "diff" }>;
  readonly done: string; // what the model is told when it is written
};

/** Contract: `run` writes exactly what `context.preview` showed, or nothing. */
export function createEditFile(workspace: Workspace, editor: Editor): Tool {
  async function changeFor(
    argumentsText: string,
  ): Promise<Change | Extract<ToolPreview, { kind: "invalid" }>> {
    const parsed = parseArguments(Arguments, argumentsText);
    if (parsed.kind === "failed") return { ...parsed, kind: "invalid" };
    const { path, oldText, newText } = parsed.value;
    const read = await readText(workspace, path);
    if (read.kind === "failed" || read.kind === "binary")
      return { kind: "invalid", code: read.code, text: read.text };
    const { shown, sensitive } = read.place;
    const change = (before: string | null, after: string, done: string): Change => ({
      kind: "change",
      path: read.place.path,
      before,
      preview: { kind: "diff", path: shown, before: before ?? "", after, sensitive },
      done,
    });
    if (read.kind === "missing") {
      if (oldText !== "") return { kind: "invalid", code: "not_found", text: read.text };
      return change(null, newText, `Created ${shown}.`);
    }
    if (oldText === "" && read.text === "") return change("", newText, `Filled ${shown}, which was empty.`);
    if (oldText === "") {
      const text = `${JSON.stringify(shown)} exists. To change it, give the passage to replace as oldText.`;
      return { kind: "invalid", code: "already_exists", text };
    }
    if (oldText === newText) {
      return { kind: "invalid", code: "no_change", text: "oldText and newText are the same: nothing to do." };
    }
    const plan = planEdit(read.text, oldText, newText);
    if (plan.kind === "not_found") {
      const text = `oldText does not occur in ${JSON.stringify(shown)}. ${plan.hint}`;
      return { kind: "invalid", code: "not_found", text };
    }
    if (plan.kind === "ambiguous") {
      const lines = `${plan.lines.join(", ")}${plan.count > plan.lines.length ? ", …" : ""}`;
      const text = `oldText occurs ${plan.count} times in ${JSON.stringify(shown)} (lines ${lines}). Add what stands around the one you mean.`;
      return { kind: "invalid", code: "ambiguous", text };
    }
    return change(read.text, plan.after, `Edited ${shown} at line ${plan.line}.`);
  }

  return {
    spec: {
      name: "edit_file",
      description:
        "Changes one passage of a text file: oldText must occur exactly once and is replaced by newText. With an empty oldText it creates a new file. Read the passage first; everything counts, spaces and line ends too.",
      inputSchema: inputSchemaOf(Arguments),
      class: "other",
      effect: "write",
    },
    async preview(argumentsText) {
      const change = await changeFor(argumentsText);
      return change.kind === "change" ? change.preview : change;
    },
    async run(argumentsText, { signal, preview }) {
      if (signal.aborted) return failed("stopped", "Stopped before anything was written.");
      const change = await changeFor(argumentsText);
      if (preview?.kind !== "diff") {
        return change.kind === "invalid"
          ? failed(change.code, change.text)
          : failed("not_allowed", "The edit was not shown to the user first. Nothing was written.");
      }
      const isAsAllowed =
        change.kind === "change" &&
        change.preview.path === preview.path &&
        change.preview.before === preview.before &&
        change.preview.after === preview.after &&
        change.preview.sensitive === preview.sensitive;
      if (!isAsAllowed) return changedSince(preview.path);
      const result = await editor.replace(change.path, change.before, change.preview.after);
      if (result.kind === "changed") return changedSince(preview.path);
      if (result.kind === "unwritable") {
        return failed(
          "unwritable",
          `${preview.path} cannot be written (${result.reason}). Nothing was changed.`,
        );
      }
      return { kind: "ok", text: asRaw(change.done) };
    },
  };
}

const changedSince = (path: string) =>
  failed(
    "changed_since_allowed",
    `${path} changed after the edit was allowed. Nothing was written. Read it again.`,
  );
