/** The sessions of this window: which run, with their folds, and which is selected. Views listen here. */
import * as vscode from "vscode";
import type { Touched } from "../inspector/draft";
import { untouched } from "../inspector/draft";
import type { LookedAt } from "../inspector/lookedAt";
import { type InspectorFold, inspectorFold, viewOf } from "../inspector/project";
import { transcriptOf } from "../inspector/transcript";
import { freezeTurns, turnAt } from "../inspector/turnPages";
import type { SessionAct } from "../schema/act";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import type { SessionRow } from "../schema/inspector";
import type { SessionView } from "../schema/view";
import { lastLine } from "./plainText";
import type { RunRequest, RunResult, SessionHost } from "./sessionHost";
import { SessionReads } from "./sessionReads";

/** What a run is asked for. `onStarted` gets the session's name as soon as it has one; `onAsked`: the question is in its log. */
export type Start = Pick<RunRequest, "session" | "question" | "model" | "mode"> & {
  readonly onStarted: (session: string) => void;
  readonly onAsked: () => void;
  readonly onProgress: (text: string) => void;
};

type Running = {
  readonly stop: AbortController;
  fold: InspectorFold;
  live: { turn: number; text: string } | null;
};

/** What an event changed in a session that runs here. */
export type Appended = { readonly session: string; readonly fold: InspectorFold; readonly touched: Touched };

export class SessionController implements vscode.Disposable {
  readonly #host: SessionHost;
  readonly #running = new Map<string, Running>();
  readonly #starting = new Set<AbortController>();
  readonly #ending = new Set<Promise<unknown>>(); // every run, until its log is closed
  readonly #changed = new vscode.EventEmitter<string | null>();
  /** Fires with the session that is another one now than its last increments told, null for the list. */
  readonly onDidChange = this.#changed.event;
  readonly #appended = new vscode.EventEmitter<Appended>();
  readonly onDidAppend = this.#appended.event;
  readonly #spoken = new vscode.EventEmitter<string>();
  /** Fires with the session whose model has said more: text that is not in the log yet. */
  readonly onDidSpeak = this.#spoken.event;
  #selected: string | null = null;
  /** Sessions as they stand in their logs. */
  readonly reads: SessionReads;

  constructor(host: SessionHost) {
    this.#host = host;
    this.reads = new SessionReads(host);
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

  async #run(
    { session, question, model, mode, onStarted, onAsked, onProgress }: Start,
    stop: AbortController,
  ) {
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
          watched: () => running && forSnapshot(running.fold),
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
            this.#append(id, running, events, isFirst);
            const last = events.at(-1);
            const progress = last ? progressOf(last, running.fold) : null;
            if (progress !== null) onProgress(progress);
            if (isFirst) onStarted(id);
            else if (events.some(({ type }) => type === "asked")) onAsked();
            if (isFirst) this.#changed.fire(id);
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
        this.reads.forget(name);
      }
      this.#changed.fire(name);
    }
  }

  #append(session: string, running: Running, events: readonly Logged[], isFirst: boolean): void {
    for (const event of events) {
      running.fold = inspectorFold.reduce(running.fold, event);
      const { fold } = running;
      if (!isFirst) this.#appended.fire({ session, fold, touched: fold.touched });
    }
    if (events.some(({ type }) => type === "replied")) running.live = null;
  }

  /** Sessions came or went on disk. `session`: one to look at now. */
  reload(session: string | null): void {
    this.reads.forget(null);
    if (session !== null) this.#selected = session;
    this.#changed.fire(session);
    if (session !== null) this.#changed.fire(null);
  }

  /** Shows another agent's session as long as this window lives. */
  lookAt(recorded: LookedAt): void {
    this.reads.lookAt(recorded);
    this.#selected = recorded.session;
    this.#changed.fire(null);
    this.#changed.fire(recorded.session);
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
    if (this.reads.lookedAt(session) !== null)
      throw new Failure(
        "session-read-only",
        "Another agent's session is only looked at: nothing in it can be changed.",
      );
    await this.#host.act(session, act);
    if (this.#running.has(session)) return; // its events are told as they come
    this.reads.forget(session);
    this.#changed.fire(session);
  }

  /** `changedAt`: as listed; what another window has added since is read again. */
  async fold(session: string, changedAt: number | null = null): Promise<InspectorFold | null> {
    return this.#running.get(session)?.fold ?? this.reads.fold(session, changedAt);
  }

  async view(session: string): Promise<SessionView | null> {
    const fold = await this.fold(session);
    return fold && viewOf(fold);
  }

  async transcript(session: string): Promise<string> {
    const view = await this.view(session);
    return view ? transcriptOf(view, this.#running.get(session)?.live ?? null) : "";
  }

  /** What there is to look at, newest first. */
  async rows(): Promise<readonly (SessionRow & { readonly changedAt: number | null })[]> {
    const looked = this.reads.allLookedAt.map(({ session, events }) => {
      const [started] = events;
      const title = started?.type === "session_started" ? started.title : "";
      return {
        ...{ session, title, startedAt: started?.at ?? 0, running: false, changedAt: null },
        kind: "analysed" as const,
      };
    });
    const listed = await this.#host.list();
    const stored = listed.map(({ session, title, startedAt, changedAt }) => ({
      ...{ session, title, startedAt, changedAt },
      running: this.#running.has(session),
      kind: "own" as const,
    }));
    return [...looked, ...stored];
  }

  dispose(): void {
    this.stopAll();
    this.#changed.dispose();
    this.#appended.dispose();
    this.#spoken.dispose();
  }
}

/** What a snapshot keeps: turns that were not looked at cost nothing to read again. */
function forSnapshot(fold: InspectorFold): InspectorFold {
  freezeTurns(fold.turns);
  return { ...fold, touched: untouched() };
}

/** One line for the progress notification; null leaves what is there. */
function progressOf(event: Logged, { turns }: InspectorFold): string | null {
  switch (event.type) {
    case "requested":
      return `Turn ${event.turn}: waiting for the model…`;
    case "clamped":
      return `Waiting to run ${event.tool}…`;
    case "authorised": {
      const calls = turnAt(turns, turns.numbers.length - 1)?.calls ?? [];
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
