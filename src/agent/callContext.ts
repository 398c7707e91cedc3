/** What the steps of a call share: the session's pinned configuration and the ports. */
import type { ClaimPolicy } from "../claims/policy";
import type { CoverageState } from "../coverage/fold";
import type { Snapshot } from "../coverage/snapshot";
import type { Handle } from "../schema/claim";
import type { ListHints } from "../schema/coverage";
import type { Intent } from "../schema/policy";
import type { CoreSettings } from "../schema/settings";
import type { Exemption } from "../thimble/decide";
import type { LoadedPolicy } from "../thimble/policy";
import type { Ports } from "./ports";
import type { Secrets } from "./secrets";

export type CallContext = {
  readonly session: string;
  readonly salt: string;
  readonly settings: CoreSettings;
  /** Null where the claim check is off or the agent has no tool to redeem a handle with. */
  readonly claimPolicy: ClaimPolicy | null;
  readonly policy: LoadedPolicy;
  readonly intent: Intent | null;
  /** Those in force now: some expire, some are for one call. */
  readonly exemptions: () => readonly Exemption[];
  /** Tools, as they are called, whose contracts were all written for another one. */
  readonly mismatched: ReadonlySet<string>;
  readonly secrets: Secrets;
  /** Whether untrusted data from outside has come into the conversation. */
  readonly hasReadOutside: () => boolean;
  /** Pages of lists that were shown last, by handle: made again of the stored content where they are not here. */
  readonly lists: Map<Handle, { readonly hints: ListHints; readonly snapshot: Snapshot }>;
  readonly coverage: () => CoverageState;
  readonly ports: Ports;
  /** The user's last words, as the conversation has them. */
  readonly question: () => string;
};
