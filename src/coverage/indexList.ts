/** Read this first: one pass over a result's text says whether it is a list, and where its records lie (CONFORMANCE §6). */
import type { Completeness, LineHint, ListFormat, ListHints, NotAList } from "../schema/coverage";
import { JsonList } from "./jsonList";
import { jsonLines, lineList } from "./lineList";
import type { RecordTable } from "./recordTable";
import { Scanner, Unexpected } from "./scan";
import type { SourceMember } from "./sourceMembers";

export type ListIndex = {
  readonly kind: "list";
  readonly format: ListFormat;
  readonly records: RecordTable;
  /** What the source says of its own list, as its own bytes; a header of lines as a JSON string. */
  readonly source: readonly SourceMember[];
  readonly complete: Completeness;
  /** The source, or the tool whose lines these are, said whether they are all. */
  readonly isEndSaid: boolean;
  /** Bytes of members that stand in no page. */
  readonly leftOutBytes: number;
};
export type Indexed = ListIndex | { readonly kind: "text"; readonly reason: NotAList };

const BESIDE_NOTHING = { isEndSaid: false, leftOutBytes: 0 };
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Invariant: nothing is a list before the whole text has been read, and what can be read in two ways is a text. A byte
 * order mark at the start belongs to no record.
 */
export function indexList(
  text: string,
  { pointer = null, lines = null, asked = null }: Partial<ListHints> = {},
): Indexed {
  try {
    const at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    const start = { at, byte: at * 3 };
    return doubted(lines === null ? indexed(text, start, pointer) : fromLines(text, start, lines), asked);
  } catch (error) {
    if (error instanceof Unexpected) return { kind: "text", reason: error.reason };
    throw error;
  }
}

/** As many records as were asked for, and no word of the end: there may be more. */
function doubted(found: Indexed, asked: number | null): Indexed {
  if (found.kind === "text" || found.isEndSaid || asked === null || found.records.count < asked) return found;
  return { ...found, complete: "unknown" };
}

type Start = { readonly at: number; readonly byte: number };

function indexed(text: string, start: Start, pointer: string | null): Indexed {
  const scanner = new Scanner(text, start.at, start.byte - start.at);
  scanner.skipBlanks();
  const opening = text.charAt(scanner.at);
  if (opening !== "{" && opening !== "[") {
    return pointer === null ? fromLines(text, start, null) : { kind: "text", reason: "not_a_list" };
  }
  const list = new JsonList(text, pointer);
  const first = scanner.value(list);
  scanner.skipBlanks();
  if (scanner.at === text.length) {
    const found = list.found();
    return found.kind === "text" ? found : { ...found, format: "json" };
  }
  const records = pointer === null ? jsonLines(text, first, scanner) : null;
  return records === null
    ? { kind: "text", reason: "malformed" }
    : { kind: "list", format: "jsonl", records, source: [], complete: true, ...BESIDE_NOTHING };
}

function fromLines(text: string, start: Start, hint: LineHint | null): Indexed {
  const found = lineList(text, start, hint);
  if (found.kind === "text") return found;
  const { kind, records, header } = found;
  const source = header === null ? [] : [{ key: '"header"', text: JSON.stringify(header) }];
  const complete = hint?.complete ?? true;
  return { kind: "list", format: kind, records, source, complete, isEndSaid: hint !== null, leftOutBytes: 0 };
}
