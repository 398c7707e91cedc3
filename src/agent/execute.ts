/** Step 3: the tool runs, on the effective arguments only. What it returns is raw and goes nowhere but to the boundary. */
import type { LineHint } from "../schema/coverage";
import type { MediaPart } from "../schema/media";
import { asRaw, type RawText } from "../schema/text";
import type { ToolClass, ToolOutcome } from "../schema/tool";
import { countAt } from "../thimble/returned";
import type { Permit } from "./authorise";
import type { CallContext } from "./callContext";
import { orLeftBehind } from "./leaveBehind";
import type { PendingCall } from "./remember";
import type { Step } from "./step";

export type Executed = {
  readonly call: PendingCall;
  readonly permit: Permit & { kind: "granted" };
  readonly text: RawText;
  readonly media: readonly MediaPart[];
  readonly class: ToolClass;
  readonly isError: boolean;
  readonly items: number | null;
  readonly lines: LineHint | null; // each line is a record, as the tool says of its own text
};

/** Throws the signal's reason where a stopped tool did not come back: `authorised` then stands without `executed`. */
export async function execute(
  permit: Permit & { kind: "granted" },
  context: CallContext,
  signal: AbortSignal,
): Promise<Step<Executed, "executed">> {
  const { clock, watcher } = context.ports;
  const { call, argumentsText } = permit.proposed;
  const started = clock.now();
  signal.throwIfAborted();
  const progress = (text: string) => watcher.toolProgress(call.call, text);
  const running = async () => permit.tool.run(argumentsText, { signal, preview: permit.preview, progress });
  const outcome = await orLeftBehind(running().catch(thrown), signal, clock);
  const isError = outcome.kind === "failed";
  const items = outcome.kind === "ok" ? itemsOf(outcome, permit.proposed.returned) : null;
  return {
    value: {
      call,
      permit,
      text: outcome.text,
      media: outcome.media ?? [],
      class: classOf(outcome, permit.tool.spec.class),
      isError,
      items,
      lines: outcome.kind === "ok" ? (outcome.lines ?? null) : null,
    },
    event: {
      type: "executed",
      call: call.call,
      outcome: outcome.kind,
      code: outcome.kind === "ok" ? null : outcome.code,
      items,
      elapsedMs: Math.max(0, Math.round(clock.now() - started)),
    },
  };
}

/** A failed command is still a log whose end matters; every other failure is shown as an error. */
const errorClass = (declared: ToolClass): ToolClass => (declared === "execute" ? "execute" : "error");

const classOf = (outcome: ToolOutcome, declared: ToolClass): ToolClass =>
  outcome.kind === "failed"
    ? errorClass(declared)
    : ((outcome.kind === "ok" ? outcome.class : undefined) ?? declared);

/** The tool's own count, else that of the list which the contract points to: measured, never what was asked for. */
function itemsOf(outcome: ToolOutcome & { kind: "ok" }, returned: string | null): number | null {
  const counted = countOf(outcome.items);
  if (counted !== null || returned === null) return counted;
  return countAt(outcome.json ?? outcome.text, returned);
}

/** A tool's own count, where it is one: the log takes nothing that could not be read back. */
const countOf = (items: number | undefined): number | null =>
  items !== undefined && Number.isSafeInteger(items) && items >= 0 ? items : null;

function thrown(cause: unknown): ToolOutcome {
  const message = cause instanceof Error ? cause.message : String(cause);
  return { kind: "failed", code: "tool_threw", text: asRaw(`The tool failed: ${message}`) };
}
