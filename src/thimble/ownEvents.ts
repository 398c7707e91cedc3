/** Which events of a log are its session's own: a fork begins with those of the session that it was copied from. Pure. */
import type { Logged } from "../schema/event";

/** The index of the first event that was not copied. An import is all there is of its session here: nothing of it is left out. */
export function ownFrom(events: readonly Logged[]): number {
  const [started, adopted] = events;
  if (started?.type !== "session_started" || started.from?.kind !== "fork") return 0;
  const beginnings = adopted?.type === "adopted" ? 2 : 1;
  if (adopted?.type === "adopted" && adopted.copied !== undefined) return beginnings + adopted.copied;
  const first = events.findIndex(({ at }, n) => n >= beginnings && at > started.at); // what was copied is no later
  return first < 0 ? events.length : first;
}
