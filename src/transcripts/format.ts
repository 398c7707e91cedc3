/** What a format is: how it is told by its content, and how it becomes a draft. One small file for each. */
import type { TranscriptDraft } from "./draft";
import type { Json } from "./json";

/** `chars`: of the line that a record stands in. */
export type LineReader = { line(record: Json, chars: number): void; end?(): void };

/** A record per line. `sample`: the first records of the file. */
export type LineFormat = {
  readonly name: string;
  isOne(sample: readonly Json[]): boolean;
  open(draft: TranscriptDraft): LineReader;
};

/** One JSON value. */
export type DocumentFormat = {
  readonly name: string;
  isOne(value: unknown): boolean;
  read(value: unknown, draft: TranscriptDraft): void;
};
