/** Our facts in the words of the GenAI conventions, and a receipt as attributes. */
import type { EventOf, Logged } from "../../schema/event";
import type { Receipt } from "../../schema/receipt";
import type { Attributes } from "./otlpJson";

export const UNKNOWN_PROVIDER = "unknown";

const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^claude/i, "anthropic"],
  [/^(?:gpt|o\d)/i, "openai"],
  [/^gemini/i, "gcp.gen_ai"],
];

/** "vendor/id": the vendor of VS Code's model. Of an id alone, what its family's maker is called; a guess, as the conventions allow. */
export function providerOf(modelId: string): string {
  const slash = modelId.indexOf("/");
  if (slash > 0) return modelId.slice(0, slash);
  return FAMILIES.find(([family]) => family.test(modelId))?.[1] ?? UNKNOWN_PROVIDER;
}

/** The model's name as its vendor has it. */
export const modelName = (modelId: string): string => modelId.slice(modelId.indexOf("/") + 1);

/** `tool_call` and `error` are the conventions' words; a reply that the person stopped has none there. */
export const FINISH_REASONS: Readonly<Record<EventOf<"replied">["end"], string>> = {
  answered: "stop",
  calls: "tool_call",
  stopped: "cancelled",
  failed: "error",
};

/** `error.type` of a call that this event ends badly: a tool's own code, why a handle was refused, or one of ours. */
export function failureIn(event: Logged): string | null {
  switch (event.type) {
    case "authorised":
      return event.granted ? null : "refused";
    case "executed":
      return event.outcome === "failed" ? (event.code ?? "_OTHER") : null;
    case "redacted":
      return event.refused === null ? null : "result_refused";
    case "redemption_refused":
      return event.reason;
    case "remembered":
      return event.isError ? "_OTHER" : null;
    default:
      return null;
  }
}

/** Requested → effective → actual; digests of the arguments before and after. */
export function receiptAttributes(receipt: Receipt): Attributes {
  const { decision, reason, mode, policy, contract, exemption, actual, changes, proposed_changes } = receipt;
  const [change] = changes;
  const [proposed] = proposed_changes;
  return prefixed({
    decision,
    reason,
    mode,
    path: (change ?? proposed)?.path,
    requested: (change ?? proposed) && String((change ?? proposed)?.from),
    effective: change?.to,
    proposed: proposed?.to,
    "actual.items": actual?.items,
    "actual.bytes": actual?.bytes,
    "actual.tokens_estimated": actual?.tokens_estimated,
    estimator: receipt.estimator,
    original_args_sha256: receipt.original_args_sha256,
    effective_args_sha256: receipt.effective_args_sha256,
    "policy.name": policy.name,
    "policy.version": policy.version,
    "policy.sha256": policy.sha256,
    "contract.argument": contract?.argument,
    exemption,
    continuation: receipt.continuation?.kind,
  });
}

const prefixed = (attributes: Attributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`cloakroom.receipt.${key}`, value]));
