/** A document that is kept as patches of it, replayed: nothing in a patch is believed, and what is held has a bound. */
import { isRecord, type Json } from "./json";

/** As much as one JSON value may have that is read whole. */
export const MAXIMUM_HELD_CHARS = 64 * 1024 * 1024;

/** With the depth of a patch's own value, what is made stays as shallow as everything that is read whole. */
const MOST_STEPS = 50;

type Kept = Record<string, unknown>;
type Step = string | number;

/** Says what was not done, as a note; null: all of it was. */
export type Refused = string | null;

const NOWHERE = "patch(es) led nowhere, and were not read";
const UNKNOWN = "patch(es) of a kind that is not known were not read";
const AGAIN = "later state(s) of the whole session took the place of what stood before";
const TOO_LARGE = "patch(es) were not read: a session may have 64 MB";

export class PatchedDocument {
  readonly #maximumChars: number;
  #value: unknown;
  #chars = 0;

  constructor(maximumChars = MAXIMUM_HELD_CHARS) {
    this.#maximumChars = maximumChars;
  }

  get value(): unknown {
    return this.#value;
  }

  /** `chars`: of the patch as it is written. What it replaces is not taken off the sum, so that the sum is a bound. */
  apply({ kind, k, v, i }: Json, chars: number): Refused {
    if (kind === 0) return this.#begin(v, chars);
    if (kind !== 1 && kind !== 2 && kind !== 3) return UNKNOWN;
    if (this.#chars + chars > this.#maximumChars) return TOO_LARGE;
    this.#chars += chars;
    const place = placeAt(this.#value, k);
    if (place === null) return NOWHERE;
    const isDone = kind === 1 ? set(place, v) : kind === 2 ? push(place, v, i) : set(place, undefined);
    return isDone ? null : NOWHERE;
  }

  #begin(value: unknown, chars: number): Refused {
    if (!isRecord(value)) return NOWHERE;
    const isAgain = this.#value !== undefined;
    this.#value = value;
    this.#chars = chars;
    return isAgain ? AGAIN : null;
  }
}

/** The last step of a path, and what it is taken from. */
type Place = { readonly holder: unknown[] | Kept; readonly step: Step };

function placeAt(value: unknown, path: unknown): Place | null {
  if (!Array.isArray(path) || path.length === 0 || path.length > MOST_STEPS) return null;
  const steps: readonly unknown[] = path;
  let holder = value;
  for (const step of steps.slice(0, -1)) holder = valueAt(holder, step);
  const step = steps.at(-1);
  if (Array.isArray(holder)) return isIndex(step, holder.length) ? { holder, step } : null;
  return isRecord(holder) && isName(step) ? { holder: holder as Kept, step } : null;
}

/** A value's own: nothing that every object has. */
function valueAt(holder: unknown, step: unknown): unknown {
  if (Array.isArray(holder)) return isIndex(step, holder.length) ? holder[step] : undefined;
  return isRecord(holder) && isName(step) && Object.hasOwn(holder, step) ? holder[step] : undefined;
}

/** One behind the last is where a list grows; further away would leave holes, as many as somebody likes. */
const isIndex = (step: unknown, length: number): step is number =>
  typeof step === "number" && Number.isInteger(step) && step >= 0 && step <= length;

const isName = (step: unknown): step is string => typeof step === "string" && step !== "__proto__";

function set({ holder, step }: Place, value: unknown): boolean {
  if (Array.isArray(holder)) holder[Number(step)] = value ?? null;
  else if (value === undefined) delete holder[step];
  else holder[step] = value;
  return true;
}

/** Behind the list that stands there, of which so many are kept. None is there: it begins. */
function push(place: Place, values: unknown, kept: unknown): boolean {
  const list = valueAt(place.holder, place.step) ?? [];
  if (!Array.isArray(list)) return false;
  if (kept !== undefined && !isIndex(kept, list.length)) return false;
  if (values !== undefined && !Array.isArray(values)) return false;
  if (kept !== undefined) list.length = kept;
  for (const value of values ?? []) list.push(value);
  return set(place, list);
}
