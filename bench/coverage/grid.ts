// bench: seed 004's grid of 512 sources and budgets, and the three policies that it was held against (CONFORMANCE §6).

export type Configuration = {
  readonly records: readonly string[];
  readonly status: string; // a JSON string
  readonly source: string;
  readonly budgetBytes: number;
};

const COUNTS = [1, 8, 32, 128];
const WIDTHS = [32, 128, 512, 2048];
const LETTERS = ["a", "é", "中", "😀"]; // of 1 to 4 bytes
const BUDGETS = [512, 1024, 2048, 4096];
const STATUS = '"ok"';

export function* grid(): Generator<Configuration> {
  for (const count of COUNTS) {
    for (const width of WIDTHS) {
      for (const letter of LETTERS) {
        const text = letter.repeat(width);
        const records = Array.from({ length: count }, (_, id) => `{"id":${id},"text":"${text}"}`);
        for (const budgetBytes of BUDGETS) {
          for (const isStatusFirst of [true, false]) {
            yield {
              records,
              status: STATUS,
              source: sourceOf(records, STATUS, isStatusFirst),
              budgetBytes,
            };
          }
        }
      }
    }
  }
}

const sourceOf = (records: readonly string[], status: string, isStatusFirst: boolean): string =>
  isStatusFirst
    ? `{"status":${status},"records":[${records.join(",")}]}`
    : `{"records":[${records.join(",")}],"status":${status}}`;

export const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

/** What a policy delivers in one response. */
export type Policy = (configuration: Configuration) => Buffer;

export const BASELINES: Readonly<Record<"byte_prefix" | "char_prefix" | "record_prefix", Policy>> = {
  byte_prefix: ({ source, budgetBytes }) => Buffer.from(source, "utf8").subarray(0, budgetBytes),
  char_prefix: ({ source, budgetBytes }) => Buffer.from([...source].slice(0, budgetBytes).join(""), "utf8"),
  record_prefix: ({ records, status, source, budgetBytes }) => {
    const isStatusFirst = source.startsWith('{"status"');
    let bytes = bytesOf(sourceOf([], status, isStatusFirst));
    const kept: string[] = [];
    for (const record of records) {
      bytes += bytesOf(record) + (kept.length > 0 ? 1 : 0);
      if (bytes > budgetBytes) break;
      kept.push(record);
    }
    return Buffer.from(sourceOf(kept, status, isStatusFirst), "utf8");
  },
};

/** JSON, and UTF-8 to begin with. */
export function isValid(delivered: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(delivered));
    return true;
  } catch {
    return false;
  }
}
