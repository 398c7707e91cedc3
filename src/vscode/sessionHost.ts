/** What the house offers this room: sessions on disk to read, and runs. */
import type { SessionAct } from "../schema/act";
import type { Direction, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { ChatModel } from "../schema/model";
import type { LimitMode } from "../schema/policy";

/** `run` throws `Failure` where a session cannot start; every other end is a value. */
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
