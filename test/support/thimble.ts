/** What Thimble's tests share: a policy from a few words, a question with harmless defaults. */
import type { Contract, PolicyArtifact } from "../../src/schema/policy";
import { type Decision, decide, type Question } from "../../src/thimble/decide";
import { type LoadedPolicy, policyFrom } from "../../src/thimble/policy";
import { sha256 } from "./hash";

export const SEED_CONTRACT: Contract = {
  tool: "github.search_issues",
  argument: "/per_page",
  dimension: "items",
  maximum: 10,
  minimum: 1,
  safe_to_reduce: true,
};

export function artifactWith(contracts: Contract[], fields: Partial<PolicyArtifact> = {}): PolicyArtifact {
  return {
    kind: "fak/tool-result-budget",
    version: "1.0.0",
    name: "thimble/test",
    mode: "enforce",
    default_budget: { items: 10 },
    contracts,
    ...fields,
  };
}

/** One contract for the tool "search" and the argument /limit, read-only, ceiling 10; `fields` change it. */
export const contractWith = (fields: Partial<Contract> = {}): Contract => ({
  tool: "search",
  argument: "/limit",
  dimension: "items",
  maximum: 10,
  safe_to_reduce: true,
  read_only: true,
  ...fields,
});

export const policyWith = (...contracts: Partial<Contract>[]): LoadedPolicy =>
  policyFrom(artifactWith(contracts.map(contractWith)), sha256);

export function ask(argumentsText: string, policy: LoadedPolicy, fields: Partial<Question> = {}): Decision {
  const question: Question = {
    tool: "search",
    argumentsText,
    mode: "enforce",
    hardMaximum: null,
    intent: null,
    exemptions: [],
    toolReadOnly: null,
    ...fields,
  };
  return decide(question, policy, sha256);
}

/** A decision as a picture: `clamp requested_… /limit 500→10`, or `pass reason`, with what observe would have done. */
export function picture({ proposal }: Decision): string {
  const arrows = (changes: typeof proposal.changes) =>
    changes.map(({ path, from, to }) => `${path} ${from}→${to}`);
  const proposed = arrows(proposal.proposedChanges).map((arrow) => `(${arrow})`);
  return [proposal.decision, proposal.reason, ...arrows(proposal.changes), ...proposed].join(" ");
}
