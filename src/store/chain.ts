/** The form of a log line: one event, and a checksum over it and everything before it (ARCHITECTURE, Storage). Pure. */
import * as z from "zod";
import { type Logged, SessionEvent, Stamp } from "../schema/event";
import { Failure } from "../schema/failure";
import { sha256 } from "./digest";
import type { Seal } from "./seal";

export const CHAIN_START = "0".repeat(16);
const SUM = /,"sum":"([0-9a-f]{16})"\}$/;

/** The line without its newline, and the checksum that the next line covers. `seal` null: as it is. */
export function lineOf(
  event: Logged,
  previous: string,
  seal: Seal | null = null,
): { line: string; sum: string } {
  const body = JSON.stringify(event);
  const sum = sha256(previous + body).slice(0, 16);
  const line = `${body.slice(0, -1)},"sum":"${sum}"}`;
  return { line: seal ? seal.sealLine(line) : line, sum };
}

/**
 * What a log says as far as its chain holds. `goodBytes` is where it stops holding: a torn, fused, lost or edited line
 * and everything after it is not read.
 */
export type ReadLog = {
  readonly events: readonly Logged[];
  readonly sum: string;
  readonly goodBytes: number;
  readonly problem: string | null;
};

/** What stands before the first line. */
export const BEGINNING = { sum: CHAIN_START, events: 0 };

const AnyEvent = z.looseObject({ type: z.string() });

/**
 * `after`: what stands before `text` in the log. Throws `store-too-new` for an event kind that this version does not
 * know: it is somebody's data, not damage.
 */
export function readChain(text: Uint8Array, seal: Seal | null = null, after = BEGINNING): ReadLog {
  const events: Logged[] = [];
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }); // every altered byte counts
  let sum = after.sum;
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf(10, start);
    if (end < 0)
      return { events, sum, goodBytes: start, problem: `line ${after.events + events.length + 1} is torn` };
    const written = text.subarray(start, end);
    const line = decoded(decoder, seal ? seal.openLine(written) : written);
    const match = SUM.exec(line);
    const body = match ? `${line.slice(0, match.index)}}` : line;
    const expected = sha256(sum + body).slice(0, 16);
    if (!match || match[1] !== expected) {
      return {
        events,
        sum,
        goodBytes: start,
        problem: `line ${after.events + events.length + 1} does not follow from the one before`,
      };
    }
    events.push(eventOf(JSON.parse(body)));
    sum = expected;
    start = end + 1;
  }
  return { events, sum, goodBytes: start, problem: null };
}

/** The event of a line that is read for itself, without what stands before it; null where it is none. */
export function eventIn(line: string): Logged | null {
  try {
    return eventOf(JSON.parse(line.replace(SUM, "}")));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof Failure) return null;
    throw cause;
  }
}

/** The checksum that a line carries; null where it is no line of a log. */
export function sumOf(line: Uint8Array, seal: Seal | null): string | null {
  const text = decoded(new TextDecoder("utf-8", { fatal: true }), seal ? seal.openLine(line) : line);
  return SUM.exec(text)?.[1] ?? null;
}

/** Empty where it could not be opened, or is no UTF-8: then nothing follows from anything. */
function decoded(decoder: TextDecoder, bytes: Uint8Array | null): string {
  if (bytes === null) return "";
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) return "";
    throw cause;
  }
}

function eventOf(value: unknown): Logged {
  const stamp = Stamp.safeParse(value);
  const event = SessionEvent.safeParse(value);
  if (!stamp.success || !event.success) {
    const { type } = AnyEvent.safeParse(value).data ?? { type: "unknown" };
    throw new Failure(
      "store-too-new",
      `This session has an event (${type}) that this version of Cloakroom cannot read. Update Cloakroom to open it.`,
      { type },
      { cause: stamp.error ?? event.error },
    );
  }
  return { ...stamp.data, ...event.data };
}
