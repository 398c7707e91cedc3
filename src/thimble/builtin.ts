/** The policy for Cloakroom's own tools, which every session starts with (seed 003 §Minimal working spine 1). */
import type { Hash } from "../schema/claim";
import type { PolicyArtifact } from "../schema/policy";
import { type LoadedPolicy, policyFrom } from "./policy";

/** Sessions observe by default, so nothing is lowered before the user sets Result Limits to Enforce. */
export const BUILTIN_ARTIFACT: PolicyArtifact = {
  kind: "fak/tool-result-budget",
  version: "1.0.0",
  name: "cloakroom/builtin",
  mode: "enforce",
  default_budget: { items: 10 },
  contracts: [
    {
      tool: "search_text",
      argument: "/limit",
      dimension: "items",
      maximum: 10,
      minimum: 1,
      range: { minimum: 1 },
      safe_to_reduce: true,
      read_only: true,
      continuation: { kind: "offset", argument: "/offset" },
      evidence:
        "Cloakroom's own search_text: limit counts matching lines in a stable order, offset skips as many, and searching changes nothing. Ten matches with their paths answer most questions about where something is.",
    },
    {
      tool: "list_files",
      argument: "/limit",
      dimension: "items",
      maximum: 50,
      minimum: 1,
      range: { minimum: 1 },
      safe_to_reduce: true,
      read_only: true,
      continuation: { kind: "offset", argument: "/offset" },
      evidence:
        "Cloakroom's own list_files: limit counts paths in a stable order, offset skips as many, and listing changes nothing. Fifty paths of up to 80 characters are about 4000 characters, which is the most that stays in the conversation whole (4096); more would be stored and read back.",
    },
  ],
  on_unshapable_response: "pass",
};

/** The built-in policy, ready to decide with. */
export const builtinPolicy = (hash: Hash): LoadedPolicy => policyFrom(BUILTIN_ARTIFACT, hash);
