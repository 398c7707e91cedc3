/** What Thimble is asked about a call. One function for the running loop and for a replay, so that they cannot differ. */
import { FETCH_RESULT } from "../claims/ticket";
import type { EventOf, ReplyCall } from "../schema/event";
import type { ToolSpec } from "../schema/tool";
import type { Question } from "../thimble/decide";
import { unescapedInJson } from "./boundary";

/** Reading back is exempt from every limit (CONFORMANCE §0.5). */
const RETRIEVAL = { id: "retrieval", tool: FETCH_RESULT };

/** What of a session's configuration a decision depends on, besides the policy. */
export type Pinned = Pick<EventOf<"configured">, "settings" | "intent">;

/** `argumentsText`: as the model wrote it, or as the log has kept it. `spec` undefined: this agent has no such tool. */
export function questionOf(
  { name, arguments: argumentsText }: Pick<ReplyCall, "name" | "arguments">,
  spec: ToolSpec | undefined,
  { settings, intent }: Pinned,
): Question {
  const isRetrieval = name === FETCH_RESULT;
  return {
    tool: name,
    argumentsText: spec?.effect === "write" ? unescapedInJson(argumentsText) : argumentsText,
    mode: settings.limits.mode,
    hardMaximum: isRetrieval ? null : settings.limits.hardMaximum,
    intent,
    exemptions: isRetrieval ? [RETRIEVAL] : [],
    toolReadOnly: spec ? spec.effect === "read" : null,
  };
}

/** The same out of the log alone: a recorded call and the configuration that was in force. */
export const recordedQuestion = (call: ReplyCall, configured: EventOf<"configured">): Question =>
  questionOf(
    call,
    configured.tools.find(({ name }) => name === call.name),
    configured,
  );
