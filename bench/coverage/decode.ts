// bench: puts a list together again out of envelopes, knowing only CONFORMANCE §6. It imports nothing that packed them.

/** `page` null: the first. `record` is asked by the number that a reference has. Both answer null where they refuse. */
export type Delivery = {
  page(cursor: string | null): Promise<string | null>;
  record(index: number): Promise<string | null>;
  sha256(text: string): string;
};

export type Decoded = {
  readonly records: readonly string[]; // in the source's order, its own slices
  readonly source: Readonly<Record<string, string>>; // name to slice
  readonly complete: unknown;
  readonly pages: number;
  readonly reads: number;
  readonly pageBytes: number;
  readonly recordBytes: number;
  readonly largestPageBytes: number;
};

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const FIELDS = "snapshot source total returned remaining complete cursor records references";

/** Reads everything. Throws where anything is not as the contract says. */
export async function decode(delivery: Delivery): Promise<Decoded> {
  const slots: (string | undefined)[] = [];
  let source: Record<string, string> = {};
  let complete: unknown;
  const sum = { pages: 0, reads: 0, pageBytes: 0, recordBytes: 0, largestPageBytes: 0 };
  let same: string | null = null;
  let remaining = Number.POSITIVE_INFINITY;
  let cursor: string | null = null;
  do {
    const text = must(await delivery.page(cursor), `no page ${cursor}`);
    sum.pages++;
    sum.pageBytes += bytesOf(text);
    sum.largestPageBytes = Math.max(sum.largestPageBytes, bytesOf(text));
    const page = JSON.parse(text);
    assure(Object.keys(page).join(" ") === FIELDS, "fields in another order");
    const slices = membersOf(text);
    const fixed = [page.snapshot, slices.source, page.total].join("|");
    same ??= fixed;
    assure(same === fixed, "another snapshot, status or total than the page before");
    assure(page.remaining < remaining, "remaining does not fall");
    remaining = page.remaining;
    assure((page.cursor === null) === (remaining === 0), "a cursor at the end, or none before it");
    assure(page.cursor === null || page.complete === false, "complete before the end");
    const records = elementsOf(must(slices.records, "records"));
    assure(records.length === page.returned, "returned is not the number of records");
    const first = page.total - remaining - records.length - page.references.length; // from 0
    const referenced = new Set<number>();
    for (const { index, bytes, sha256 } of page.references) {
      const record = must(await delivery.record(index), `no record ${index}`);
      assure(
        bytesOf(record) === bytes && delivery.sha256(record) === sha256,
        `record ${index} is not its own`,
      );
      sum.reads++;
      sum.recordBytes += bytes;
      referenced.add(index - 1);
      slots[index - 1] = record;
    }
    let at = first;
    for (const record of records) {
      while (referenced.has(at)) at++;
      slots[at++] = record;
    }
    source = membersOf(must(slices.source, "source"));
    complete = page.complete;
    cursor = page.cursor;
    if (cursor === null) assure(slots.length === page.total, "not as many records as the total");
  } while (cursor !== null);
  return { records: slots.map((record) => must(record, "a record is missing")), source, complete, ...sum };
}

function assure(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(what);
  return value;
}

/** Values of an object's members as slices. Contract: `text` is JSON. */
function membersOf(text: string): Record<string, string> {
  const members: Record<string, string> = {};
  for (const part of elementsOf(text)) {
    const name = /^"(?:[^"\\]|\\.)*"/.exec(part)?.[0] ?? '""';
    members[JSON.parse(name)] = part.slice(part.indexOf(":", name.length) + 1).trim();
  }
  return members;
}

/** The parts between the commas of an array or object, as slices. Contract: `text` is JSON. */
export function elementsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isString = false;
  let start = text.search(/[[{]/) + 1;
  for (let at = start - 1; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === "\\") at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (isString || !((char === "," && depth === 1) || depth === 0)) continue;
    const part = text.slice(start, at).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
    if (part !== "" || char === ",") parts.push(part);
    start = at + 1;
    if (depth === 0) break;
  }
  return parts;
}
