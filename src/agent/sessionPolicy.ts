/** The policy of a session that is about to run: its sources read, checked against its tools, and what is to be told. */
import type { Digest, Hash } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { LimitMode, Rollout } from "../schema/policy";
import type { ToolSpec } from "../schema/tool";
import { compose, type OfferedTool } from "../thimble/compose";
import { loadPack, type ReadPack } from "../thimble/packs";
import { type Faulty, loadSources, type PolicyText } from "../thimble/sources";
import type { Configuration } from "./conversation";

export type PolicyPorts = {
  readonly texts: readonly PolicyText[]; // of the user and the workspace, as they are now
  readonly readPack: ReadPack;
  /** Whether the person allowed a workspace's rules to do more than observe on this machine. */
  readonly isApproved: (rulesSha256: Digest) => boolean;
  readonly reviewed: readonly Rollout[];
  readonly hash: Hash;
};

/** What a run is configured with besides the settings. */
export type ReadyPolicy = Pick<Configuration, "policy" | "found" | "keepsPinned">;

/** Throws `policy-too-new` where a file of a later major version would have to be enforced. */
export async function sessionPolicy(
  tools: readonly ToolSpec[],
  mode: LimitMode,
  { texts, readPack, isApproved, reviewed, hash }: PolicyPorts,
): Promise<ReadyPolicy> {
  const offered = tools.map(offeredTool);
  const servers = [...new Set(offered.flatMap(({ server }) => server ?? []))].sort();
  const packs: { label: string; loading: NonNullable<Awaited<ReturnType<typeof loadPack>>> }[] = [];
  for (const server of servers) {
    const loading = await loadPack(server, readPack, hash);
    if (loading) packs.push({ label: `contracts for ${server}`, loading });
  }
  const { sources, faulty } = loadSources(packs, texts, isApproved, hash);
  const tooNew = faulty.find(({ isTooNew }) => isTooNew);
  if (tooNew && mode === "enforce") throw tooNewFor(tooNew);
  const { policy, checks, mismatched } = compose(
    sources,
    offered,
    hash,
    new Map(reviewed.map(({ id, mode: decided }) => [id, decided])),
  );
  const unapproved = sources.filter(({ mayEnforce }) => !mayEnforce);
  const policyNotes = [
    ...faulty.map(faultNote),
    ...unapproved.map(({ label }) => `Only observes: ${label}. Its rules are not approved on this machine.`),
  ];
  const found = { contractChecks: [...checks], mismatched: [...mismatched], policyNotes };
  return { policy, found, keepsPinned: faulty.length > 0 };
}

/** What is known of a tool: its server's words, or that it is one of ours. */
function offeredTool({ name, inputSchema, effect, origin }: ToolSpec): OfferedTool {
  if (origin === undefined)
    return { called: name, server: null, name, inputSchema, readOnlyHint: effect === "read" };
  const { server, tool, hints } = origin;
  return { called: name, server, name: tool, inputSchema, readOnlyHint: hints.readOnlyHint ?? null };
}

/** What is wrong with a file, and where. Like all notes, it begins with what became of it. */
export function faultNote({ label, problems, place }: Faulty): string {
  const [first] = problems;
  const where = place === null ? "" : `, line ${place.line}, column ${place.column}`;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `Not used: ${label}${where}. ${first?.message ?? "It is no policy."}${more}`;
}

const tooNewFor = ({ label }: Faulty): Failure =>
  new Failure(
    "policy-too-new",
    `${label} is of a later version than this Cloakroom knows, so it cannot be enforced. Update Cloakroom, or continue in Observe.`,
    { label },
  );
