/** A script: the replies of the scripted model, as data. `{{…}}` in a reply is filled from what the model was sent. */
import * as z from "zod";
import { Failure } from "../schema/failure";

const ScriptCall = z.strictObject({
  name: z.string(),
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]), // a string is sent as it stands, valid JSON or not
  id: z.string().optional(),
});

const ScriptReply = z.strictObject({
  say: z.string().optional(),
  calls: z.array(ScriptCall).optional(),
  fail: z.string().optional(), // the model fails with this message
  pauseMs: z.number().nonnegative().max(60_000).optional(), // before each chunk of `say` and before the calls
});
export type ScriptReply = z.infer<typeof ScriptReply>;

/** `conversations`: one list of replies for each thing the user asks, in order; the last one serves every later question. */
export const Script = z.strictObject({
  name: z.string(),
  images: z.boolean().optional(), // the model takes images in results
  maxInputTokens: z.int().positive().optional(), // the model's window; without it nobody says how much it takes
  conversations: z.array(z.array(ScriptReply).min(1)).min(1),
});
export type Script = z.infer<typeof Script>;

/** Throws `Failure("script-invalid")` that names the place. `where` is the file, for the message. */
export function parseScript(text: string, where: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Failure(
      "script-invalid",
      `${where} is not valid JSON. Mend it, then start again.`,
      { where },
      { cause },
    );
  }
  const parsed = Script.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.join(".") || "the top";
  throw new Failure(
    "script-invalid",
    `${where} is not a script: ${issue?.message} at ${place}. Mend it, then start again.`,
    { where },
  );
}
