/** The status bar's item: how full the window of the session is that runs, or was last looked at. */
import * as vscode from "vscode";
import { fillWords } from "../inspector/fillWords";
import type { SessionController } from "./sessionController";

const UPDATE_MS = 200;

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("cloakroom.fill", vscode.StatusBarAlignment.Right, 90);
  readonly #sessions: SessionController;
  readonly #subscriptions: vscode.Disposable;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sessions: SessionController) {
    this.#sessions = sessions;
    this.#item.name = "Cloakroom: Context Fill";
    this.#item.command = "cloakroom.openInspector";
    const later = () => {
      this.#timer ??= setTimeout(() => void this.#update(), UPDATE_MS);
    };
    this.#subscriptions = vscode.Disposable.from(
      sessions.onDidAppend(later),
      sessions.onDidChange(later),
      this.#item,
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** Never rejects: without a session that can be read there is no item. */
  async #update(): Promise<void> {
    this.#timer = undefined;
    const session = this.#sessions.runningSessions[0] ?? this.#sessions.selected;
    const fold = session === null ? null : await this.#sessions.fold(session).catch(() => null);
    const words = fold && fillWords(fold);
    if (!words) return this.#item.hide();
    Object.assign(this.#item, words);
    this.#item.accessibilityInformation = { label: words.tooltip };
    this.#item.show();
  }
}
