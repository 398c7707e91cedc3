/** The palette's commands for what result limits leave alone: intent and exemptions. Each asks, nothing is guessed. */
import * as vscode from "vscode";
import { Intent, type OperatorExemption } from "../schema/policy";
import type { Draft, DraftBox, Drafts } from "./drafts";
import type { LimitChoices } from "./limitChoices";
import { inLabel, inNotice } from "./plainText";
import type { SessionController } from "./sessionController";

export type LimitPorts = {
  readonly choices: LimitChoices;
  readonly sessions: SessionController;
  readonly owner: string; // who exempts
  readonly drafts: Drafts;
  readonly guard: (work: () => Promise<void>) => Promise<void>;
};

const HOUR_MS = 3_600_000;
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
    };
    return vscode.Disposable.from(
      ...Object.entries(commands).map(([id, run]) =>
        vscode.commands.registerCommand(id, () => this.#ports.guard(run)),
      ),
    );
  }

  /** `of`: the session; not given: it is asked for. */
  async setIntent(of?: string): Promise<void> {
    const { choices } = this.#ports;
    const session = of === undefined ? await this.#session("Set Intent") : await this.#chosen(of);
    if (!session) return;
    const now = choices.of(session.id).intent;
    const isCurrent = (intent: string | null) =>
      intent === now || (intent === "number" && now?.startsWith("all "));
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
      items.map((item) => ({ ...item, description: isCurrent(item.intent) ? "current" : "" })),
      { title: `Set Intent: ${session.name}`, placeHolder: "With an intent, no result count is lowered" },
    );
    if (!picked) return;
    const about = session.id ?? "";
    const number = picked.intent === "number" ? await this.#ports.drafts.ask(about, NUMBER_BOX) : undefined;
    if (picked.intent === "number" && number === undefined) return;
    const intent = picked.intent === "number" ? Intent.parse(`all ${number?.text}`) : picked.intent;
    await choices.set(session.id, { ...choices.of(session.id), intent });
    number?.used();
    this.#told(`Intent: ${number === undefined ? picked.label : intent}`, session);
  }

  async addExemption(): Promise<void> {
    const { choices } = this.#ports;
    const session = await this.#session("Exempt from Result Limits");
    if (!session) return;
    const scope = await vscode.window.showQuickPick(
      [
        { tool: true, once: false, label: "A Tool", detail: "Its calls run as the model wrote them." },
        {
          tool: true,
          once: true,
          label: "One Call of a Tool",
          detail: "Its next call, whatever count that asks for.",
        },
        { tool: false, once: false, label: "The Whole Session", detail: "No call is lowered." },
      ],
      { title: `Exempt from Result Limits: ${session.name}`, placeHolder: "What is exempt?" },
    );
    if (!scope) return;
    const tool = scope.tool ? await this.#pickTool(session.id) : null;
    if (tool === undefined) return;
    const reason = await this.#ports.drafts.ask(session.id ?? "", {
      title: "Exempt from Result Limits: Reason",
      prompt: "Shown in receipts and in the inspector.",
      validateInput: reasonProblem,
    });
    if (!reason) return;
    const until = await vscode.window.showQuickPick(
      [
        { hours: 1, label: "One Hour" },
        { hours: 24, label: "One Day" },
        { hours: null, label: "Until It Is Removed" },
      ],
      { title: "Exempt from Result Limits: How Long", placeHolder: "For how long?" },
    );
    if (!until) return;
    const exemption: OperatorExemption = {
      id: `exemption-${Date.now().toString(36)}`,
      tool: tool?.text ?? null,
      once: scope.once,
      reason: reason.text,
      owner: this.#ports.owner,
      expiresAt: until.hours === null ? null : Date.now() + until.hours * HOUR_MS,
    };
    await choices.exempt(session.id, exemption);
    for (const draft of [tool, reason]) draft?.used();
    this.#told(`Exempt: ${nameOf(exemption)}`, session);
  }

  /**
   * The next call of `tool` in that session runs as the model writes it; the receipt shows who said so and why.
   * `reason`: 1 to 500 characters.
   */
  async exemptOnce(session: string, tool: string, reason: string): Promise<void> {
    const { choices, owner } = this.#ports;
    const id = `exemption-${Date.now().toString(36)}`;
    const exemption: OperatorExemption = { id, tool, once: true, reason, owner, expiresAt: null };
    await choices.exempt(session, exemption);
  }

  async removeExemption(): Promise<void> {
    const { choices } = this.#ports;
    const session = await this.#session("Remove Exemption");
    if (!session) return;
    const { intent, exemptions } = choices.of(session.id);
    if (exemptions.length === 0)
      return void vscode.window.showInformationMessage(
        `Cloakroom: There is no exemption for ${inNotice(session.name)}.`,
      );
    const picked = await vscode.window.showQuickPick(
      exemptions.map((exemption) => ({
        exemption,
        label: inLabel(nameOf(exemption)),
        description: untilOf(exemption),
        detail: inLabel(`${exemption.owner}: ${exemption.reason}`),
      })),
      { title: `Remove Exemption: ${session.name}`, placeHolder: "Pick the one to remove" },
    );
    if (!picked) return;
    await choices.set(session.id, {
      intent,
      exemptions: exemptions.filter(({ id }) => id !== picked.exemption.id),
    });
    this.#told(`No longer exempt: ${nameOf(picked.exemption)}`, session);
  }

  async #chosen(session: string): Promise<Chosen> {
    const title = (await this.#ports.sessions.fold(session))?.head?.title ?? session;
    return { id: session, name: inLabel(title) };
  }

  /** The session that the inspector shows, or the one that is started next. Undefined: the person closed the picker. */
  async #session(title: string): Promise<Chosen | undefined> {
    const { sessions } = this.#ports;
    const listed = await sessions.list();
    const shown = listed.find(({ session }) => session === sessions.selected) ?? listed[0];
    const next: Chosen = { id: null, name: "the next session" };
    if (!shown) return next;
    const chosen: Chosen = { id: shown.session, name: inLabel(shown.title) };
    const picked = await vscode.window.showQuickPick(
      [
        { chosen, label: chosen.name, description: "from its next run on" },
        { chosen: next, label: "The Next Session", description: "once it is started" },
      ],
      { title, placeHolder: "For which session?" },
    );
    return picked?.chosen;
  }

  /** Undefined: the person closed the picker. */
  async #pickTool(session: string | null): Promise<Draft | undefined> {
    const view = session === null ? null : await this.#ports.sessions.view(session);
    const tools = [
      ...new Set(view?.turns.flatMap(({ calls }) => calls.map(({ tool }) => tool)) ?? []),
    ].sort();
    const other = "Another Tool…";
    const picked =
      tools.length === 0
        ? other
        : await vscode.window.showQuickPick([...tools, other], {
            title: "Exempt from Result Limits: Tool",
            placeHolder: "Tools that the session has called",
          });
    if (picked !== other) return picked === undefined ? undefined : { text: picked, used: () => undefined };
    return this.#ports.drafts.ask(session ?? "", {
      title: "Exempt from Result Limits: Tool",
      prompt: "Its name, as the model calls it, such as search_text.",
      validateInput: (text) => (text.trim() === "" ? "Type the name of a tool." : null),
    });
  }

  #told(words: string, { id }: Chosen): void {
    const since = id === null ? "for the next session" : "from the next run on";
    vscode.window.setStatusBarMessage(`${words}, ${since}`, STATUS_MS);
  }
}

/** `id` null: the session that is started next. */
type Chosen = { readonly id: string | null; readonly name: string };

const nameOf = ({ tool, once }: OperatorExemption): string =>
  tool === null ? "The whole session" : once ? `One call of ${tool}` : tool;

function untilOf({ expiresAt }: OperatorExemption): string {
  if (expiresAt === null) return "until it is removed";
  return expiresAt <= Date.now() ? "expired" : `until ${new Date(expiresAt).toLocaleString()}`;
}

const NUMBER_BOX: DraftBox = {
  title: "Intent: A Number of Records",
  prompt: "How many records there are.",
  validateInput: (given) =>
    Intent.safeParse(`all ${given.trim()}`).success ? null : "Type a whole number above 0.",
};

/** Why a text is no reason for an exemption; null: it is one. */
export const reasonProblem = (text: string): string | null =>
  text.trim() === "" || text.length > 500 ? "Say why, in at most 500 characters." : null;
