/** The file in a session's folder that says how its content is kept. A plain session on this machine has none. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Failure } from "../schema/failure";
import { writeAtomically } from "./atomic";
import { KEEPING, type Place } from "./layout";

const FORMAT = 1;
const Format = z.object({ format: z.int() });

/** `key`: the session's, wrapped in its workspace's, in base64; absent: plain. `contents` absent: in the folder. */
export const KeepingFile = z.object({
  format: z.literal(1),
  key: z.base64().optional(),
  contents: z.literal("redis").optional(),
});
export type KeepingFile = z.infer<typeof KeepingFile>;

/** Throws `key-damaged`, or the disk's own error. */
export async function readKeeping({ folder }: Pick<Place, "folder">): Promise<KeepingFile> {
  let text: string;
  try {
    text = await readFile(join(folder, KEEPING), "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return { format: 1 };
    throw cause;
  }
  try {
    const value: unknown = JSON.parse(text);
    const { format } = Format.parse(value);
    if (format > FORMAT)
      throw new Failure(
        "store-too-new",
        "This session was made by a later version of Cloakroom. Update Cloakroom to open it.",
      );
    return KeepingFile.parse(value);
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw keepingDamaged(cause);
  }
}

export function keepingDamaged(cause?: unknown): Failure {
  return new Failure(
    "key-damaged",
    `The file that says how this session is kept (${KEEPING}) is damaged, or another session's. Restore it from a copy, or move the session's folder away.`,
    {},
    { cause },
  );
}

/** On disk before anything else of the session is. */
export async function writeKeeping({ folder }: Place, kept: KeepingFile): Promise<void> {
  if (kept.key === undefined && kept.contents === undefined) return;
  await writeAtomically(join(folder, KEEPING), `${JSON.stringify(kept)}\n`);
}
