/** The sessions of this window: running ones with their folds, and the ones on disk. Views listen here. */
import * as vscode from "vscode";
import {
  type InspectorFold,
  inspectorFold,
  projectSession,
  settled,
  withProblem,
} from "../inspector/project";
import { transcriptOf } from "../inspector/transcript";
import type { SessionAct } from "../schema/act";
import type { Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { ChatModel } from "../schema/model";
import type { LimitMode } from "../schema/policy";
import type { InspectorState, SessionRow, SessionView } from "../schema/view";
import { lastLine } from "./plainText";

/** What the house offers this room. `run` throws `Failure` where a session cannot start; every other end is a value. */
export type SessionHost = {
  /** Throws what would keep a run from starting: it is said before anybody types a task. */
  check(start: { readonly isNew: boolean }): Promise<void>;
  list(): Promise<
    readonly {
      readonly session: string;
      readonly title: string;
      readonly startedAt: number;
      readonly changedAt: number;
    }[]
  >;
  /** `before`: what `watched` once said of the events before; undefined where these are all. */
  read(session: string): Promise<{
    readonly before: unknown;
    readonly events: readonly Logged[];
    readonly problem: string | null; // where its log is damaged
  }>;
  content(session: string, handle: Handle): Promise<string>;
  /** Whether going on with a session goes on with itself, or with a copy that leaves it as it is. */
  opensAs(session: string): Promise<"itself" | "copy" | "sealed copy">;
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
  /**
   * Done when this resolves: at once, or before the next request where the session runs here. Throws `Failure` where it is
   * refused (`act-refused`, `session-read-only`) or the session runs elsewhere (`session-in-use`).
   */
  act(session: string, act: SessionAct): Promise<void>;
};
export type RunRequest = {
  readonly session: string | null; // null starts a new one
  readonly question: string;
  readonly mode?: LimitMode; // of result limits, in place of the setting
  readonly model: ChatModel;
  readonly watch: (session: string, events: readonly Logged[], before?: unknown) => void;
  readonly watched: () => unknown;
  readonly replyText: (turn: number, text: string) => void;
  readonly toolProgress: (text: string) => void;
};
export type RunResult = {
  readonly session: string;
  readonly end: { readonly end: string; readonly message: string };
};

/** What a run is asked for. `onStarted` gets the session's name as soon as it has one. */
export type Start = Pick<RunRequest, "session" | "question" | "model" | "mode"> & {
  readonly onStarted: (session: string) => void;
  readonly onProgress: (text: string) => void;
};

type Running = {
  readonly stop: AbortController;
  fold: InspectorFold;
  live: { turn: number; text: string } | null;
};

export class SessionController implements vscode.Disposable {
  readonly #host: SessionHost;
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<AbortController>();
  readonly #ending = new Set<Promise<unknown>>(); // every run, until its log is closed
  readonly #changed = new vscode.EventEmitter<string | null>();
  /** Fires with the session that changed, null for the list. */
  readonly onDidChange = this.#changed.event;
  readonly #spoken = new vscode.EventEmitter<string>();
  /** Fires with the session whose model has said more: text that is not in the log yet. */
  readonly onDidSpeak = this.#spoken.event;
  #selected: string | null = null;
  #views = new Map<string, { view: SessionView; changedAt: number | null }>(); // of sessions that do not run here

  constructor(host: SessionHost) {
    this.#host = host;
  }

  /** Also true while a session is starting and has no name yet. */
  get isRunning(): boolean {
    return this.#running.size + this.#starting.size > 0;
  }

  get runningSessions(): readonly string[] {
    return [...this.#running.keys()];
  }

  get selected(): string | null {
    return this.#selected;
  }

  select(session: string): void {
    this.#selected = session;
    this.#changed.fire(session);
  }

  /** Runs a session to its end. */
  run(request: Start, stop: AbortController): Promise<RunResult> {
    const running = this.#run(request, stop);
    this.#ending.add(running);
    const forget = () => void this.#ending.delete(running);
    running.then(forget, forget);
    return running;
  }

  async #run({ session, question, model, mode, onStarted, onProgress }: Start, stop: AbortController) {
    let running: Running | undefined;
    let name = session;
    this.#starting.add(stop);
    this.#changed.fire(null);
    try {
      return await this.#host.run(
        {
          session,
          question,
          model,
          ...(mode && { mode }),
          watched: () => running?.fold,
          watch: (id, events, before) => {
            const isFirst = !running;
            running ??= {
              stop,
              fold: (before as InspectorFold | undefined) ?? inspectorFold.begin(),
              live: null,
            };
            if (isFirst) {
              name = id;
              this.#running.set(id, running);
              this.#starting.delete(stop);
              this.#selected = id;
            }
            for (const event of events) running.fold = inspectorFold.reduce(running.fold, event);
            if (events.some(({ type }) => type === "replied")) running.live = null;
            const last = events.at(-1);
            const progress = last ? progressOf(last, running.fold.view) : null;
            if (progress !== null) onProgress(progress);
            if (isFirst) onStarted(id);
            this.#changed.fire(id);
          },
          replyText: (turn, text) => {
            if (!running || name === null) return;
            running.live = { turn, text };
            this.#spoken.fire(name);
          },
          toolProgress: (text) => {
            const line = lastLine(text);
            if (line !== "") onProgress(line);
          },
        },
        stop.signal,
      );
    } finally {
      this.#starting.delete(stop);
      // One that did not start, because the session runs already, leaves the running one alone.
      if (name !== null && (!running || this.#running.get(name) === running)) {
        if (running) this.#running.delete(name);
        this.#views.delete(name);
      }
      this.#changed.fire(name);
    }
  }

  /** Sessions came or went on disk. `session`: one to look at now. */
  reload(session: string | null): void {
    this.#views.clear();
    if (session !== null) this.#selected = session;
    this.#changed.fire(session);
    if (session !== null) this.#changed.fire(null);
  }

  stop(session: string): void {
    this.#running.get(session)?.stop.abort();
  }

  stopAll(): void {
    for (const { stop } of this.#running.values()) stop.abort();
    for (const stop of this.#starting) stop.abort();
  }

  /** Stops every run and waits until its log is closed. */
  async close(): Promise<void> {
    this.stopAll();
    await Promise.allSettled(this.#ending);
  }

  check(start: { readonly isNew: boolean }): Promise<void> {
    return this.#host.check(start);
  }

  list(): ReturnType<SessionHost["list"]> {
    return this.#host.list();
  }

  opensAs(session: string): ReturnType<SessionHost["opensAs"]> {
    return this.#host.opensAs(session);
  }

  /** Pins, shortens or deletes a result. Throws as the host does. */
  async act(session: string, act: SessionAct): Promise<void> {
    await this.#host.act(session, act);
    this.#views.delete(session);
    this.#changed.fire(session);
  }

  /** The text behind a handle of that session, verified. */
  content(session: string, handle: Handle): Promise<string> {
    return this.#host.content(session, handle);
  }

  /** `changedAt`: as listed; what another window has added since is read again. */
  async view(session: string, changedAt: number | null = null): Promise<SessionView | null> {
    const running = this.#running.get(session);
    if (running) return running.fold.view;
    const known = this.#views.get(session);
    if (known && (changedAt === null || known.changedAt === changedAt)) return known.view;
    const { before, events, problem } = await this.#host.read(session);
    const read = projectSession(events, before as InspectorFold | undefined);
    if (!read) return null;
    const view = withProblem(settled(read), problem);
    this.#views.set(session, { view, changedAt });
    return view;
  }

  async transcript(session: string): Promise<string> {
    const view = await this.view(session);
    return view ? transcriptOf(view, this.#running.get(session)?.live ?? null) : "";
  }

  /** What the inspector shows. Without a choice of the person's, the newest session. */
  async state(): Promise<InspectorState> {
    const listed = await this.#host.list();
    const sessions: SessionRow[] = listed.map(({ session, title, startedAt }) => ({
      session,
      title,
      startedAt,
      running: this.#running.has(session),
    }));
    const wanted = sessions.find(({ session }) => session === this.#selected) ?? sessions[0];
    if (!wanted) return { sessions, selected: null, problem: null };
    const changedAt = listed.find(({ session }) => session === wanted.session)?.changedAt ?? null;
    try {
      return { sessions, selected: await this.view(wanted.session, changedAt), problem: null };
    } catch (cause) {
      return { sessions, selected: null, problem: cause instanceof Error ? cause.message : String(cause) }; // another can be picked
    }
  }

  dispose(): void {
    this.stopAll();
    this.#changed.dispose();
    this.#spoken.dispose();
  }
}

/** One line for the progress notification; null leaves what is there. */
function progressOf(event: Logged, view: SessionView | null): string | null {
  switch (event.type) {
    case "requested":
      return `Turn ${event.turn}: waiting for the model…`;
    case "clamped":
      return `Waiting to run ${event.tool}…`;
    case "authorised": {
      const calls = view?.turns.at(-1)?.calls ?? [];
      const tool = calls.find(({ call }) => call === event.call)?.tool ?? "a tool";
      return event.granted ? `Running ${tool}…` : null;
    }
    case "tool_result_stored":
      return event.mediaType === undefined
        ? `Stored a result of ${event.chars.toLocaleString()} characters`
        : `Stored a result of ${event.bytes.toLocaleString()} bytes`;
    default:
      return null;
  }
}
