/**
 * What a log's folds have come to, beside the log: opening a long session reads these and what was appended since.
 * Rebuildable, and believed only where they were written whole, by the same code, for the log that is there.
 */
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import * as z from "zod";
import { writeAtomically } from "./atomic";
import { SNAPSHOTS } from "./layout";
import type { Seal } from "./seal";

/** Up to where in the log: so many events, so many bytes, the last line's length and checksum. */
export const Point = z.object({
  events: z.int().positive(),
  bytes: z.int().positive(),
  lastLineBytes: z.int().positive(),
  sum: z.string().regex(/^[0-9a-f]{16}$/),
});
export type Point = z.infer<typeof Point>;

const Header = z.object({ format: z.literal(1), code: z.string(), point: Point, sha256: z.string() });

/** Set when the house is built, from the source of what folds: other code may mean something else by a state. */
declare const __FOLDS__: string | undefined;
const CODE = typeof __FOLDS__ === "undefined" ? "source" : __FOLDS__;

const NAME = /^[a-z]{1,32}$/;
const LENGTH_BYTES = 4;

/** States by name. What a name means is whoever's who saved it. */
export type States = Readonly<Record<string, unknown>>;

/** Writes each state to a file of its own, all for one point. */
export async function saveSnapshots(
  folder: string,
  point: Point,
  states: States,
  seal: Seal | null,
): Promise<void> {
  for (const [name, state] of Object.entries(states)) {
    if (!NAME.test(name)) throw new Error(`${name} is no name of a snapshot`);
    const payload = serialize(state);
    const header = { format: 1, code: CODE, point, sha256: hash("sha256", payload, "hex") };
    const words = Buffer.from(JSON.stringify(header), "utf8");
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(words.length);
    const bytes = Buffer.concat([length, words, payload]);
    await writeAtomically(pathOf(folder, name), seal ? seal.sealFile(name, bytes) : bytes);
  }
}

/** The states of those names, if they are all there for one point; else null, and the log tells it all. */
export async function loadSnapshots(
  folder: string,
  names: readonly string[],
  seal: Seal | null,
): Promise<{ readonly point: Point; readonly states: States } | null> {
  const states: Record<string, unknown> = {};
  let point: Point | null = null;
  for (const name of names) {
    const found = await load(pathOf(folder, name), name, seal);
    if (found === null || (point !== null && JSON.stringify(point) !== JSON.stringify(found.point)))
      return null;
    point = found.point;
    states[name] = found.state;
  }
  return point && { point, states };
}

async function load(
  path: string,
  name: string,
  seal: Seal | null,
): Promise<{ point: Point; state: unknown } | null> {
  const written = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause;
    return null; // the log has it all: a snapshot closes no session
  });
  const bytes = written && seal ? seal.openFile(name, written) : written;
  if (bytes === null || bytes.length < LENGTH_BYTES) return null;
  const end = LENGTH_BYTES + bytes.readUInt32LE(0);
  const header = headerIn(bytes.toString("utf8", LENGTH_BYTES, end));
  const payload = bytes.subarray(end);
  if (header?.code !== CODE || hash("sha256", payload, "hex") !== header.sha256) return null;
  try {
    return { point: header.point, state: deserialize(payload) };
  } catch {
    return null; // an editor with a later V8 wrote it: all that a whole payload throws for
  }
}

function headerIn(text: string): z.infer<typeof Header> | null {
  try {
    return Header.safeParse(JSON.parse(text)).data ?? null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

const pathOf = (folder: string, name: string): string => join(folder, SNAPSHOTS, `${name}.snapshot`);
