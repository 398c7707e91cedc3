/** Step 1: Thimble looks at the call's arguments (seed 003). Deterministic, no model, no I/O. */

import { FETCH_RESULT } from "../claims/ticket";
import type { Proposal } from "../schema/policy";
import type { ToolSpec } from "../schema/tool";
import { decide } from "../thimble/decide";
import { unescapedInJson } from "./boundary";
import type { CallContext } from "./callContext";
import type { PendingCall } from "./remember";
import type { Step } from "./step";

export type ProposedCall = {
  readonly call: PendingCall;
  readonly proposal: Proposal;
  /** What would run: JSON text, secrets turned back, in memory only. */
  readonly argumentsText: string;
  /** Where the result has the list that the contract counts. */
  readonly returned: string | null;
  readonly unknownSecret: string | null;
  /** The arguments hold a secret that was turned back: whoever allows the call must see it, every time. */
  readonly holdsSecret: boolean;
};

/** Reading back is exempt from every limit (CONFORMANCE §0.5). */
const RETRIEVAL = { id: "retrieval", tool: FETCH_RESULT };

/** Decides on the bytes as the model meant them; the event carries them with secrets hidden. */
export function clamp(call: PendingCall, context: CallContext): Step<ProposedCall, "clamped"> {
  const { ports, policy, settings, intent, secrets } = context;
  const tool = ports.tools.find(({ spec }) => spec.name === call.name);
  const changesThings = tool !== undefined && tool.spec.effect !== "read"; // a read has no use for a secret (C29)
  const revealed = changesThings ? secrets.reveal(call.arguments) : { text: call.arguments, unknown: null };
  const written = tool?.spec.effect === "write" ? unescapedInJson(revealed.text) : revealed.text;
  const { proposal, effectiveArguments, returned } = decide(
    {
      ...subjectOf(call.name, tool?.spec),
      argumentsText: written,
      mode: settings.limits.mode,
      hardMaximum: call.name === FETCH_RESULT ? null : settings.limits.hardMaximum,
      intent,
      exemptions: call.name === FETCH_RESULT ? [RETRIEVAL] : context.exemptions(),
      schemaMismatch: context.mismatched.has(call.name),
    },
    policy,
    ports.hash,
  );
  return {
    value: {
      call,
      proposal,
      argumentsText: effectiveArguments ?? written,
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

/** Whose contracts count. A server's annotation is the only thing known of its tool, and it may say nothing. */
function subjectOf(name: string, spec: ToolSpec | undefined) {
  if (spec?.origin === undefined)
    return { tool: name, toolReadOnly: spec === undefined ? null : spec.effect === "read" };
  const { tool, server, hints } = spec.origin;
  return { tool, server, offeredAs: name, toolReadOnly: hints.readOnlyHint ?? null };
}
