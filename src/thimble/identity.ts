/** Which policy, exactly: kind + version + digest of the canonical content (seed 003 §Policy artifact, CONFORMANCE §0.8). */
import canonicalize from "canonicalize";
import type { Hash } from "../schema/claim";
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
