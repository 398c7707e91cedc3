/** Step 1: Thimble looks at the call's arguments (seed 003). Deterministic, no model, no I/O. */

import type { Proposal } from "../schema/policy";
import { decide } from "../thimble/decide";
import type { CallContext } from "./callContext";
import { questionOf } from "./question";
import type { PendingCall } from "./remember";
import type { Step } from "./step";

export type ProposedCall = {
  readonly call: PendingCall;
  readonly proposal: Proposal;
  /** What would run: JSON text, secrets turned back, in memory only. */
  readonly argumentsText: string;
  /** The same as the model wrote it. What keeps it from being waved through keeps the lowered call, too. */
  readonly originalText: string;
  /** Where the result has the list that the contract counts. */
  readonly returned: string | null;
  readonly unknownSecret: string | null;
  /** The arguments hold a secret that was turned back: whoever allows the call must see it, every time. */
  readonly holdsSecret: boolean;
};

/** Decides on the bytes as the model meant them; the event carries them with secrets hidden. */
export function clamp(call: PendingCall, context: CallContext): Step<ProposedCall, "clamped"> {
  const { ports, policy, settings, intent, secrets } = context;
  const tool = ports.tools.find(({ spec }) => spec.name === call.name);
  const changesThings = tool !== undefined && tool.spec.effect !== "read"; // a read has no use for a secret (C29)
  const revealed = changesThings ? secrets.reveal(call.arguments) : { text: call.arguments, unknown: null };
  const meant = { name: call.name, arguments: revealed.text };
  const pinned = { settings, intent, mismatched: [...context.mismatched] };
  const question = questionOf(meant, tool?.spec, pinned, context.exemptions());
  const { proposal, effectiveArguments, returned } = decide(question, policy, ports.hash);
  return {
    value: {
      call,
      proposal,
      argumentsText: effectiveArguments ?? question.argumentsText,
      originalText: question.argumentsText,
      returned,
      unknownSecret: revealed.unknown,
      holdsSecret: revealed.text !== call.arguments,
    },
    event: {
      type: "clamped",
      call: call.call,
      tool: call.name,
      argumentsSource: ports.model.info.abilities.rawArguments ? "raw" : "parsed",
      effectiveArguments: effectiveArguments === null ? null : secrets.hideInJson(effectiveArguments).text,
      proposal,
    },
  };
}
