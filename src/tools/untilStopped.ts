/** How a tool ends when its call is stopped. */
import { asRaw } from "../schema/text";
import type { ToolOutcome } from "../schema/tool";

/** Runs read-only work; when the signal aborts it, that is an outcome and not a fault. */
export async function untilStopped(
  signal: AbortSignal,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  try {
    signal.throwIfAborted();
    return await work();
  } catch (cause) {
    if (!signal.aborted) throw cause;
    return failed("stopped", "Stopped before it ended. Nothing was changed.");
  }
}

export function failed(code: string, text: string): Extract<ToolOutcome, { kind: "failed" }> {
  return { kind: "failed", code, text: asRaw(text) };
}
