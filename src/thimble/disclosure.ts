/** No clamp is hidden: what the model reads beside a result that our clamp made smaller (CONFORMANCE §5 Disclosure). */
import type { Change, Proposal } from "../schema/policy";
import type { LoadedPolicy, ReadyContract } from "./policy";
import { type Path, pathOf, scan } from "./scan";

/** One line per clamped argument, in the words of the tool's own arguments; null when nothing was clamped. */
export function disclose(proposal: Proposal, policy: LoadedPolicy, argumentsText: string): string | null {
  if (proposal.decision !== "clamp") return null;
  const { tool, server } = proposal.contract ?? { tool: "" };
  const contracts = (policy.contracts.get(tool) ?? []).filter(({ contract }) => contract.server === server);
  return proposal.changes
    .map((change) => {
      const ready = contracts.find((c) => c.pointers.includes(change.path));
      const lowered = `${nameOf(change.path)} lowered from ${change.from} to ${change.to} by policy`;
      return `[${lowered}; later items were not requested. ${wayOn(change, ready, argumentsText)}]`;
    })
    .join("\n");
}

const NO_WAY_ON = "Ask again with a narrower question, or ask the user for an exemption.";

function wayOn(change: Change, ready: ReadyContract | undefined, argumentsText: string): string {
  const continuation = ready?.contract.continuation;
  if (continuation?.kind === "cursor") return "Continue with the cursor that the result gives.";
  if (continuation?.argument === undefined || continuation.kind === "rerun") return NO_WAY_ON;
  const given = wholeNumberAt(argumentsText, pathOf(continuation.argument));
  if (given === null) return NO_WAY_ON;
  const next =
    continuation.kind === "offset" ? (given ?? 0) + change.to : (given ?? continuation.first ?? 1) + 1;
  return `Continue with ${nameOf(continuation.argument)}=${next}, ${nameOf(change.path)}=${change.to}.`;
}

/** undefined = the argument is not there; null = it is no plain number that could be counted on from. */
function wholeNumberAt(text: string, path: Path): number | null | undefined {
  const scanned = scan(text, [path]);
  const found = scanned.kind === "valid" ? scanned.found[0] : undefined;
  if (found?.kind === "missing") return undefined;
  if (found?.kind !== "token") return null;
  const raw = text.slice(found.token.start, found.token.end);
  return /^(?:0|[1-9][0-9]{0,14})$/.test(raw) ? Number(raw) : null;
}

/** `/options/per_page` as `options.per_page`; a name that could be mistaken for our own words stands in quotes. */
function nameOf(pointer: string): string {
  const name = pathOf(pointer).join(".");
  return /^[\w$.-]+$/.test(name) ? name : JSON.stringify(name);
}
