/** `cloakroom.*` settings become the core's. A value of the wrong form is refused by name, never ignored. */
import { workspace } from "vscode";
import { Failure } from "../schema/failure";
import {
  AgeingSettings,
  BudgetSettings,
  ClaimCheckSettings,
  type CoreSettings,
  LimitSettings,
  ResponseSettings,
} from "../schema/settings";

/** Editor-only settings. `model`: a model's id, or "" to ask. `script`: path of the offline model's script, or "". `mcpServers`: as written. */
export type EditorSettings = {
  readonly model: string;
  readonly script: string;
  readonly policyFile: string; // of the user, or ""
  readonly commandTimeoutSeconds: number;
  readonly mcpServers: object;
};

export function readEditorSettings(): EditorSettings {
  const config = workspace.getConfiguration("cloakroom");
  return {
    model: textOf(config.get("model"), "model"),
    script: textOf(config.get("scriptedModel.script"), "scriptedModel.script"),
    policyFile: textOf(config.get("resultLimits.policyFile"), "resultLimits.policyFile").trim(),
    commandTimeoutSeconds: numberOf(config.get("commandTimeoutSeconds"), "commandTimeoutSeconds", 86_400),
    mcpServers: objectOf(config.get("mcp.servers"), "mcp.servers"),
  };
}

/** `keepSessionsDays` 0: for ever. */
export type StoreSettings = {
  readonly keepSessionsDays: number;
  readonly limits: { readonly maximumBytes: number; readonly maximumEntryBytes: number };
  readonly encryption: boolean; // of new sessions
  readonly redisUrl: string | null; // where new sessions have their stored results; null: on this machine
};

const MEGABYTE = 1024 * 1024;

export function readStoreSettings(): StoreSettings {
  const config = workspace.getConfiguration("cloakroom.store");
  const megabytes = (field: string, maximum: number) =>
    numberOf(config.get(field), `store.${field}`, maximum) * MEGABYTE;
  const days: unknown = config.get("keepSessionsDays");
  return {
    keepSessionsDays: days === 0 ? 0 : numberOf(days, "store.keepSessionsDays", 36_500),
    limits: {
      maximumBytes: megabytes("maximumMegabytes", 1_048_576),
      maximumEntryBytes: megabytes("maximumEntryMegabytes", 512),
    },
    encryption: flagOf(config.get("encryption"), "store.encryption"),
    redisUrl: redisUrlOf(textOf(config.get("redisUrl"), "store.redisUrl").trim()),
  };
}

/** Settings are plain text: a password in one would be on disk. */
function redisUrlOf(text: string): string | null {
  if (text === "") return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["redis:", "rediss:"].includes(url.protocol) || url.hostname === "")
    throw invalid("store.redisUrl", "must be an address such as redis://localhost:6379");
  if (url.password !== "")
    throw invalid(
      "store.redisUrl",
      "must not have a password. Use the command Cloakroom: Set Redis Password",
    );
  return text;
}

/** Throws `Failure("settings-invalid")` that names the setting. */
export function readCoreSettings(): CoreSettings {
  return {
    claimCheck: sectionOf("claimCheck", ClaimCheckSettings),
    budgets: sectionOf("budgets", BudgetSettings),
    ageing: sectionOf("ageing", AgeingSettings),
    limits: sectionOf("resultLimits", LimitSettings),
    responses: sectionOf("resultLimits", ResponseSettings),
    maxTurns: numberOf(workspace.getConfiguration("cloakroom").get("maxTurns"), "maxTurns", 1000),
  };
}

type Schema<T> = {
  readonly shape: Record<string, unknown>;
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] } };
};

function sectionOf<T>(section: string, schema: Schema<T>): T {
  const config = workspace.getConfiguration(`cloakroom.${section}`);
  const value = Object.fromEntries(Object.keys(schema.shape).map((key) => [key, config.get(key)]));
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const field = [section, ...(issue?.path ?? [])].map(String).join(".");
  throw invalid(field, issue?.message ?? "is not valid");
}

function textOf(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw invalid(field, "must be text");
}

function objectOf(value: unknown, field: string): object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalid(field, "must be an object");
}

function flagOf(value: unknown, field: string): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(field, "must be true or false");
}

function numberOf(value: unknown, field: string, maximum: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value <= maximum) return value;
  throw invalid(field, `must be a whole number from 1 to ${maximum}`);
}

function invalid(field: string, problem: string): Failure {
  return new Failure(
    "settings-invalid",
    `Setting cloakroom.${field}: ${problem}. Change it in Settings, then start again.`,
    { field },
  );
}
