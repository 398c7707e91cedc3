/** When a result is checked in, and how much of it stays (CONFORMANCE §1). Refuses what could not save anything. */
import { Failure } from "../schema/failure";
import { Pointer } from "../schema/policy";
import type { ClaimCheckSettings } from "../schema/settings";
import { SERVER_MARK, type ToolClass } from "../schema/tool";

/**
 * Of one result. What stays inline is limited in chars, or in UTF-8 bytes where `capBytes` is set. `hasPreview`: a
 * ticket shows a head. `excluded`: over its cap the result is still stored whole, but shown as a long preview
 * (seed 001 §Per-tool).
 */
export type ResultLimits = {
  readonly thresholdChars: number;
  readonly capBytes: number | null;
  readonly headChars: number;
  readonly tailChars: number;
  readonly hasPreview: boolean;
  readonly excluded: boolean;
};

/** Limits by class where the settings do not name them: an explicit range was asked for, and errors end in their reason. */
const READ_RANGE = { thresholdChars: 16_000, headChars: 4000 };
const ERROR = { thresholdChars: 20_000, headChars: 4000, tailChars: 1000, capBytes: null, hasPreview: true };
const EXECUTE_TAIL_CHARS = 1000; // answers stand at the end of logs

/** Seed 001's caps for tools that the user has taken out of the claim check. */
const EXCLUDED_CAPS: ReadonlyMap<string, number> = new Map([
  ["search_text", 60_000],
  ["list_files", 50_000],
]);
const EXCLUDED_READ_CAP = 80_000;
const EXCLUDED_CAP = 30_000;
const EXCLUDED = { headChars: 5000, tailChars: 1000, capBytes: null, hasPreview: true, excluded: true };

export type ClaimPolicy = { readonly settings: ClaimCheckSettings };

/** Throws `Failure("settings-invalid")` naming the field (C1). `tools` are the names this agent has. */
export function createClaimPolicy(settings: ClaimCheckSettings, tools: readonly string[]): ClaimPolicy {
  checkLimits("claimCheck", settings);
  checkCap(settings);
  if (!(settings.ttlSeconds > 0)) refuse("claimCheck.ttlSeconds", "must be above 0", settings.ttlSeconds);
  for (const [tool, limits] of Object.entries(settings.perTool)) {
    checkTool("claimCheck.perTool", tool, tools);
    checkLimits(`claimCheck.perTool.${tool}`, limits);
  }
  checkLists(settings, tools);
  for (const [tool, pointers] of Object.entries(settings.digests)) {
    checkTool("claimCheck.digests", tool, tools);
    if (pointers.length === 0) refuse(`claimCheck.digests.${tool}`, "must name at least one JSON pointer", 0);
    for (const pointer of pointers) {
      if (!Pointer.safeParse(pointer).success)
        refuse(
          `claimCheck.digests.${tool}`,
          `is not a list of JSON pointers such as /total: ${pointer}`,
          pointer,
        );
    }
  }
  return { settings };
}

/** Whether the user has taken a tool's results out of the claim check: left out, or not among the only ones. */
export function isExcluded({ settings }: ClaimPolicy, tool: string): boolean {
  return settings.exclude.includes(tool) || (settings.include !== null && !settings.include.includes(tool));
}

/** Limits of one result. Slack is already in the threshold: hiding a little costs more than one read-back. */
export function limitsFor(policy: ClaimPolicy, tool: string, toolClass: ToolClass): ResultLimits {
  const { settings } = policy;
  if (isExcluded(policy, tool)) {
    const isRead = toolClass === "read" || toolClass === "read_range";
    const thresholdChars = EXCLUDED_CAPS.get(tool) ?? (isRead ? EXCLUDED_READ_CAP : EXCLUDED_CAP);
    return { thresholdChars, ...EXCLUDED };
  }
  const own = ownValue(settings.perTool, tool);
  const hasPreview = toolClass === "error" || settings.preview;
  const limits = own ? { ...own, tailChars: 0, capBytes: null, hasPreview } : byClass(settings, toolClass);
  return {
    ...limits,
    thresholdChars: Math.floor(limits.thresholdChars * (1 + settings.slack)),
    excluded: false,
  };
}

/** Strictly above its limit a result is checked in; slack is never applied to bytes. */
export function isOver(limits: ResultLimits, { chars, bytes }: { chars: number; bytes: number }): boolean {
  return limits.capBytes === null ? chars > limits.thresholdChars : bytes > limits.capBytes;
}

/** The JSON pointers whose values stand in place of a head, or null. An error is shown as what it is. */
export function digestFor(
  { settings }: ClaimPolicy,
  tool: string,
  isError: boolean,
): readonly string[] | null {
  return isError ? null : (ownValue(settings.digests, tool) ?? null);
}

/** An entry of the object itself: a tool may be called "constructor". */
const ownValue = <T>(record: Readonly<Record<string, T>>, tool: string): T | undefined =>
  Object.hasOwn(record, tool) ? record[tool] : undefined;

function byClass(settings: ClaimCheckSettings, toolClass: ToolClass): Omit<ResultLimits, "excluded"> {
  if (toolClass === "error") return ERROR;
  const { thresholdChars, capBytes, preview: hasPreview, previewChars } = settings;
  const common = { capBytes, hasPreview, thresholdChars, tailChars: 0 };
  if (toolClass === "read_range" && capBytes === null)
    return { ...common, ...READ_RANGE, headChars: previewChars ?? READ_RANGE.headChars };
  const headChars = previewChars ?? settings.headChars;
  if (toolClass !== "execute") return { ...common, headChars };
  return {
    ...common,
    headChars,
    tailChars: Math.min(EXECUTE_TAIL_CHARS, (capBytes ?? thresholdChars) - headChars - 1),
  };
}

function checkLimits(where: string, limits: { thresholdChars: number; headChars: number }): void {
  const { thresholdChars, headChars } = limits;
  if (!(thresholdChars > 0)) refuse(`${where}.thresholdChars`, "must be above 0", thresholdChars);
  if (!(headChars > 0)) refuse(`${where}.headChars`, "must be above 0", headChars);
  if (headChars >= thresholdChars) {
    refuse(
      `${where}.headChars`,
      `must be below thresholdChars (${thresholdChars}), or nothing would be saved`,
      headChars,
    );
  }
}

/** What stays of a result must be less than what may stay whole, whichever settings say how much. */
function checkCap({ capBytes, previewChars, headChars, thresholdChars }: ClaimCheckSettings): void {
  if (capBytes !== null && !(capBytes > 0)) refuse("claimCheck.capBytes", "must be above 0", capBytes);
  if (previewChars !== null && !(previewChars > 0))
    refuse("claimCheck.previewChars", "must be above 0", previewChars);
  const [limit, name] = capBytes === null ? [thresholdChars, "thresholdChars"] : [capBytes, "capBytes"];
  const [head, field] = previewChars === null ? [headChars, "headChars"] : [previewChars, "previewChars"];
  if (head >= limit)
    refuse(`claimCheck.${field}`, `must be below ${name} (${limit}), or nothing would be saved`, head);
}

function checkLists({ include, exclude, reclaimable }: ClaimCheckSettings, tools: readonly string[]): void {
  for (const tool of exclude) checkTool("claimCheck.exclude", tool, tools);
  for (const tool of reclaimable) checkTool("claimCheck.reclaimable", tool, tools);
  if (include === null) return;
  if (include.length === 0)
    refuse("claimCheck.include", "names no tool; remove it, or turn claimCheck.enabled off", 0);
  for (const tool of include) {
    checkTool("claimCheck.include", tool, tools);
    if (exclude.includes(tool))
      refuse("claimCheck.include", `and claimCheck.exclude both name ${tool}`, tool);
  }
}

/** A server's tool may be away: its server was not started yet, or does not start today. */
function checkTool(field: string, tool: string, tools: readonly string[]): void {
  if (!tools.includes(tool) && !tool.includes(SERVER_MARK))
    refuse(field, `names a tool that does not exist: ${tool}. Tools: ${tools.join(", ")}`, tool);
}

function refuse(field: string, problem: string, value: string | number): never {
  throw new Failure("settings-invalid", `cloakroom.${field} ${problem}. Change it in Settings.`, {
    field,
    value,
  });
}
