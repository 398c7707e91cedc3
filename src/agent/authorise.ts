/** Step 2: may this call run? Doubt closes: what cannot be judged is refused (STYLE, Errors). */
import { indexOfChar } from "../schema/text";
import type { Tool, ToolPreview, ToolSpec } from "../schema/tool";
import type { CallContext } from "./callContext";
import type { ProposedCall } from "./clamp";
import { orLeftBehind } from "./leaveBehind";
import type { Question, Verdict } from "./ports";
import type { Step } from "./step";

export type Permit =
  | {
      readonly kind: "granted";
      readonly proposed: ProposedCall;
      readonly tool: Tool;
      readonly preview: ToolPreview | null;
    }
  | {
      readonly kind: "refused";
      readonly proposed: ProposedCall;
      readonly code: string;
      readonly text: string;
    };

type Judged = Verdict | { readonly granted: false; readonly by: "check"; readonly reason: string };

/** Our own reads change nothing. That a server says so of its tool opens no door (CONFORMANCE §7). */
export const runsUnasked = ({ effect, origin }: ToolSpec): boolean =>
  effect === "read" && origin === undefined;

/**
 * Our own reads run by rule; a write or execute call, and any of a server's tool, is shown to the person first, unless it cannot run at all. Throws the
 * signal's reason after a stop: `clamped` then stands alone, which says that the call never started.
 */
export async function authorise(
  proposed: ProposedCall,
  context: CallContext,
  signal: AbortSignal,
): Promise<Step<Permit, "authorised">> {
  signal.throwIfAborted();
  const tool = context.ports.tools.find(({ spec }) => spec.name === proposed.call.name);
  if (!tool) return refused(proposed, "unknown_tool", unknownTool(proposed, context));
  const { effect } = tool.spec;
  if (runsUnasked(tool.spec))
    return granted(proposed, tool, null, { granted: true, by: "rule", reason: "reads run unasked" });
  if (proposed.unknownSecret !== null) {
    return refused(
      proposed,
      "unknown_secret",
      `The arguments contain ${proposed.unknownSecret}, which stands for a secret that this session no longer holds. Read the file again, then repeat the call.`,
    );
  }
  if ((effect === "execute" || tool.spec.origin) && !context.ports.approver.isTrusted()) {
    return refused(
      proposed,
      "untrusted_workspace",
      "Commands and tools of servers do not run in an untrusted workspace. The user can trust it with Manage Workspace Trust.",
    );
  }
  const preview = await previewOf(tool, proposed.argumentsText, context, signal);
  if (preview === null)
    return refused(proposed, "no_preview", "This tool cannot show what it would do, so nobody can allow it.");
  if (preview.kind === "invalid") return refused(proposed, preview.code, preview.text);
  const question: Question = {
    session: context.session,
    call: proposed.call.call,
    tool: tool.spec,
    preview,
    allowance: [tool.spec.name, tool.spec.origin?.listingSha256 ?? ""].join("\n"),
    ...urgencyOf(await isSensitive(preview, proposed, tool, context, signal), proposed, tool.spec, context),
  };
  const { approver, clock } = context.ports;
  const verdict = await orLeftBehind(approver.ask(question, signal), signal, clock);
  if (!verdict.granted)
    return refused(
      proposed,
      "denied",
      `${verdict.reason} Do not repeat the call; ask the user how to go on.`,
      verdict,
    );
  signal.throwIfAborted();
  return granted(proposed, tool, preview, verdict);
}

/** What an earlier "always" does not cover. After untrusted data, nothing leaves unasked (CONFORMANCE §7). */
function urgencyOf(
  sensitive: boolean,
  { holdsSecret }: ProposedCall,
  { effect, origin }: ToolSpec,
  context: CallContext,
): Pick<Question, "alwaysAsk" | "because"> {
  if (sensitive) return { alwaysAsk: true, because: "sensitive" };
  if (holdsSecret) return { alwaysAsk: true, because: "secret" };
  const canSend = effect === "execute" || (origin !== undefined && origin.hints.openWorldHint !== false);
  if (canSend && context.hasReadOutside()) return { alwaysAsk: true, because: "outside" };
  return { alwaysAsk: false, because: null };
}

/** Judged on the call as it runs and as the model wrote it: a clamp changes a count, and never what has to be asked (seed 003). */
async function isSensitive(
  preview: Exclude<ToolPreview, { kind: "invalid" }>,
  { argumentsText, originalText }: ProposedCall,
  tool: Tool,
  context: CallContext,
  signal: AbortSignal,
): Promise<boolean> {
  if (preview.sensitive || originalText === argumentsText) return preview.sensitive;
  const original = await previewOf(tool, originalText, context, signal);
  return original !== null && original.kind !== "invalid" && original.sensitive;
}

/** Null where the tool has none to show. One that fails is a call that nobody can judge. */
async function previewOf(
  tool: Tool,
  argumentsText: string,
  { ports }: CallContext,
  signal: AbortSignal,
): Promise<ToolPreview | null> {
  const showing = async () => (await tool.preview?.(argumentsText, signal)) ?? null;
  try {
    return await orLeftBehind(showing(), signal, ports.clock);
  } catch (cause) {
    signal.throwIfAborted();
    const detail = cause instanceof Error ? cause.message : String(cause);
    const text = `The tool could not show what it would do: ${detail}. Nothing was changed.`;
    return { kind: "invalid", code: "preview_failed", text };
  }
}

function granted(
  proposed: ProposedCall,
  tool: Tool,
  preview: ToolPreview | null,
  verdict: Judged,
): Step<Permit, "authorised"> {
  const { by, reason } = verdict;
  return {
    value: { kind: "granted", proposed, tool, preview },
    event: { type: "authorised", call: proposed.call.call, granted: true, by, reason },
  };
}

function refused(
  proposed: ProposedCall,
  code: string,
  text: string,
  verdict?: Judged,
): Step<Permit, "authorised"> {
  return {
    value: { kind: "refused", proposed, code, text },
    event: {
      type: "authorised",
      call: proposed.call.call,
      granted: false,
      by: verdict?.by ?? "check",
      reason: verdict ? verdict.reason : code,
    },
  };
}

function unknownTool(proposed: ProposedCall, context: CallContext): string {
  const names = context.ports.tools.map(({ spec }) => spec.name);
  return `There is no tool called ${proposed.call.name.slice(0, indexOfChar(proposed.call.name, 80))}. Tools: ${names.join(", ")}.`;
}
