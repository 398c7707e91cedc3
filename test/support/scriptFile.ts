// test/support: the offline model's script, written anew before each session of a workbench that stays open.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type * as z from "zod";
import type { Script, ScriptReply } from "../../src/models/script";

export type Replies = z.input<typeof Script>["conversations"][number];

/** The settings that let the offline model read the script. */
export type ScriptFile = {
  readonly path: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** One list of replies for each thing that is asked. */
  write(...conversations: Replies[]): void;
  remove(): void;
};

export function scriptFile(): ScriptFile {
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-script-"));
  const file = path.join(folder, "script.json");
  return {
    path: file,
    settings: { "cloakroom.model": "scripted", "cloakroom.scriptedModel.script": file },
    write: (...conversations) =>
      writeFileSync(file, JSON.stringify({ name: "Offline Script", conversations })),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A reply with one call. */
export const calling = (name: string, given: Record<string, unknown>, say = ""): ScriptReply => ({
  say,
  calls: [{ name, arguments: given }],
});
