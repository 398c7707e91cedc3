/** The scanner's memory: which JSON pointers the place in the text that is being read lies on, and what they found. */
import type { Found, Path, TokenKind } from "./scan";

const MISSING: Found = { kind: "missing" };
const AMBIGUOUS: Found = { kind: "ambiguous" };

type Walk = {
  readonly path: Path;
  level: number; // containers entered on the way
  isNext: boolean; // the value that comes next, or has just been left, lies on the path
  readonly isSeen: boolean[]; // per level: the path's member has occurred; its container comes once, or is ambiguous
  found: Found;
};

/** Follows `paths` while the scanner reports what it enters, reads and leaves. Depth = number of enclosing containers. */
export class Trail {
  readonly #text: string;
  readonly #walks: readonly Walk[];
  readonly #longest: number;

  constructor(text: string, paths: readonly Path[]) {
    this.#text = text;
    this.#walks = paths.map((path) => ({ path, level: 0, isNext: true, isSeen: [], found: MISSING }));
    this.#longest = paths.reduce((most, path) => Math.max(most, path.length), 0);
  }

  /** A container was opened; its members are at `depth`. */
  enter(depth: number): void {
    if (depth > this.#longest + 1) return;
    for (const walk of this.#walks) {
      if (!walk.isNext) continue;
      walk.isNext = false;
      walk.level = depth;
    }
  }

  /** The container whose members are at `depth` was closed. */
  leave(depth: number): void {
    if (depth > this.#longest + 1) return;
    for (const walk of this.#walks) {
      if (walk.level !== depth) continue;
      walk.level = depth - 1;
      walk.isNext = true;
    }
  }

  /** An object's member comes next; its name stands between `start` and `end`, quotes left out. */
  member(depth: number, start: number, end: number): void {
    if (depth > this.#longest) return;
    for (const walk of this.#walks) {
      if (walk.level === depth && this.#isNamed(walk.path[depth - 1], start, end)) this.#step(walk, depth);
    }
  }

  /** An array's element comes next. RFC 6901 allows no leading zeros, so the index has one spelling. */
  element(depth: number, index: number): void {
    if (depth > this.#longest) return;
    for (const walk of this.#walks) {
      if (walk.level === depth && walk.path[depth - 1] === String(index)) this.#step(walk, depth);
    }
  }

  /** A value at `depth` has been read whole. */
  close(depth: number, kind: TokenKind, start: number, end: number): void {
    if (depth > this.#longest) return;
    for (const walk of this.#walks) {
      if (!walk.isNext) continue;
      walk.isNext = false;
      if (walk.path.length === depth && walk.found !== AMBIGUOUS) {
        walk.found = { kind: "token", token: { kind, start, end } };
      }
    }
  }

  found(): Found[] {
    return this.#walks.map((walk) => walk.found);
  }

  #step(walk: Walk, depth: number): void {
    if (walk.isSeen[depth]) walk.found = AMBIGUOUS;
    walk.isSeen[depth] = true;
    walk.isNext = true;
  }

  /** An escaped name is longer than what it says, so equal lengths need no decoding. */
  #isNamed(name: string | undefined, start: number, end: number): boolean {
    if (name === undefined || end - start < name.length) return false;
    if (end - start === name.length) return this.#text.startsWith(name, start);
    const raw = this.#text.slice(start, end);
    return raw.includes("\\") && JSON.parse(`"${raw}"`) === name;
  }
}
