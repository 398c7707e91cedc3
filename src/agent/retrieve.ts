/** fetch_result: the one tool that redeems handles, a window at a time (seed 000 §Reading it back, CONFORMANCE §1). */
import { parseHandle } from "../claims/handle";
import { CLAIM_UNAVAILABLE, FETCH_RESULT, INVALID_OFFSET, windowText } from "../claims/ticket";
import { WINDOW_CHARS, windowOf } from "../claims/window";
import { FETCH_ARGUMENTS_SCHEMA, FetchArguments, type Handle, type RefusalReason } from "../schema/claim";
import { Failure } from "../schema/failure";
import { asRaw } from "../schema/text";
import type { Tool } from "../schema/tool";
import type { Permit } from "./authorise";
import type { CallContext } from "./callContext";
import type { Step } from "./step";

/** The window or the refusal, as the model sees it. */
export type Redeemed = {
  readonly call: string;
  readonly handle: Handle | null;
  readonly isError: boolean;
  readonly tainted: boolean;
  readonly text: string;
};

type Retrieval = Step<Redeemed, "redeemed" | "redemption_refused">;

const GIVEN_CHARS = 80;

/** Offered where results are stored. The loop runs it itself: stored content never passes the boundary twice. */
export const fetchResult: Tool = {
  spec: {
    name: FETCH_RESULT,
    description: `Reads a stored result back, unchanged, at most ${WINDOW_CHARS} characters at a time. Go on with the offset that the result names.`,
    inputSchema: FETCH_ARGUMENTS_SCHEMA,
    class: "other",
    effect: "read",
  },
  run: async () => ({
    kind: "failed",
    code: "not_run_here",
    text: asRaw("fetch_result is run by the session."),
  }),
};

export const isRetrieval = (permit: Permit & { kind: "granted" }): boolean =>
  permit.tool.spec.name === FETCH_RESULT;

export async function retrieve(
  permit: Permit & { kind: "granted" },
  context: CallContext,
): Promise<Retrieval> {
  const { call } = permit.proposed.call;
  const given = argumentsOf(permit.proposed.argumentsText);
  if (given === null) return refusal(call, "invalid_arguments", permit.proposed.argumentsText, null);
  const handle = parseHandle(given.handle);
  if (handle === null) return refusal(call, "malformed", given.handle, null);
  const claim = context.ports.claims.find(handle);
  if (!claim) return refusal(call, "unknown", given.handle, null);
  const offset = given.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0)
    return refusal(call, "invalid_offset", String(offset), handle);
  try {
    const window = windowOf(await context.ports.claims.read(claim.sha256), offset);
    const tainted = claim.tainted === true && window.chars > 0;
    const text = windowText(handle, window, tainted ? claim.tool : null);
    return {
      value: { call, handle, isError: false, tainted, text },
      event: {
        type: "redeemed",
        call,
        handle,
        offset: window.offset,
        chars: window.chars,
        totalChars: window.totalChars,
      },
    };
  } catch (cause) {
    return refusal(call, reasonOf(cause), given.handle, handle);
  }
}

function reasonOf(cause: unknown): RefusalReason {
  if (!(cause instanceof Failure)) return "unreadable"; // the disk's own error: the content may come back
  return cause.code === "blob-corrupt" ? "corrupt" : "missing";
}

function argumentsOf(text: string): FetchArguments | null {
  try {
    const parsed = FetchArguments.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** Unknown, foreign, missing and corrupt read the same to the model, byte for byte; the log has the reason (§0.3). */
function refusal(call: string, reason: RefusalReason, given: string, handle: Handle | null): Retrieval {
  const text =
    reason === "invalid_offset"
      ? INVALID_OFFSET
      : reason === "invalid_arguments"
        ? `invalid_arguments: ${FETCH_RESULT} takes { "handle": "claim:…", "offset": 0 }.`
        : CLAIM_UNAVAILABLE;
  return {
    value: { call, handle, isError: true, tainted: false, text },
    event: { type: "redemption_refused", call, reason, given: [...given].slice(0, GIVEN_CHARS).join("") },
  };
}
