/** The view's badge: how much in the shown session waits for a person, or was not seen yet. */
import * as vscode from "vscode";
import type { InspectorFold } from "../inspector/project";
import type { InspectorView } from "./inspectorView";
import type { SessionController } from "./sessionController";

/** Whether a question was put aside and waits for its answer. */
export type Waiting = { readonly isWaiting: () => boolean; readonly onDidChange: vscode.Event<void> };

const UPDATE_MS = 200;

export class Attention implements vscode.Disposable {
  readonly #sessions: SessionController;
  readonly #waiting: Waiting;
  readonly #view: Pick<InspectorView, "isVisible"> & { badge: vscode.ViewBadge | undefined };
  readonly #seen = new Map<string, number>(); // the newest event that was in sight, by session
  readonly #subscriptions: vscode.Disposable;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sessions: SessionController, waiting: Waiting, view: InspectorView) {
    this.#sessions = sessions;
    this.#waiting = waiting;
    this.#view = view;
    const later = () => {
      this.#timer ??= setTimeout(() => void this.#update(), UPDATE_MS);
    };
    this.#subscriptions = vscode.Disposable.from(
      sessions.onDidAppend(later),
      sessions.onDidChange(later),
      waiting.onDidChange(later),
    );
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscriptions.dispose();
  }

  /** Never rejects: a session that cannot be read says so in the inspector. */
  async #update(): Promise<void> {
    this.#timer = undefined;
    const session = this.#sessions.runningSessions[0] ?? this.#sessions.selected;
    const fold = session === null ? null : await this.#sessions.fold(session).catch(() => null);
    const unseen = fold === null ? [] : this.#unseen(fold);
    const questions = this.#waiting.isWaiting() ? ["a question waits for your answer"] : [];
    const said = [...questions, ...unseen];
    this.#view.badge =
      said.length === 0
        ? undefined
        : { value: said.length, tooltip: `Cloakroom: ${[...new Set(said)].join("; ")}` };
  }

  #unseen({ head }: InspectorFold): string[] {
    if (head === null) return [];
    const seen = this.#seen.get(head.session) ?? -1;
    const newest = head.attention.at(-1)?.n ?? -1;
    if (this.#view.isVisible) this.#seen.set(head.session, newest);
    const proposals = head.totals.proposed > 0 && head.mode === "observe" && !head.running ? [PROPOSALS] : [];
    return [...head.attention.filter(({ n }) => n > seen).map(({ kind }) => WORDS[kind]), ...proposals];
  }
}

const PROPOSALS = "lower result limits are proposed, to be reviewed";
const WORDS = {
  refused: "a handle was refused",
  recovery: "a request did not fit",
  corrupt: "a stored result is damaged or gone",
  unread: "an answer came without reading a whole list",
  damaged: "the session's log was damaged",
} as const;
