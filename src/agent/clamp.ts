/** Step 1: Thimble looks at the call's arguments (seed 003). Deterministic, no model, no I/O. */

import type { Proposal } from "../schema/policy";
import { decide } from "../thimble/decide";
import type { CallContext } from "./callContext";
import type { PendingCall } from "./remember";
import type { Step } from "./step";

export type ProposedCall = {
  readonly call: PendingCall;
  readonly proposal: Proposal;
  /** What would run: JSON text, secrets turned back, in memory only. */
  readonly argumentsText: string;
  readonly unknownSecret: string | null;
};

/** Decides on the bytes as the model meant them; the event carries them with secrets hidden. */
export function clamp(call: PendingCall, context: CallContext): Step<ProposedCall, "clamped"> {
  const { ports, policy, settings, intent, secrets } = context;
  const revealed = secrets.reveal(call.arguments);
  const tool = ports.tools.find(({ spec }) => spec.name === call.name);
  const { proposal, effectiveArguments } = decide(
    {
      tool: call.name,
      argumentsText: revealed.text,
      mode: settings.limits.mode,
      hardMaximum: settings.limits.hardMaximum,
      intent,
      exemptions: [],
      toolReadOnly: tool ? tool.spec.effect === "read" : null,
    },
    policy,
    ports.hash,
  );
  return {
    value: {
      call,
      proposal,
      argumentsText: effectiveArguments ?? revealed.text,
      unknownSecret: revealed.unknown,
    },
    event: {
      type: "clamped",
      call: call.call,
      tool: call.name,
      argumentsSource: ports.model.info.abilities.rawArguments ? "raw" : "parsed",
      effectiveArguments: effectiveArguments === null ? null : secrets.hide(effectiveArguments).text,
      proposal,
    },
  };
}
