/** Whether what a branch cites is there: every citation is looked up in the stored source, in the part that the branch was given. */
import type { Citation } from "../schema/branch";
import type { Claim } from "../schema/claim";
import { charLength } from "../schema/text";
import { pathOf, scan } from "../thimble/scan";
import type { Part } from "./branchRequest";
import type { Claims } from "./ports";

/** A shorter quote would be found in anything; a longer one is a copy. */
const LEAST_QUOTE_CHARS = 8;
const MOST_QUOTE_CHARS = 500;
const MOST_POINTER_CHARS = 1000;
const MOST_CITATIONS = 20;

/**
 * Those that hold, each once, in the order they were given. Contract: a pointer resolves in the whole source and its value
 * starts in the part; a quote stands in the part byte for byte. Throws as the store does.
 */
export async function verifiedCitations(
  given: readonly Citation[],
  claim: Claim,
  part: Part,
  claims: Pick<Claims, "read">,
): Promise<readonly Citation[]> {
  const distinct = new Map(given.map((one) => [JSON.stringify(one), one]));
  const candidates = [...distinct.values()].filter(isCitation).slice(0, MOST_CITATIONS);
  const pointers = candidates.flatMap((one) => ("pointer" in one ? [one.pointer] : []));
  const resolved = pointers.length > 0 ? await resolvedIn(claim, part, pointers, claims) : new Set<string>();
  return candidates.filter((one) =>
    "pointer" in one ? resolved.has(one.pointer) : part.text.includes(one.quote),
  );
}

/** The pointer to the whole document is none: it is always there. */
function isCitation(one: Citation): boolean {
  if ("pointer" in one) return one.pointer.startsWith("/") && charLength(one.pointer) <= MOST_POINTER_CHARS;
  const isLongEnough = charLength(one.quote.trim()) >= LEAST_QUOTE_CHARS;
  return isLongEnough && charLength(one.quote) <= MOST_QUOTE_CHARS && one.quote.isWellFormed();
}

async function resolvedIn(
  claim: Claim,
  part: Part,
  pointers: readonly string[],
  claims: Pick<Claims, "read">,
): Promise<ReadonlySet<string>> {
  const content = part.givenChars >= claim.chars ? part.text : await claims.read(claim.sha256);
  const scanned = scan(content, pointers.map(pathOf));
  if (scanned.kind === "invalid") return new Set();
  return new Set(
    pointers.filter((_, at) => {
      const found = scanned.found[at];
      return found?.kind === "token" && found.token.start < part.text.length; // the part is the content's beginning
    }),
  );
}
