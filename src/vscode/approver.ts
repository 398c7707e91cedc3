/** Asking before a tool changes something: the diff or the command is on screen, the answer is one key away. */
import * as vscode from "vscode";
import type { ToolPreview } from "../schema/tool";
import { inLabel, isPlainLine } from "./plainText";
import { ProposedDocuments } from "./proposedDocuments";

/** The loop's `Approver` port, structurally. */
export type Question = {
  readonly session: string;
  readonly call: string;
  readonly tool: { readonly name: string };
  readonly preview: ToolPreview;
  readonly allowance: string;
  /** An earlier "in this session" does not count. */
  readonly alwaysAsk: boolean;
  readonly because: "sensitive" | "secret" | "outside" | null;
};
export type Verdict = {
  readonly granted: boolean;
  readonly by: "rule" | "user" | "session";
  readonly reason: string;
};

type Answer = vscode.QuickPickItem & { readonly verdict: Verdict; readonly forSession?: boolean };

const DENIED: Verdict = { granted: false, by: "user", reason: "The user did not allow this call." };
const STOPPED: Verdict = {
  granted: false,
  by: "rule",
  reason: "The session was stopped before the user answered.",
};

const LINE_CHARS = 80; // of a command that a row of the picker shows whole

export class Approver implements vscode.Disposable {
  readonly #documents = new ProposedDocuments();
  readonly #allowed = new Set<string>(); // session and tool as it was listed, for as long as this window lives
  readonly #screenSettled: () => Promise<unknown>;
  readonly #reminder: vscode.StatusBarItem;
  #queue: Promise<unknown> = Promise.resolve();
  #picker: vscode.QuickPick<Answer> | undefined;
  #isAside = false;
  readonly #waits = new vscode.EventEmitter<void>();
  /** Fires when a question was put aside, or no longer is. */
  readonly onDidChangeWaiting = this.#waits.event;

  /** `answerCommand` calls `reopen`. `screenSettled`: nothing else is about to open over what is asked about. */
  constructor(answerCommand: string, screenSettled: () => Promise<unknown>) {
    this.#screenSettled = screenSettled;
    this.#reminder = vscode.window.createStatusBarItem(
      "cloakroom.question",
      vscode.StatusBarAlignment.Left,
      1000,
    );
    this.#reminder.name = "Cloakroom Question";
    this.#reminder.command = answerCommand;
    this.#reminder.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
  }

  isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  /** One question at a time: two pickers would take each other's keys. A stop never waits for the editor. */
  ask(question: Question, signal: AbortSignal): Promise<Verdict> {
    const asked = this.#queue.then(() => this.#ask(question, signal));
    this.#queue = asked.catch(() => undefined); // the caller has the error; the queue only keeps the order
    const answered = new AbortController();
    return Promise.race([asked, stopOf(signal, answered.signal)]).finally(() => answered.abort());
  }

  /** Brings a question back that was put aside. */
  reopen(): void {
    if (!this.#picker) return;
    this.#aside(false);
    this.#picker.items = [...this.#picker.items]; // VS Code does not show the rows of a hidden picker again
    this.#picker.show();
  }

  /** Whether a question was put aside. */
  get isWaiting(): boolean {
    return this.#isAside;
  }

  dispose(): void {
    this.#waits.dispose();
    this.#picker?.dispose();
    this.#reminder.dispose();
    this.#documents.dispose();
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Verdict> {
    if (signal.aborted) return STOPPED;
    const { name } = question.tool;
    const key = `${question.session}\n${question.allowance}`;
    if (this.#allowed.has(key) && !question.alwaysAsk) {
      return { granted: true, by: "session", reason: `${name} is allowed in this session` };
    }
    await this.#screenSettled();
    const shown = await this.#show(question);
    const answer = await this.#pick(question, signal);
    await shown?.close();
    if (answer?.forSession) this.#allowed.add(key);
    return answer?.verdict ?? STOPPED;
  }

  /** Puts what is asked about on screen where the picker cannot show it whole; closed again after the answer. */
  async #show({ preview, call, session }: Question): Promise<{ close(): Promise<void> } | null> {
    if (lineOf(preview) !== null) return null;
    if (preview.kind === "command")
      return this.#showText(`${session}/${call}/Proposed Command.sh`, preview.command);
    if (preview.kind === "call")
      return this.#showText(`${session}/${call}/Proposed Arguments.json`, preview.arguments);
    if (preview.kind !== "diff") return null;
    const before = this.#documents.put(`${session}/${call}/before/${preview.path}`, preview.before);
    const after = this.#documents.put(`${session}/${call}/after/${preview.path}`, preview.after);
    await vscode.commands.executeCommand(
      "vscode.diff",
      before,
      after,
      `${preview.path}: proposed by the agent`,
      { preview: true, preserveFocus: true },
    );
    return { close: () => this.#close([before, after]) };
  }

  async #showText(name: string, content: string): Promise<{ close(): Promise<void> }> {
    const text = this.#documents.put(name, content);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(text), {
      preview: true,
      preserveFocus: true,
    });
    return { close: () => this.#close([text]) };
  }

  async #close(documents: readonly vscode.Uri[]): Promise<void> {
    const shown = new Set(documents.map(String));
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const mine = tabs.filter(({ input }) => {
      if (input instanceof vscode.TabInputTextDiff) return shown.has(input.modified.toString());
      return input instanceof vscode.TabInputText && shown.has(input.uri.toString());
    });
    await vscode.window.tabGroups.close(mine, true);
    for (const uri of documents) this.#documents.drop(uri);
  }

  /** Undefined after a stop. Escape, the palette or another picker put the question aside; they are no answer. */
  #pick(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const picker = pickerFor(question);
    this.#picker = picker;
    this.#reminder.text = `$(question) ${inLabel(subjectOf(question))}`;
    this.#reminder.tooltip = "The agent waits for your answer";
    return new Promise((resolve) => {
      const finish = (answer: Answer | undefined) => {
        signal.removeEventListener("abort", stop);
        this.#picker = undefined;
        picker.dispose();
        this.#aside(false);
        resolve(answer);
      };
      const stop = () => finish(undefined);
      signal.addEventListener("abort", stop, { once: true });
      picker.onDidAccept(() => {
        const [answer] = picker.selectedItems;
        if (answer) finish(answer);
      });
      picker.onDidHide(() => this.#aside(this.#picker === picker));
      picker.show();
      if (signal.aborted) stop(); // while the diff was opening
    });
  }

  #aside(isAside: boolean): void {
    this.#isAside = isAside;
    this.#waits.fire();
    if (isAside) this.#reminder.show();
    else this.#reminder.hide();
    void vscode.commands.executeCommand("setContext", "cloakroom.asking", isAside);
  }
}

function pickerFor(question: Question): vscode.QuickPick<Answer> {
  const { tool, preview, alwaysAsk, because } = question;
  const picker = vscode.window.createQuickPick<Answer>();
  picker.title = `Cloakroom: ${subjectOf(question)}`;
  picker.placeholder = placeholderOf(preview, because);
  picker.ignoreFocusOut = true;
  const line = lineOf(preview);
  const allow: Verdict = { granted: true, by: "user", reason: "allowed once" };
  const once: Answer = { label: "$(check) Allow Once", verdict: allow };
  picker.items = [
    line === null ? once : { ...once, detail: inLabel(line) },
    ...(alwaysAsk
      ? []
      : [
          {
            label: `$(check-all) Allow ${tool.name} in This Session`,
            verdict: { ...allow, reason: "allowed for the session" },
            forSession: true,
          },
        ]),
    { label: "$(close) Deny", verdict: DENIED },
  ];
  return picker;
}

/** What a row of the picker shows of the call, where it shows all of it. */
function lineOf(preview: ToolPreview): string | null {
  const line =
    preview.kind === "command"
      ? preview.command
      : preview.kind === "call"
        ? JSON.stringify(JSON.parse(preview.arguments))
        : "";
  return line !== "" && isPlainLine(line, LINE_CHARS) ? line : null;
}

function placeholderOf(preview: ToolPreview, because: Question["because"]): string {
  if (because === "secret") return "A secret goes with this call: it is asked every time";
  if (because === "outside") return "The agent has read content from outside: this is asked every time";
  if (because === "sensitive")
    return preview.kind === "call"
      ? "The server does not say that this only reads: it is asked every time"
      : "This can change what an agent or the editor does later: it is asked every time";
  if (preview.kind === "diff") return "The change is shown in the editor. Escape lets you read it first";
  if (preview.kind === "invalid" || lineOf(preview) !== null)
    return preview.kind === "call" ? "The server says that this only reads" : "";
  return `The whole ${preview.kind} is shown in the editor. Escape lets you read it first`;
}

function subjectOf({ tool, preview }: Question): string {
  switch (preview.kind) {
    case "diff":
      return `Allow ${tool.name} to change ${preview.path}?`;
    case "command":
      return preview.folder === "." || preview.folder === ""
        ? "Allow this command?"
        : `Allow this command in ${preview.folder}?`;
    case "call":
      return `Allow ${preview.tool} of the MCP server ${preview.server}?`;
    case "invalid":
      return `Allow ${tool.name}?`;
  }
}

function stopOf(signal: AbortSignal, answered: AbortSignal): Promise<Verdict> {
  if (signal.aborted) return Promise.resolve(STOPPED);
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(STOPPED), { once: true, signal: answered }),
  );
}
