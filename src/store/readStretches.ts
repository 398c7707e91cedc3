/** Reads a log of any length without keeping others from their turn: the editor's host has one thread for everything. */
import { setImmediate } from "node:timers/promises";
import type { Logged } from "../schema/event";
import { BEGINNING, type ReadLog, readChain } from "./chain";
import type { Seal } from "./seal";
import type { Point } from "./snapshots";

const NEWLINE = 10;
const STRETCH_BYTES = 512 * 1024; // read at once; then others have a turn

/** The same as `readChain` of all of it. */
export async function readStretches(
  text: Uint8Array,
  seal: Seal | null,
  known: Pick<Point, "events" | "sum"> = BEGINNING,
  stretchBytes = STRETCH_BYTES,
): Promise<ReadLog> {
  const events: Logged[] = [];
  let { sum } = known;
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf(NEWLINE, start + stretchBytes - 1);
    const end = lineEnd < 0 ? text.length : lineEnd + 1;
    const after = { sum, events: known.events + events.length };
    const read = readChain(text.subarray(start, end), seal, after);
    for (const event of read.events) events.push(event);
    sum = read.sum;
    if (read.problem !== null)
      return { events, sum, goodBytes: start + read.goodBytes, problem: read.problem };
    start = end;
    if (start < text.length) await setImmediate();
  }
  return { events, sum, goodBytes: text.length, problem: null };
}
