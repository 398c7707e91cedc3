/** The status bar's item: how full the window of the session is that runs, or was last looked at. */
import * as vscode from "vscode";
import type { InspectorFold } from "../inspector/project";
import { turnAt } from "../inspector/turnPages";
import type { SessionController } from "./sessionController";

const UPDATE_MS = 200;
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 0 });

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

/** Null before the first request. */
export function fillWords({ head, turns }: InspectorFold): { text: string; tooltip: string } | null {
  if (head === null) return null;
  for (let at = turns.numbers.length - 1; at >= 0; at--) {
    const fill = turnAt(turns, at)?.request?.fill;
    if (!fill) continue;
    const tokens = fill.tokens.reduce((sum, part) => sum + part, 0);
    const { windowTokens } = head;
    const most = windowTokens === null ? "" : ` / ${compact.format(windowTokens)}`;
    const of =
      windowTokens === null
        ? "; the size of the model's window is not known"
        : ` of ${windowTokens.toLocaleString("en")}`;
    const about = fill.isEstimate ? "about " : "";
    return {
      text: `$(dashboard) ${compact.format(tokens)}${most}`,
      tooltip: `Cloakroom: the last request had ${about}${tokens.toLocaleString("en")} tokens${of}`,
    };
  }
  return null;
}
