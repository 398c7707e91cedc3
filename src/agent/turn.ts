/**
 * Read this first: one tool call, every step in the order it runs.
 *
 *   clamp → authorise → execute → boundary → redact → measure → store → project → branch → cover → substitute → remember
 *
 * Each step takes what the one before it returned, so leaving one out does not compile; each returns its event, and
 * only `record` appends it. Images and other parts that are not text go the same way; `keepMedia` has one event for each
 * of them. A stop between two steps leaves a log that says how far the call came (ARCHITECTURE).
 */
import { authorise, runsUnasked } from "./authorise";
import { boundary } from "./boundary";
import { branch } from "./branch";
import type { CallContext } from "./callContext";
import { clamp } from "./clamp";
import { cover } from "./cover";
import { execute } from "./execute";
import { keepMedia } from "./keepMedia";
import { measure, measureWindow } from "./measure";
import { project } from "./project";
import { redact } from "./redact";
import { type PendingCall, type Remembered, remember, rememberRefusal, rememberWindow } from "./remember";
import { isRetrieval, retrieve } from "./retrieve";
import { record } from "./step";
import { store } from "./store";

/** Invariant: resolves with the result remembered in the log, or throws `Failure` where the log cannot be written. */
export async function runToolCall(
  call: PendingCall,
  context: CallContext,
  signal: AbortSignal,
): Promise<Remembered> {
  const { log } = context.ports;
  const proposal = await record(log, clamp(call, context));
  const permit = await record(log, await authorise(proposal, context, signal));
  if (permit.kind === "refused") return record(log, rememberRefusal(permit, context));
  if (isRetrieval(permit)) {
    const redeemed = await record(log, await retrieve(permit, context));
    return record(log, rememberWindow(await record(log, measureWindow(redeemed, context))));
  }
  if (!runsUnasked(permit.tool.spec)) await log.sync(); // on disk before anything changes
  const result = await record(log, await execute(permit, context, signal));
  const safe = await record(log, redact(result, boundary(result.text, result.media), context));
  const measured = await record(log, measure(safe, context));
  const stored = await record(log, await store(measured, context));
  const whole = await keepMedia(stored, context);
  const projected = await record(log, project(whole, context));
  const kept = await record(log, await branch(projected, context, signal));
  const covered = await record(log, await cover(kept, context));
  return record(log, remember(covered, context));
}
