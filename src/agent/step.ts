/** The shape every step has: a value for the next step, and the event that the log gets for it. */
import type { EventOf, EventType } from "../schema/event";
import type { Log } from "./ports";

/**
 * `E` names the event, so a step that forgets it does not compile; `null` stands for a step that may have nothing to
 * tell (a result that stays inline is not stored, C16).
 */
export type Step<T, E extends EventType | null> = {
  readonly value: T;
  readonly event: E extends EventType ? EventOf<E> : null;
};

/** Records a step's event, then hands its value on. The only caller of `append`. */
export async function record<T, E extends EventType | null>(log: Log, step: Step<T, E>): Promise<T> {
  if (step.event !== null) await log.append(step.event);
  return step.value;
}
