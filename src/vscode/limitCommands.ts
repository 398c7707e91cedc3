/** The palette's commands for result limits: intent, exemptions, and a workspace's rules. Each asks, nothing is guessed. */
import * as vscode from "vscode";
import type { Digest } from "../schema/claim";
import { Intent, type OperatorExemption, type Rollout } from "../schema/policy";
import type { ReviewRow } from "../thimble/review";
import type { LimitChoices } from "./limitChoices";
import { inLabel, inNotice } from "./plainText";
import type { SessionController } from "./sessionController";

/** A workspace's policy that has not been allowed to enforce here. `contracts`: in words. */
export type Unapproved = {
  readonly label: string;
  readonly rulesSha256: Digest;
  readonly contracts: readonly string[];
};

export type LimitPorts = {
  readonly choices: LimitChoices;
  readonly sessions: SessionController;
  readonly owner: string; // who exempts
  readonly unapproved: () => Promise<readonly Unapproved[]>;
  /** What this workspace's sessions say of each contract. */
  readonly review: () => Promise<readonly ReviewRow[]>;
  readonly guard: (work: () => Promise<void>) => Promise<void>;
};

const HOUR_MS = 3_600_000;
const SHOWN_CONTRACTS = 12;
const STATUS_MS = 5000;

export class LimitCommands {
  readonly #ports: LimitPorts;

  constructor(ports: LimitPorts) {
    this.#ports = ports;
  }

  register(): vscode.Disposable {
    const commands: Record<string, () => Promise<void>> = {
      "cloakroom.setIntent": () => this.setIntent(),
      "cloakroom.addExemption": () => this.addExemption(),
      "cloakroom.removeExemption": () => this.removeExemption(),
      "cloakroom.approvePolicy": () => this.approvePolicy(),
      "cloakroom.reviewLimits": () => this.reviewLimits(),
    };
    return vscode.Disposable.from(
      ...Object.entries(commands).map(([id, run]) =>
        vscode.commands.registerCommand(id, () => this.#ports.guard(run)),
      ),
    );
  }

  async setIntent(): Promise<void> {
    const { choices } = this.#ports;
    const session = await this.#session();
    if (!session) return;
    const now = choices.of(session.id).intent;
    const items = [
      { intent: null, label: "None", detail: "Result limits apply." },
      { intent: "exhaustive", label: "Exhaustive", detail: "Everything has to be looked at." },
      { intent: "export", label: "Export", detail: "Records are copied somewhere else." },
      { intent: "compliance", label: "Compliance", detail: "A scan that must not miss anything." },
      { intent: "migration", label: "Migration", detail: "Every record is moved." },
      { intent: "exact_count", label: "Exact Count", detail: "The answer is how many there are." },
      { intent: "number", label: "A Number of Records…", detail: "Such as all 37 of them." },
    ] as const;
    const picked = await vscode.window.showQuickPick(
      items.map((item) => ({ ...item, description: item.intent === now ? "current" : "" })),
      { title: `Intent: ${session.name}`, placeHolder: "With an intent, no result count is lowered" },
    );
    if (!picked) return;
    const intent = picked.intent === "number" ? await askNumber() : picked.intent;
    if (intent === undefined) return;
    await choices.set(session.id, { ...choices.of(session.id), intent });
    this.#told(`Intent: ${picked.intent === "number" ? intent : picked.label}`);
  }

  async addExemption(): Promise<void> {
    const { choices } = this.#ports;
    const session = await this.#session();
    if (!session) return;
    const scope = await vscode.window.showQuickPick(
      [
        { tool: true, once: false, label: "A Tool", detail: "Its calls run as the model wrote them." },
        {
          tool: true,
          once: true,
          label: "One Call of a Tool",
          detail: "The next call that would be lowered.",
        },
        { tool: false, once: false, label: "The Whole Session", detail: "No call is lowered." },
      ],
      { title: `Exempt from Result Limits: ${session.name}`, placeHolder: "What is exempt?" },
    );
    if (!scope) return;
    const tool = scope.tool ? await this.#pickTool(session.id) : null;
    if (tool === undefined) return;
    const reason = await vscode.window.showInputBox({
      title: "Exempt from Result Limits: Reason",
      prompt: "Shown in receipts and in the inspector.",
      validateInput: (text) =>
        text.trim() === "" || text.length > 500 ? "Say why, in at most 500 characters." : null,
      ignoreFocusOut: true,
    });
    if (!reason) return;
    const until = await vscode.window.showQuickPick(
      [
        { hours: 1, label: "One Hour" },
        { hours: 24, label: "One Day" },
        { hours: null, label: "Until It Is Removed" },
      ],
      { title: "Exempt from Result Limits: How Long" },
    );
    if (!until) return;
    const before = choices.of(session.id);
    const exemption: OperatorExemption = {
      id: `exemption-${Date.now().toString(36)}`,
      tool,
      once: scope.once,
      reason: reason.trim(),
      owner: this.#ports.owner,
      expiresAt: until.hours === null ? null : Date.now() + until.hours * HOUR_MS,
    };
    await choices.set(session.id, { ...before, exemptions: [...before.exemptions, exemption] });
    this.#told(`Exempt: ${tool ?? "the whole session"}`);
  }

  async removeExemption(): Promise<void> {
    const { choices } = this.#ports;
    const session = await this.#session();
    if (!session) return;
    const { intent, exemptions } = choices.of(session.id);
    if (exemptions.length === 0)
      return void vscode.window.showInformationMessage(
        `Cloakroom: There are no exemptions for ${inNotice(session.name)}.`,
      );
    const picked = await vscode.window.showQuickPick(
      exemptions.map((exemption) => ({
        exemption,
        label: inLabel(exemption.tool ?? "The whole session"),
        description:
          exemption.expiresAt === null ? "" : `until ${new Date(exemption.expiresAt).toLocaleString()}`,
        detail: `${exemption.reason} (${exemption.owner})`,
      })),
      { title: "Remove Exemption" },
    );
    if (!picked) return;
    await choices.set(session.id, {
      intent,
      exemptions: exemptions.filter(({ id }) => id !== picked.exemption.id),
    });
    this.#told("Exemption removed");
  }

  async approvePolicy(): Promise<void> {
    const found = await this.#ports.unapproved();
    if (found.length === 0)
      return void vscode.window.showInformationMessage(
        "Cloakroom: There is no policy in this workspace that only observes.",
      );
    for (const { label, rulesSha256, contracts } of found) {
      const more =
        contracts.length > SHOWN_CONTRACTS ? `\n… and ${contracts.length - SHOWN_CONTRACTS} more` : "";
      const detail = `${contracts.slice(0, SHOWN_CONTRACTS).join("\n")}${more}\n\nA change of its rules asks again. Rules ${rulesSha256.slice(0, 12)}.`;
      const question = `Let ${inNotice(label)} lower result counts on this machine?`;
      const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, "Allow");
      if (answer === "Allow") await this.#ports.choices.approve(rulesSha256);
    }
  }

  /** Who decides, when and why is kept; the next run of a session decides by it. */
  async reviewLimits(): Promise<void> {
    const { choices, owner, review } = this.#ports;
    const rows = await review();
    if (rows.length === 0)
      return void vscode.window.showInformationMessage(
        "Cloakroom: No session of this workspace has a tool with a contract yet.",
      );
    const decided = new Map(choices.reviewed().map((decision) => [decision.id, decision]));
    const picked = await vscode.window.showQuickPick(
      rows.map((row) => ({ row, ...itemOf(row, decided.get(row.check.id)) })),
      { title: "Review Result Limits", placeHolder: "Pick a contract", matchOnDetail: true },
    );
    if (!picked) return;
    const { id, tool, argument, mode: now } = picked.row.check;
    const enforce = {
      mode: "enforce" as const,
      label: "Enforce",
      detail: "Counts above its ceiling are lowered, when result limits are set to Enforce.",
    };
    const observe = {
      mode: "observe" as const,
      label: "Observe",
      detail: "Calls run as written; what would have been lowered is recorded.",
    };
    const mode = await vscode.window.showQuickPick(
      [enforce, observe].map((item) => ({ ...item, description: item.mode === now ? "current" : "" })),
      { title: `Review Result Limits: ${tool} ${argument}`, placeHolder: countsOf(picked.row) },
    );
    if (!mode) return;
    const why = await vscode.window.showInputBox({
      title: `${mode.label} ${tool} ${argument}: Reason`,
      prompt: "Kept with the decision.",
      validateInput: (text) => (text.trim() === "" ? "Say why." : null),
      ignoreFocusOut: true,
    });
    if (!why) return;
    await choices.review({ id, tool, argument, mode: mode.mode, by: owner, at: Date.now(), why: why.trim() });
    this.#told(`${mode.label}: ${tool} ${argument}`);
  }

  /** The session that is shown, or the one that is started next. Undefined: the person closed the picker. */
  async #session(): Promise<{ id: string | null; name: string } | undefined> {
    const { sessions } = this.#ports;
    const listed = await sessions.list();
    const shown = listed.find(({ session }) => session === sessions.selected);
    const next = { id: null, label: "The Next Session" };
    if (!shown) return { id: null, name: "the next session" };
    const picked = await vscode.window.showQuickPick(
      [{ id: shown.session, label: inLabel(shown.title), description: "from its next run on" }, next],
      { title: "Result Limits", placeHolder: "For which session?" },
    );
    if (!picked) return undefined;
    return { id: picked.id, name: picked.id === null ? "the next session" : shown.title };
  }

  /** Undefined: the person closed the picker. */
  async #pickTool(session: string | null): Promise<string | undefined> {
    const view = session === null ? null : await this.#ports.sessions.view(session);
    const tools = [
      ...new Set(view?.turns.flatMap(({ calls }) => calls.map(({ tool }) => tool)) ?? []),
    ].sort();
    const other = "Another Tool…";
    const picked =
      tools.length === 0 ? other : await vscode.window.showQuickPick([...tools, other], { title: "Tool" });
    if (picked !== other) return picked;
    return vscode.window.showInputBox({
      title: "Tool",
      prompt: "Its name, as the model calls it.",
      ignoreFocusOut: true,
    });
  }

  #told(words: string): void {
    vscode.window.setStatusBarMessage(`${words}, from the next run on`, STATUS_MS);
  }
}

function itemOf(row: ReviewRow, decision: Rollout | undefined) {
  const { tool, argument, source, mode } = row.check;
  const last = decision
    ? ` ${decision.mode === "enforce" ? "Enforced" : "Observed"} by ${decision.by} on ${new Date(decision.at).toLocaleDateString()}: ${decision.why}`
    : "";
  return {
    label: inLabel(`${tool} ${argument}`),
    description: mode === "enforce" ? "Enforce" : "Observe",
    detail: inNotice(`${countsOf(row)} ${source}.${last}`),
  };
}

function countsOf({ sessions, calls, proposed, lowered, requested, effective, marks }: ReviewRow): string {
  const changed = proposed + lowered;
  const counts =
    changed === 0
      ? "none above its ceiling"
      : `${proposed} would have been lowered, ${lowered} were: ${effective} items in place of ${requested}`;
  const against =
    marks.length === 0 ? "no false clamp" : `${marks.length} false clamps (${marks.slice(0, 3).join(", ")})`;
  return `${calls} calls in ${sessions} sessions, ${counts}; ${against}.`;
}

async function askNumber(): Promise<Intent | undefined> {
  const text = await vscode.window.showInputBox({
    title: "Intent: A Number of Records",
    prompt: "How many records there are.",
    validateInput: (given) =>
      Intent.safeParse(`all ${given.trim()}`).success ? null : "Type a whole number above 0.",
    ignoreFocusOut: true,
  });
  return text === undefined ? undefined : Intent.parse(`all ${text.trim()}`);
}
