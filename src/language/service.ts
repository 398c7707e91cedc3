/** The policy language without a protocol: what is wrong in a thimble.json, and what a contract will do. Pure. */
import type { Contract, PolicyArtifact } from "../schema/policy";
import { checkPolicy, type ProblemCode } from "../thimble/load";
import { contractAt } from "../thimble/place";
import { lowestMode } from "../thimble/policy";
import { ceilingOf } from "../thimble/semantics";

/** Zero-based, in UTF-16 code units: the protocol's default encoding. */
export type Position = { readonly line: number; readonly character: number };
export type Range = { readonly start: Position; readonly end: Position };

/** The protocol's Diagnostic, with its numbers for severity: 1 error, 2 warning, 3 information. */
export type Diagnostic = {
  readonly range: Range;
  readonly severity: 1 | 2 | 3;
  readonly code: ProblemCode;
  readonly source: "thimble";
  readonly message: string;
};

export type Hover = { readonly range: Range; readonly text: string };

/** What a JSON language service with our JSON Schema says already (of a repeated name it only warns). */
const SAID_BY_SCHEMA: ReadonlySet<ProblemCode> = new Set(["syntax", "schema"]);
const SEVERITY = { error: 1, warning: 2, information: 3 } as const;

export type ServiceOptions = {
  /** True where the editor validates the file against schemas/thimble.schema.json: then nothing is said twice. */
  readonly schemaCheckedElsewhere: boolean;
};

/** Every problem of the text, in its order. Never throws, whatever the text. */
export function diagnose(text: string, options: ServiceOptions): Diagnostic[] {
  const { problems } = checkPolicy(text);
  const shown = options.schemaCheckedElsewhere
    ? problems.filter((p) => !SAID_BY_SCHEMA.has(p.code))
    : problems;
  const lines = new Lines(text);
  return shown.map(({ code, severity, message, offset, length }) => ({
    range: lines.range(offset, length),
    severity: SEVERITY[severity],
    code,
    source: "thimble",
    message,
  }));
}

/** Over a contract: what it will do. Null elsewhere, and while the file has errors: a guess is worse than nothing. */
export function hover(text: string, position: Position): Hover | null {
  const { artifact } = checkPolicy(text);
  if (artifact === null) return null;
  const lines = new Lines(text);
  const place = contractAt(text, lines.offset(position));
  const contract = place === null ? undefined : artifact.contracts[place.index];
  if (place === null || contract === undefined) return null;
  return { range: lines.range(place.offset, place.length), text: describe(contract, artifact) };
}

function describe(contract: Contract, artifact: PolicyArtifact): string {
  const mode = lowestMode(artifact.mode, contract.mode ?? "enforce");
  const ceiling = ceilingOf(contract, artifact);
  const from = contract.maximum === undefined ? " (default_budget)" : "";
  const verb = { off: "is not looked at", observe: "would be lowered", enforce: "is lowered" }[mode];
  const acts = contract.safe_to_reduce && contract.read_only !== false;
  return acts
    ? `${contract.argument} of ${contract.tool} above ${ceiling}${from} ${verb}. Mode at most ${mode}: the session's own can only lower it. Sessions do not load policy files yet: they use the built-in policy.`
    : `This contract never acts: ${contract.tool} is not known to be safe to reduce and read-only.`;
}

/** Offsets to positions and back. A line ends at LF, CRLF or CR, as in the protocol. */
class Lines {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(index + end.length);
  }

  range(offset: number, length: number): Range {
    return { start: this.#position(offset), end: this.#position(offset + length) };
  }

  offset({ line, character }: Position): number {
    return Math.min((this.#starts[line] ?? this.#length) + character, this.#length);
  }

  #position(offset: number): Position {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low, character: offset - (this.#starts[low] ?? 0) };
  }
}
