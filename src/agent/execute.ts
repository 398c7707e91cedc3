/** Step 3: the tool runs, on the effective arguments only. What it returns is raw and goes nowhere but to the boundary. */
import { asRaw, type RawText } from "../schema/text";
import type { ToolClass, ToolOutcome } from "../schema/tool";
import type { Permit } from "./authorise";
import type { CallContext } from "./callContext";
import type { Clock } from "./ports";
import type { PendingCall } from "./remember";
import type { Step } from "./step";

export type Executed = {
  readonly call: PendingCall;
  readonly permit: Permit & { kind: "granted" };
  readonly text: RawText;
  readonly class: ToolClass;
  readonly isError: boolean;
  readonly items: number | null;
};

/** A tool that does not come back this long after a stop is left behind; its call reads "may have run in part". */
const STOP_GRACE_MS = 5000;

/** Throws the signal's reason where a stopped tool did not come back: `authorised` then stands without `executed`. */
export async function execute(
  permit: Permit & { kind: "granted" },
  context: CallContext,
  signal: AbortSignal,
): Promise<Step<Executed, "executed">> {
  const { clock, watcher } = context.ports;
  const { call, argumentsText } = permit.proposed;
  const started = clock.now();
  const running = permit.tool.run(argumentsText, {
    signal,
    preview: permit.preview,
    progress: (text) => watcher.toolProgress(call.call, text),
  });
  const finished = new AbortController();
  const outcome = await Promise.race([running.catch(thrown), leftBehind(signal, clock, finished.signal)]);
  finished.abort();
  const isError = outcome.kind === "failed";
  return {
    value: {
      call,
      permit,
      text: outcome.text,
      class: isError ? errorClass(permit.tool.spec.class) : (outcome.class ?? permit.tool.spec.class),
      isError,
      items: isError ? null : (outcome.items ?? null),
    },
    event: {
      type: "executed",
      call: call.call,
      outcome: isError ? "failed" : "ok",
      code: isError ? outcome.code : null,
      items: isError ? null : (outcome.items ?? null),
      elapsedMs: Math.max(0, Math.round(clock.now() - started)),
    },
  };
}

/** A failed command is still a log whose end matters; every other failure is shown as an error. */
const errorClass = (declared: ToolClass): ToolClass => (declared === "execute" ? "execute" : "error");

function thrown(cause: unknown): ToolOutcome {
  const message = cause instanceof Error ? cause.message : String(cause);
  return { kind: "failed", code: "tool_threw", text: asRaw(`The tool failed: ${message}`) };
}

function leftBehind(signal: AbortSignal, clock: Clock, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => void clock.sleep(STOP_GRACE_MS).then(() => reject(signal.reason));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true, signal: finished });
  });
}
