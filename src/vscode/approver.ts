/** Asking before a tool changes something: the diff or the command is on screen, the answer is one key away. */
import * as vscode from "vscode";
import type { ToolPreview } from "../schema/tool";
import { type ContentDocuments, titled } from "./contentDocuments";

/** The loop's `Approver` port, structurally. */
export type Question = {
  readonly session: string;
  readonly call: string;
  readonly tool: { readonly name: string };
  readonly preview: ToolPreview;
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

export class Approver {
  readonly #documents: ContentDocuments;
  readonly #allowed = new Set<string>(); // session and tool, for as long as this window lives
  #queue: Promise<unknown> = Promise.resolve();

  constructor(documents: ContentDocuments) {
    this.#documents = documents;
  }

  isTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  /** One question at a time: two pickers would take each other's keys. */
  ask(question: Question, signal: AbortSignal): Promise<Verdict> {
    const asked = this.#queue.then(() => this.#ask(question, signal));
    this.#queue = asked.catch(() => undefined); // the caller has the error; the queue only keeps the order
    return asked;
  }

  async #ask(question: Question, signal: AbortSignal): Promise<Verdict> {
    if (signal.aborted) return STOPPED;
    const key = `${question.session}\n${question.tool.name}`;
    const isSensitive = question.preview.kind !== "invalid" && question.preview.sensitive;
    if (this.#allowed.has(key) && !isSensitive) {
      return { granted: true, by: "session", reason: `${question.tool.name} is allowed in this session` };
    }
    const shown = await this.#show(question);
    const answer = await pick(question, isSensitive, signal);
    await shown?.close();
    if (signal.aborted) return STOPPED;
    if (answer?.forSession) this.#allowed.add(key);
    return answer?.verdict ?? DENIED;
  }

  /** Puts the change on screen as a diff, to be closed again after the answer. */
  async #show({ preview, call, session }: Question): Promise<{ close(): Promise<void> } | null> {
    if (preview.kind !== "diff") return null;
    const before = this.#documents.put(titled(`${session}/${call}/before/${preview.path}`), preview.before);
    const after = this.#documents.put(titled(`${session}/${call}/after/${preview.path}`), preview.after);
    await vscode.commands.executeCommand(
      "vscode.diff",
      before,
      after,
      `${preview.path}: proposed by the agent`,
      {
        preview: true,
        preserveFocus: true,
      },
    );
    return {
      close: async () => {
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
        const mine = tabs.filter(
          ({ input }) =>
            input instanceof vscode.TabInputTextDiff && input.modified.toString() === after.toString(),
        );
        await vscode.window.tabGroups.close(mine, true);
        this.#documents.drop(before);
        this.#documents.drop(after);
      },
    };
  }
}

function pick(question: Question, isSensitive: boolean, signal: AbortSignal): Promise<Answer | undefined> {
  const { tool, preview } = question;
  const picker = vscode.window.createQuickPick<Answer>();
  picker.title = `Cloakroom: ${subjectOf(question)}`;
  picker.placeholder =
    preview.kind === "command" ? preview.command : "The change is shown as a diff. Allow it?";
  picker.ignoreFocusOut = true;
  const allow: Verdict = { granted: true, by: "user", reason: "allowed once" };
  picker.items = [
    {
      label: "$(check) Allow Once",
      detail: preview.kind === "command" ? preview.command : "",
      verdict: allow,
    },
    ...(isSensitive
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
  return new Promise((resolve) => {
    const finish = (answer: Answer | undefined) => {
      signal.removeEventListener("abort", stop);
      resolve(answer);
      picker.dispose();
    };
    const stop = () => finish(undefined);
    signal.addEventListener("abort", stop, { once: true });
    picker.onDidAccept(() => finish(picker.selectedItems[0]));
    picker.onDidHide(() => finish(undefined));
    picker.show();
  });
}

function subjectOf({ tool, preview }: Question): string {
  switch (preview.kind) {
    case "diff":
      return `Allow ${tool.name} to change ${preview.path}?`;
    case "command":
      return preview.folder === "." || preview.folder === ""
        ? "Allow this command?"
        : `Allow this command in ${preview.folder}?`;
    case "invalid":
      return `Allow ${tool.name}?`;
  }
}
