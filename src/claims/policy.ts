/** When a result is checked in, and how much of it stays (CONFORMANCE §1). Refuses what could not save anything. */
import { Failure } from "../schema/failure";
import type { ClaimCheckSettings } from "../schema/settings";
import type { ToolClass } from "../schema/tool";

/** Chars. `excluded`: over its cap the result is still stored whole, but shown as a long preview (seed 001 §Per-tool). */
export type ResultLimits = {
  readonly thresholdChars: number;
  readonly headChars: number;
  readonly tailChars: number;
  readonly excluded: boolean;
};

/** Limits by class where the settings do not name them: an explicit range was asked for, and errors end in their reason. */
const READ_RANGE = { thresholdChars: 16_000, headChars: 4000, tailChars: 0 };
const ERROR = { thresholdChars: 20_000, headChars: 4000, tailChars: 1000 };
const EXECUTE_TAIL_CHARS = 1000; // answers stand at the end of logs

/** Seed 001's caps for tools that the user has taken out of the claim check. */
const EXCLUDED_CAPS: ReadonlyMap<string, number> = new Map([
  ["search_text", 60_000],
  ["list_files", 50_000],
]);
const EXCLUDED_READ_CAP = 80_000;
const EXCLUDED_CAP = 30_000;
const EXCLUDED_PREVIEW = { headChars: 5000, tailChars: 1000 };

export type ClaimPolicy = { readonly settings: ClaimCheckSettings };

/** Throws `Failure("settings-invalid")` naming the field (C1). `tools` are the names this agent has. */
export function createClaimPolicy(settings: ClaimCheckSettings, tools: readonly string[]): ClaimPolicy {
  checkLimits("claimCheck", settings);
  if (!(settings.ttlSeconds > 0)) refuse("claimCheck.ttlSeconds", "must be above 0", settings.ttlSeconds);
  for (const [tool, limits] of Object.entries(settings.perTool)) {
    checkTool("claimCheck.perTool", tool, tools);
    checkLimits(`claimCheck.perTool.${tool}`, limits);
  }
  for (const tool of settings.exclude) checkTool("claimCheck.exclude", tool, tools);
  return { settings };
}

/** Limits of one result. Slack is already in the threshold: hiding a little costs more than one read-back. */
export function limitsFor(policy: ClaimPolicy, tool: string, toolClass: ToolClass): ResultLimits {
  const { settings } = policy;
  if (settings.exclude.includes(tool)) {
    const isRead = toolClass === "read" || toolClass === "read_range";
    const thresholdChars = EXCLUDED_CAPS.get(tool) ?? (isRead ? EXCLUDED_READ_CAP : EXCLUDED_CAP);
    return { thresholdChars, ...EXCLUDED_PREVIEW, excluded: true };
  }
  const own = Object.hasOwn(settings.perTool, tool) ? settings.perTool[tool] : undefined; // a tool may be called "constructor"
  const limits = own ? { ...own, tailChars: 0 } : byClass(settings, toolClass);
  return {
    ...limits,
    thresholdChars: Math.floor(limits.thresholdChars * (1 + settings.slack)),
    excluded: false,
  };
}

function byClass(settings: ClaimCheckSettings, toolClass: ToolClass) {
  if (toolClass === "read_range") return READ_RANGE;
  if (toolClass === "error") return ERROR;
  const { thresholdChars, headChars } = settings;
  const tailChars =
    toolClass === "execute" ? Math.min(EXECUTE_TAIL_CHARS, thresholdChars - headChars - 1) : 0;
  return { thresholdChars, headChars, tailChars };
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

function checkTool(field: string, tool: string, tools: readonly string[]): void {
  if (!tools.includes(tool))
    refuse(field, `names a tool that does not exist: ${tool}. Tools: ${tools.join(", ")}`, tool);
}

function refuse(field: string, problem: string, value: string | number): never {
  throw new Failure("settings-invalid", `cloakroom.${field} ${problem}. Change it in Settings.`, {
    field,
    value,
  });
}
