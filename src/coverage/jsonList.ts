/** Finds the list in a JSON value while it is scanned: the root, a pointer's array, or the one array of an object. */
import type { Completeness, NotAList } from "../schema/coverage";
import { RecordTable } from "./recordTable";
import type { Span, ValueKind, Visitor } from "./scan";
import {
  endOf,
  LONGEST_NAME,
  MEMBER_BYTES,
  type Role,
  roleOf,
  type SourceMember,
  saysOf,
} from "./sourceMembers";

/** Members beside the list that pages do not show may have so many bytes, or as many as the list. */
const BESIDE_BYTES = 1024;

export type FoundList =
  | {
      readonly kind: "list";
      readonly records: RecordTable;
      readonly source: readonly SourceMember[];
      readonly complete: Completeness;
      readonly isEndSaid: boolean;
      readonly leftOutBytes: number; // of members that stand in no page
    }
  | { readonly kind: "text"; readonly reason: NotAList };

type Beside = { readonly role: Role; readonly key: string; readonly span: Span };

/** Splits a JSON pointer into its reference tokens (RFC 6901 §4). */
const stepsOf = (pointer: string): readonly string[] =>
  pointer === ""
    ? []
    : pointer
        .slice(1)
        .split("/")
        .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const escaped = (step: string): string => step.replaceAll("~", "~0").replaceAll("/", "~1");

/** `pointer` null: the list is looked for. A visitor for one value; afterwards `found` says what it is. */
export class JsonList implements Visitor {
  depth: number;
  readonly #text: string;
  readonly #path: readonly string[] | null;
  readonly #records = new RecordTable();
  #holder = -1; // the depth of the innermost open container on the way to the list
  #isNext = true; // the value that comes next is on the way, or is the list
  #listDepth = -1; // of the list, while it is open
  #lists = 0;
  #listBytes = 0;
  #other: ValueKind | null = null; // what stands at the pointer, where it is no array
  #isAmbiguous = false;
  readonly #steps = new Set<number>(); // depths at which the way went on already
  readonly #seen = new Set<string>(); // keys of source members
  readonly #beside: Beside[] = [];
  #name: { readonly start: number; readonly end: number } | null = null;
  #leftOutBytes = 0;

  constructor(text: string, pointer: string | null) {
    this.#text = text;
    this.#path = pointer === null ? null : stepsOf(pointer);
    this.depth = (this.#path?.length ?? 1) + 1;
  }

  name(depth: number, start: number, end: number): void {
    if (depth !== this.#holder + 1) return;
    this.#name = { start, end };
    this.#isNext = this.#path !== null && this.#says(start, end, this.#path[depth - 1]);
    if (this.#isNext) this.#step(depth);
  }

  element(depth: number, index: number): void {
    if (depth !== this.#holder + 1) return;
    this.#name = null;
    this.#isNext = this.#path !== null && this.#path[depth - 1] === String(index);
    if (this.#isNext) this.#step(depth);
  }

  open(depth: number, kind: "object" | "array"): void {
    const isCandidate = this.#path === null && depth === 1 && this.#holder === 0 && kind === "array";
    if (isCandidate) {
      this.#begin(depth);
      return;
    }
    if (!this.#isNext) return;
    this.#isNext = false;
    const isEnd = this.#path === null ? kind === "array" : depth === this.#path.length;
    if (!isEnd) this.#holder = depth;
    else if (kind === "array") this.#begin(depth);
    else this.#other = kind;
  }

  close(depth: number, kind: ValueKind, span: Span): void {
    if (this.#listDepth >= 0) {
      if (depth === this.#listDepth + 1 && this.#lists === 1) this.#records.add(span);
      else if (depth === this.#listDepth) {
        this.#listDepth = -1;
        this.#listBytes = span.endByte - span.startByte;
      }
      return;
    }
    if (this.#isNext && depth === this.#path?.length)
      this.#other = kind; // a scalar at the pointer
    else if (depth === this.#holder) {
      this.#holder--;
      return; // the way to the list is not beside it
    } else if (depth === this.#holder + 1 && depth > 0) this.#addBeside(depth, span);
    this.#isNext = false;
  }

  /** Contract: the value was scanned to its end, and lies in the text that was given. */
  found(): FoundList {
    const text = (reason: NotAList): FoundList => ({ kind: "text", reason });
    if (this.#isAmbiguous || this.#lists > 1) return text("ambiguous");
    if (this.#other !== null) return text("not_an_array");
    if (this.#lists === 0) return text(this.#path === null ? "not_a_list" : "pointer_missing");
    const isPointed = this.#path !== null;
    if (!isPointed && this.#leftOutBytes > Math.max(BESIDE_BYTES, this.#listBytes)) {
      return text("too_much_beside");
    }
    const members = this.#beside.map(({ role, key, span }) => ({
      role,
      key,
      text: this.#text.slice(span.start, span.end),
    }));
    const says = members.flatMap(({ role, text: value }) => [...saysOf(role, value)]);
    return {
      kind: "list",
      records: this.#records,
      source: members.map(({ key, text: value }) => ({ key, text: value })),
      complete: endOf(says, this.#records.count),
      isEndSaid: says.length > 0,
      leftOutBytes: this.#leftOutBytes,
    };
  }

  #begin(depth: number): void {
    this.#lists++;
    this.#listDepth = depth;
    if (this.#path === null) this.depth = depth + 1; // of a root's records nothing is looked at
  }

  #step(depth: number): void {
    if (this.#steps.has(depth)) this.#isAmbiguous = true;
    this.#steps.add(depth);
  }

  /** Only of objects: the other elements of an array on the way are left out. */
  #addBeside(depth: number, span: Span): void {
    const bytes = span.endByte - span.startByte;
    const name = this.#name;
    const said = name === null || name.end - name.start > 6 * LONGEST_NAME ? null : this.#decoded(name);
    const role = said === null ? undefined : roleOf(said);
    if (name === null || said === null || role === undefined) {
      this.#leftOutBytes += bytes;
      return;
    }
    const above = (this.#path ?? []).slice(0, depth - 1).map((step) => `/${escaped(step)}`);
    const key =
      depth === 1
        ? this.#text.slice(name.start - 1, name.end + 1)
        : JSON.stringify(`${above.join("")}/${escaped(said)}`);
    const place = `${depth} ${said}`;
    if (this.#seen.has(place)) this.#isAmbiguous = true;
    this.#seen.add(place);
    if (role !== "status" && bytes > MEMBER_BYTES) this.#leftOutBytes += bytes;
    else this.#beside.push({ role, key, span });
  }

  /** An escaped name is longer than what it says, so equal lengths need no decoding. */
  #says(start: number, end: number, step: string | undefined): boolean {
    if (step === undefined || end - start < step.length || end - start > 6 * step.length) return false;
    return end - start === step.length
      ? this.#text.startsWith(step, start)
      : this.#decoded({ start, end }) === step;
  }

  #decoded({ start, end }: { readonly start: number; readonly end: number }): string {
    const raw = this.#text.slice(start, end);
    return raw.includes("\\") ? String(JSON.parse(`"${raw}"`)) : raw;
  }
}
