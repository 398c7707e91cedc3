/** Which policy, exactly: kind + version + digest of the canonical content (seed 003 §Policy artifact, CONFORMANCE §0.8). */
import canonicalize from "canonicalize";
import type { Digest, Hash } from "../schema/claim";
import type { PolicyArtifact, PolicyIdentity } from "../schema/policy";

/**
 * RFC 8785 canonical JSON text of a JSON value.
 *
 * Contract: the value came from JSON. Throws on what JSON has no canonical text for: `undefined`, NaN, infinities,
 * cycles and lone surrogates. Recursive, so the caller bounds the depth of foreign values.
 */
export function canonicalise(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError(`no canonical JSON text for a value of type ${typeof value}`);
  return text;
}

const DEEPEST_SCHEMA = 64; // the deepest of 803 real tools has 21; the bound keeps canonicalise off the stack's end

/**
 * Digest of a tool's input schema: of its RFC 8785 text, so that layout and the order of keys do not matter. Null for a
 * schema that has no such text (lone surrogates) or is nested deeper than 64 levels: it comes from a foreign server.
 */
export function schemaDigest(inputSchema: unknown, hash: Hash): Digest | null {
  return isCanonical(inputSchema) ? hash(canonicalise(inputSchema)) : null;
}

function isCanonical(value: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: inner, depth } = next;
    if (typeof inner === "string" && /\p{Surrogate}/u.test(inner)) return false;
    if (inner === undefined || (typeof inner === "number" && !Number.isFinite(inner))) return false;
    if (typeof inner !== "object" || inner === null) continue;
    if (depth === DEEPEST_SCHEMA) return false;
    for (const [key, member] of Object.entries(inner)) {
      open.push({ value: key, depth }, { value: member, depth: depth + 1 });
    }
  }
  return true;
}

/**
 * `sha256` is over the whole artifact as loaded, `$schema` included; `rulesSha256` is over the same without any
 * `mode`, so that observing a policy before enforcing it does not make it another policy.
 */
export function identify(artifact: PolicyArtifact, hash: Hash): PolicyIdentity {
  return {
    name: artifact.name,
    version: artifact.version,
    sha256: hash(canonicalise(artifact)),
    rulesSha256: hash(canonicalise(rulesOf(artifact))),
  };
}

function rulesOf(artifact: PolicyArtifact): object {
  const { mode: _, contracts, ...rest } = artifact;
  return { ...rest, contracts: contracts.map(({ mode: _mode, ...contract }) => contract) };
}
