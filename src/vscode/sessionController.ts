/** The sessions of this window: running ones with their folds, and the ones on disk. Views listen here. */
import * as vscode from "vscode";
import type { Touched } from "../inspector/draft";
import { untouched } from "../inspector/draft";
import {
  contentLookedAt,
  findLookedAt,
  foldLookedAt,
  type LookedAt,
  lineLookedAt,
  windowLookedAt,
} from "../inspector/lookedAt";
import { damageNotice, type InspectorFold, inspectorFold, settle, viewOf } from "../inspector/project";
import { transcriptOf } from "../inspector/transcript";
import { freezeTurns, turnAt } from "../inspector/turnPages";
import type { SessionAct } from "../schema/act";
import type { Direction, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import type { SessionRow } from "../schema/inspector";
import type { ChatModel } from "../schema/model";
import type { LimitMode } from "../schema/policy";
import type { SessionView } from "../schema/view";
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
  /** All events of a session; those whose log line has one of `needles` in it, unproven. */
  events(session: string): Promise<readonly Logged[]>;
  eventsAbout(session: string, needles: readonly string[]): Promise<readonly Logged[]>;
  eventsWith(session: string, text: string): Promise<readonly Logged[]>;
  content(session: string, handle: Handle): Promise<string>;
  /** A window of a stored content; offsets in code points, `bytes` of all of it. */
  window(session: string, handle: Handle, offset: number, maximumChars: number): Promise<StoredWindow>;
  /** Next: at or after `from`; previous: the last that ends at or before it. */
  find(
    session: string,
    handle: Handle,
    text: string,
    from: number,
    direction: Direction,
  ): Promise<{ readonly offset: number; readonly chars: number } | null>;
  /** Where a line starts, from 1; the last where there are fewer. */
  charOfLine(session: string, handle: Handle, line: number): Promise<number>;
  /** Whether going on with a session goes on with itself, or with a copy that leaves it as it is. */
  opensAs(session: string): Promise<"itself" | "copy" | "sealed copy">;
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
  /**
   * Done when this resolves: at once, or before the next request where the session runs here. Throws `Failure` where it is
   * refused (`act-refused`, `session-read-only`) or the session runs elsewhere (`session-in-use`).
   */
  act(session: string, act: SessionAct): Promise<void>;
};
export type StoredWindow = {
  readonly tool: string;
  readonly text: string;
  readonly offset: number;
  readonly totalChars: number;
  readonly bytes: number;
  readonly line: number; // of the first character, from 1
  readonly lines: number;
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

/** A session that does not run here. `changedAt`: of its log when it was read; null: it is looked at where it is. */
type Idle = { readonly fold: InspectorFold; readonly changedAt: number | null };

/** What an event changed in a session that runs here. */
export type Appended = { readonly session: string; readonly fold: InspectorFold; readonly touched: Touched };

const KEPT = 8; // folds of sessions that do not run

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
  readonly #idle = new Map<string, Idle>();
  readonly #lookedAt = new Map<string, LookedAt>();

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
        this.#idle.delete(name);
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
    this.#idle.clear();
    if (session !== null) this.#selected = session;
    this.#changed.fire(session);
    if (session !== null) this.#changed.fire(null);
  }

  /** Shows another agent's session as long as this window lives. */
  lookAt(recorded: LookedAt): void {
    this.#lookedAt.set(recorded.session, recorded);
    this.#idle.delete(recorded.session);
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

  /** Another agent's session, of which nothing can be changed. */
  lookedAt(session: string): LookedAt | null {
    return this.#lookedAt.get(session) ?? null;
  }

  /** Pins, shortens or deletes a result. Throws as the host does. */
  async act(session: string, act: SessionAct): Promise<void> {
    if (this.#lookedAt.has(session))
      throw new Failure(
        "session-read-only",
        "Another agent's session is only looked at: nothing in it can be changed.",
      );
    await this.#host.act(session, act);
    if (this.#running.has(session)) return; // its events are told as they come
    this.#idle.delete(session);
    this.#changed.fire(session);
  }

  /** The text behind a handle of that session, verified. */
  async content(session: string, handle: Handle): Promise<string> {
    const recorded = this.#lookedAt.get(session);
    return recorded ? contentLookedAt(recorded, handle) : this.#host.content(session, handle);
  }

  async window(session: string, handle: Handle, offset: number, chars: number): Promise<StoredWindow> {
    const recorded = this.#lookedAt.get(session);
    return recorded
      ? windowLookedAt(recorded, handle, offset, chars)
      : this.#host.window(session, handle, offset, chars);
  }

  async find(...[session, ...what]: Parameters<SessionHost["find"]>): ReturnType<SessionHost["find"]> {
    const recorded = this.#lookedAt.get(session);
    return recorded ? findLookedAt(recorded, ...what) : this.#host.find(session, ...what);
  }

  async charOfLine(session: string, handle: Handle, line: number): Promise<number> {
    const recorded = this.#lookedAt.get(session);
    return recorded ? lineLookedAt(recorded, handle, line) : this.#host.charOfLine(session, handle, line);
  }

  async events(session: string): Promise<readonly Logged[]> {
    return this.#lookedAt.get(session)?.events ?? this.#host.events(session);
  }

  /** Events whose line in the log has one of `needles` in it; perhaps others. */
  async eventsAbout(session: string, needles: readonly string[]): Promise<readonly Logged[]> {
    return this.#lookedAt.get(session)?.events ?? this.#host.eventsAbout(session, needles);
  }

  /** Events that have a text in one of their strings, in any case; perhaps others. */
  async eventsWith(session: string, text: string): Promise<readonly Logged[]> {
    return this.#lookedAt.get(session)?.events ?? this.#host.eventsWith(session, text);
  }

  /** `changedAt`: as listed; what another window has added since is read again. */
  async fold(session: string, changedAt: number | null = null): Promise<InspectorFold | null> {
    const running = this.#running.get(session);
    if (running) return running.fold;
    const known = this.#idle.get(session);
    if (known && (changedAt === null || known.changedAt === changedAt)) return known.fold;
    const fold = await this.#read(session);
    if (fold.head === null) return null;
    this.#idle.delete(session);
    this.#idle.set(session, { fold, changedAt });
    const [oldest] = this.#idle.keys();
    if (this.#idle.size > KEPT && oldest !== undefined) this.#idle.delete(oldest);
    return fold;
  }

  async #read(session: string): Promise<InspectorFold> {
    const recorded = this.#lookedAt.get(session);
    if (recorded) return foldLookedAt(recorded);
    const { before, events, problem } = await this.#host.read(session);
    const begun = (before as InspectorFold | undefined) ?? inspectorFold.begin();
    const fold = settle(events.reduce(inspectorFold.reduce, begun));
    const notice = damageNotice(problem);
    if (notice !== null && fold.head) {
      fold.head.notices.push(notice);
      fold.head.attention.push({ n: 0, kind: "damaged", key: session });
    }
    return fold;
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
    const looked = [...this.#lookedAt.values()].reverse().map(({ session, events }) => {
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
