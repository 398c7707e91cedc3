/** Transcripts: one read-only document per session, growing while the session runs. */
import * as vscode from "vscode";
import { Handle } from "../schema/claim";
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
  #showing: Promise<unknown> = Promise.resolve();

  constructor(sessions: SessionController, documents: ContentDocuments) {
    this.#sessions = sessions;
    this.#documents = documents;
    const later = (session: string | null) => {
      if (session === null || !this.#open.has(session)) return;
      this.#due.add(session);
      this.#timer ??= setTimeout(() => void this.#update(), UPDATE_MS);
    };
    this.#subscription = vscode.Disposable.from(
      sessions.onDidChange(later),
      sessions.onDidAppend(({ session }) => later(session)),
      sessions.onDidSpeak(later),
    );
  }

  /** Resolves when what was asked to be shown is on screen, or failed to be: what comes next is not covered by it. */
  get settled(): Promise<unknown> {
    return this.#showing;
  }

  show(session: string): Promise<void> {
    const shown = this.#show(session);
    this.#showing = shown.catch(() => undefined); // the caller has the error
    return shown;
  }

  async #show(session: string): Promise<void> {
    const title = (await this.#sessions.fold(session))?.head?.title ?? "Session Transcript";
    const uri = titled(`${FOLDER}/${session}/${asName(title)}.md`);
    this.#open.set(session, uri);
    this.#documents.put(uri, await this.#sessions.transcript(session));
    await vscode.window.showTextDocument(await this.#documents.open(uri), {
      preview: false,
      preserveFocus: true,
    });
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

/** The address of a stored result; its tab is named after the tool and the beginning of the handle. */
export const storedResult = (session: string, handle: Handle, tool: string): vscode.Uri =>
  titled(`stored/${session}/${handle}/${asName(tool)} ${handle.slice("claim:".length).slice(0, 8)}.txt`);

/** The tab is named after the session: several may be open. */
const asName = (title: string): string => title.replace(/[\\/\s]+/g, " ").trim() || "Session Transcript";

/** What a document of ours showed before the window was reloaded, read again: a transcript or a stored result. */
export async function textBehind(uri: vscode.Uri, sessions: SessionController): Promise<string> {
  const transcript = /^\/transcript\/([0-9a-z-]+)\//.exec(uri.path);
  if (transcript?.[1]) return sessions.transcript(transcript[1]);
  const stored = /^\/stored\/([0-9a-z-]+)\/([^/]+)\//.exec(uri.path);
  const handle = Handle.safeParse(stored?.[2]);
  if (stored?.[1] && handle.success) return sessions.reads.content(stored[1], handle.data);
  throw vscode.FileSystemError.FileNotFound(uri);
}
