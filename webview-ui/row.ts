// The inspector's browser side: what a row of the tree is, and what the details of a row are. No DOM here.
import type { Handle } from "../src/schema/claim";
import { visibleSegments } from "./visibleText";

export type RowKind =
  | "session"
  | "notice"
  | "placeholder" // not there yet: of the same height
  | "turn"
  | "asked"
  | "note"
  | "request"
  | "reply"
  | "call"
  | "arguments"
  | "receipt"
  | "permission"
  | "result"
  | "page"
  | "media"
  | "readBack"
  | "stored"
  | "response"
  | "changes"
  | "shortened"
  | "refusal"
  | "repair"
  | "recovery"
  | "end";

export type Tone = "plain" | "quiet" | "warning" | "error" | "busy";

/** A name and a value. `isCode` = an identifier, shown in the editor's font; `at`: a point in time, shown as how long ago. */
export type Fact = {
  readonly label: string;
  readonly value: string;
  readonly isCode?: boolean;
  readonly at?: number;
};

/** A whole text of unknown origin, under its name. */
export type TextBlock = { readonly label: string; readonly text: string };

export type Details = { readonly facts: readonly Fact[]; readonly texts: readonly TextBlock[] };

/**
 * One row. Its key is its path ("session/t1/t1c0/receipt"), the same in every state that has the row, so that focus and
 * expansion outlive an update. Children and details are made when they are shown: a closed turn costs one row.
 */
export type Row = {
  readonly key: string;
  readonly kind: RowKind;
  readonly icon: string; // codicon name
  readonly tone: Tone;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly isParent: boolean;
  readonly startsOpen: boolean;
  readonly children: () => readonly Row[];
  readonly details: () => Details;
  /** The stored result that the row opens. */
  readonly opens: Handle | null;
  /** The key of another row that this one leads to. */
  readonly leadsTo: string | null;
  /** The event that says it. */
  readonly event: LogEvent | null;
};

/** A place in the session's log. */
export type LogEvent = { readonly n: number; readonly type: string };

const NONE: readonly Row[] = [];
const NO_DETAILS: Details = { facts: [], texts: [] };

const visible = (text: string): string =>
  visibleSegments(text)
    .map((segment) => segment.text)
    .join("");

type Given = Pick<Row, "key" | "kind" | "icon" | "label"> & Partial<Row>;

/** A row with everything that was not given left plain. What is read of it has no character that hides or moves others. */
export function rowOf(given: Given): Row {
  const label = visible(given.label);
  const description = visible(given.description ?? "");
  const tooltip = description === "" ? label : `${label}: ${description}`;
  return {
    tone: "plain",
    isParent: given.children !== undefined,
    startsOpen: false,
    children: () => NONE,
    details: () => NO_DETAILS,
    opens: null,
    leadsTo: null,
    event: null,
    ...given,
    label,
    description,
    tooltip: given.tooltip === undefined ? tooltip : visible(given.tooltip),
  };
}

/** Facts out of pairs; a null value is left out. */
export const factsOf = (
  ...pairs: readonly (readonly [label: string, value: string | null, kind?: "code"])[]
): Fact[] =>
  pairs.flatMap(([label, value, kind]) =>
    value === null || value === "" ? [] : [{ label, value, ...(kind === "code" && { isCode: true }) }],
  );
