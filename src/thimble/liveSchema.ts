/** Is a live tool still what its contract was written for? Asked once per session (CONFORMANCE §5 Artifact). Pure. */
import type { Hash } from "../schema/claim";
import type { Contract, PolicyArtifact } from "../schema/policy";
import { schemaDigest } from "./identity";
import { type Path, pathOf } from "./scan";
import { ceilingOf } from "./semantics";

/**
 * A tool as its server lists it. `server` is what the host says of the server (`initialize`, serverInfo.name); null = the
 * host does not say. `name` is the server's own, never a host's prefixed one.
 */
export type LiveTool = {
  readonly server: string | null;
  readonly name: string;
  readonly inputSchema: unknown;
  readonly readOnlyHint: boolean | null; // annotations.readOnlyHint; null = not there
};

/** Why a contract may not act on a live tool. Closed set. */
export type MismatchReason =
  | "other_server" // also: the host does not say which server it is
  | "other_tool"
  | "argument_gone" // none of the contract's pointers is in the schema
  | "not_a_number" // the argument takes something else than integers or numbers
  | "continuation_gone"; // the argument to go on with has another name or is gone: a later page could not be told

/** What may differ without harm. */
export type Note = "schema_changed" | "schema_not_digestible";

/**
 * `lowest`: what the live schema asks for at least, where it says so: the range's lower bound for a contract without one
 * (CONFORMANCE §0.7). `observe_only`: nobody says that the tool is read-only, so enforcing it is out.
 */
export type LiveCheck =
  | { readonly kind: "usable"; readonly lowest: number | null; readonly notes: readonly Note[] }
  | { readonly kind: "observe_only"; readonly lowest: number | null; readonly notes: readonly Note[] }
  | { readonly kind: "mismatch"; readonly reason: MismatchReason }
  | { readonly kind: "not_read_only" }
  | { readonly kind: "invalid"; readonly reason: "ceiling_below_schema" | "ceiling_not_allowed" };

/** What a host says of the tools that it offers, by the name under which the model calls them. */
export type ToolOrigins = ReadonlyMap<string, { readonly server: string; readonly tool: string }>;

/**
 * Server and tool behind a host's name, as the host tells them. A name that it says nothing about stays a name without a
 * server: `mcp_github_list_issues` may be a cut form of another server's tool, so nothing is read out of it.
 */
export const originOf = (name: string, told: ToolOrigins): { server: string | null; tool: string } =>
  told.get(name) ?? { server: null, tool: name };

/** Checks one contract against one live tool. Never throws, whatever the schema. */
export function checkLive(
  contract: Contract,
  artifact: PolicyArtifact,
  live: LiveTool,
  hash: Hash,
): LiveCheck {
  if (contract.server !== undefined && contract.server !== live.server) return mismatch("other_server");
  if (contract.tool !== live.name) return mismatch("other_tool");
  if (contract.read_only === false || live.readOnlyHint === false) return { kind: "not_read_only" };

  const pointers = [contract.argument, ...(contract.aliases ?? [])];
  const found = pointers.flatMap((pointer) => {
    const schemas = schemasAt(live.inputSchema, pathOf(pointer));
    return schemas.length === 0 ? [] : [schemas];
  });
  if (found.length === 0) return mismatch("argument_gone");
  if (!found.every(isNumeric)) return mismatch("not_a_number");
  const goesOn = contract.continuation?.argument;
  if (goesOn !== undefined && schemasAt(live.inputSchema, pathOf(goesOn)).length === 0) {
    return mismatch("continuation_gone");
  }

  const numeric = found.flat().filter((schema) => !takesNullOnly(schema));
  const lowest = highestOf(numeric.map(lowestOf));
  const sent = Math.max(ceilingOf(contract, artifact), contract.minimum ?? 0, contract.range?.minimum ?? 0);
  if (lowest !== null && sent < lowest) return { kind: "invalid", reason: "ceiling_below_schema" };
  if (!numeric.every((schema) => allows(schema, sent)))
    return { kind: "invalid", reason: "ceiling_not_allowed" };

  const isKnown = contract.read_only === true || live.readOnlyHint === true;
  return { kind: isKnown ? "usable" : "observe_only", lowest, notes: notesOn(contract, live, hash) };
}

const mismatch = (reason: MismatchReason): LiveCheck => ({ kind: "mismatch", reason });

function notesOn({ schema_sha256: expected }: Contract, live: LiveTool, hash: Hash): Note[] {
  if (expected === undefined) return [];
  const digest = schemaDigest(live.inputSchema, hash);
  if (digest === null) return ["schema_not_digestible"];
  return digest === expected ? [] : ["schema_changed"];
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MOST = 1000; // schemas looked at per pointer: real ones need a handful, a hostile one may refer to itself

/** The subschemas that a value at `path` has to meet or may meet: branches of unions apart, references followed. */
export function schemasAt(root: unknown, path: Path): Schema[] {
  let budget = MOST;
  let level = branchesOf(root);
  for (const token of path) {
    level = level.flatMap((schema) => childrenOf(schema, token)).flatMap(branchesOf);
  }
  return budget > 0 ? level : [];

  /** A schema as the schemas that it is made of. */
  function branchesOf(start: unknown): Schema[] {
    const branches: Schema[] = [];
    const open: unknown[] = [start];
    const seen = new Set<unknown>();
    for (let next = open.pop(); next !== undefined && budget > 0; next = open.pop()) {
      if (!isSchema(next) || seen.has(next)) continue;
      seen.add(next);
      budget--;
      const inner = [next.anyOf, next.oneOf, next.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
      if (typeof next.$ref === "string") inner.push(referred(root, next.$ref));
      open.push(...inner);
      const isBare = inner.length > 0 && next.type === undefined && next.properties === undefined;
      if (!isBare) branches.push(next);
    }
    return branches;
  }
}

/** A reference inside the document; anything else names nothing that we may fetch. */
function referred(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const token of pathOf(reference.slice(1))) {
    at = isSchema(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }
  return at;
}

/** Only what the schema names: an open object or `additionalProperties` proves nothing. */
function childrenOf(schema: Schema, token: string): unknown[] {
  const { properties, items, prefixItems } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, token)) return [properties[token]];
  if (!/^(?:0|[1-9]\d*)$/.test(token)) return [];
  const inPlace = Array.isArray(prefixItems) ? prefixItems[Number(token)] : undefined;
  return inPlace !== undefined ? [inPlace] : isSchema(items) ? [items] : [];
}

const typesOf = ({ type }: Schema): readonly unknown[] => (Array.isArray(type) ? type : [type]);

const takesNullOnly = (schema: Schema): boolean =>
  schema.const === null || typesOf(schema).every((type) => type === "null");

/** Integers or numbers in every branch, null apart (CONFORMANCE §5: nullable and anyOf included). */
function isNumeric(branches: readonly Schema[]): boolean {
  const others = branches.filter((schema) => !takesNullOnly(schema));
  const isNumber = (schema: Schema) =>
    typesOf(schema).every((type) => type === "integer" || type === "number" || type === "null");
  return others.length > 0 && others.every(isNumber);
}

/** Lower bound for integers; null where there is none. Draft 4 wrote `exclusiveMinimum: true`. */
function lowestOf({ minimum, exclusiveMinimum }: Schema): number | null {
  const above = typeof exclusiveMinimum === "number" ? Math.floor(exclusiveMinimum) + 1 : null;
  const from = typeof minimum !== "number" ? null : Math.ceil(minimum);
  return highestOf([above, exclusiveMinimum === true && from !== null && from === minimum ? from + 1 : from]);
}

const highestOf = (numbers: readonly (number | null)[]): number | null =>
  numbers.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);

/** Does a closed list or a step leave the ceiling in? A maximum does not matter: asking for less than asked never hurts. */
function allows({ enum: list, const: only, multipleOf }: Schema, value: number): boolean {
  if (Array.isArray(list) && !list.includes(value)) return false;
  if (only !== undefined && only !== value) return false;
  return typeof multipleOf !== "number" || value % multipleOf === 0;
}
