/** Transcripts: one read-only document per session, growing while the session runs. */
import * as vscode from "vscode";
import { type ContentDocuments, titled } from "./contentDocuments";
import type { SessionController } from "./sessionController";

const UPDATE_MS = 100;
const FOLDER = "transcript";

export class Transcripts implements vscode.Disposable {
  readonly #sessions: SessionController;
  readonly #documents: ContentDocuments;
  readonly #open = new Map<string, vscode.Uri>();
  readonly #due = new Set<string>();
  readonly #subscription: vscode.Disposable;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sessions: SessionController, documents: ContentDocuments) {
    this.#sessions = sessions;
    this.#documents = documents;
    this.#subscription = sessions.onDidChange((session) => {
      if (session === null || !this.#open.has(session)) return;
      this.#due.add(session);
      this.#timer ??= setTimeout(() => void this.#update(), UPDATE_MS);
    });
  }

  async show(session: string): Promise<void> {
    const uri = titled(`${FOLDER}/${session}/Session Transcript.md`);
    this.#open.set(session, uri);
    this.#documents.put(uri, await this.#sessions.transcript(session));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false, preserveFocus: true });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#subscription.dispose();
  }

  /** Never rejects: a session that cannot be read any more keeps the text that is shown. */
  async #update(): Promise<void> {
    const due = [...this.#due];
    this.#due.clear();
    this.#timer = undefined;
    for (const session of due) {
      const uri = this.#open.get(session);
      const text = await this.#sessions.transcript(session).catch(() => null);
      if (uri && text !== null) this.#documents.put(uri, text);
    }
  }
}

/** The session whose transcript a document shows, null for another document. */
export function transcriptSession(uri: vscode.Uri): string | null {
  return /^\/transcript\/([0-9a-z-]+)\//.exec(uri.path)?.[1] ?? null;
}
