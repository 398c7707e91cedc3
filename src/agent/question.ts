/** What Thimble is asked about a call. One function for the running loop and for a replay, so that they cannot differ. */
import { FETCH_RESULT } from "../claims/ticket";
import type { EventOf, ReplyCall } from "../schema/event";
import type { ToolSpec } from "../schema/tool";
import type { Exemption, Question } from "../thimble/decide";
import { exemptionsInForce } from "../thimble/exemptions";
import { unescapedInJson } from "./boundary";

/** Reading back is exempt from every limit (CONFORMANCE §0.5). */
const RETRIEVAL = { id: "retrieval", tool: FETCH_RESULT };

/** What of a session's configuration a decision depends on, besides the policy. */
export type Pinned = Pick<EventOf<"configured">, "settings" | "intent" | "mismatched">;

/** `argumentsText`: as the model wrote it, or as the log has kept it. `spec` undefined: this agent has no such tool. */
export function questionOf(
  { name, arguments: argumentsText }: Pick<ReplyCall, "name" | "arguments">,
  spec: ToolSpec | undefined,
  { settings, intent, mismatched = [] }: Pinned,
  exemptions: readonly Exemption[],
): Question {
  const isRetrieval = name === FETCH_RESULT;
  return {
    ...subjectOf(name, spec),
    argumentsText: spec?.effect === "write" ? unescapedInJson(argumentsText) : argumentsText,
    mode: settings.limits.mode,
    hardMaximum: isRetrieval ? null : settings.limits.hardMaximum,
    intent,
    exemptions: isRetrieval ? [RETRIEVAL] : exemptions,
    schemaMismatch: mismatched.includes(name),
  };
}

/** Whose contracts count. A server's annotation is the only thing known of its tool, and it may say nothing. */
export function subjectOf(name: string, spec: ToolSpec | undefined) {
  if (spec?.origin === undefined)
    return { tool: name, toolReadOnly: spec === undefined ? null : spec.effect === "read" };
  const { tool, server, hints } = spec.origin;
  return { tool, server, offeredAs: name, toolReadOnly: hints.readOnlyHint ?? null };
}

/**
 * The same out of the log alone: a recorded call and the configuration that was in force. `excused`: ids of exemptions
 * that calls before were excused by; `at`: when it was decided.
 */
export const recordedQuestion = (
  call: ReplyCall,
  configured: EventOf<"configured">,
  { excused, at }: { readonly excused: ReadonlySet<string>; readonly at: number },
): Question =>
  questionOf(
    call,
    configured.tools.find(({ name }) => name === call.name),
    configured,
    exemptionsInForce(configured.exemptions ?? [], excused, at),
  );
