/** What is read of sessions: of those on disk, and of other agents' that are looked at where they are. */
import {
  contentLookedAt,
  findLookedAt,
  foldLookedAt,
  type LookedAt,
  lineLookedAt,
  windowLookedAt,
} from "../inspector/lookedAt";
import { damageNotice, type InspectorFold, inspectorFold, settle } from "../inspector/project";
import type { Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { SessionHost, StoredWindow } from "./sessionHost";

/** What it reads on disk. */
export type SessionDisk = Pick<
  SessionHost,
  "read" | "events" | "eventsAbout" | "eventsWith" | "content" | "window" | "find" | "charOfLine"
>;

/** A session that does not run here. `changedAt`: of its log when it was read; null: it is looked at where it is. */
type Idle = { readonly fold: InspectorFold; readonly changedAt: number | null };

const KEPT = 8; // folds of sessions that do not run

export class SessionReads {
  readonly #host: SessionDisk;
  readonly #idle = new Map<string, Idle>();
  readonly #lookedAt = new Map<string, LookedAt>();

  constructor(host: SessionDisk) {
    this.#host = host;
  }

  /** Another agent's session, of which nothing can be changed; null: it is one of ours. */
  lookedAt(session: string): LookedAt | null {
    return this.#lookedAt.get(session) ?? null;
  }

  /** The newest first. */
  get allLookedAt(): readonly LookedAt[] {
    return [...this.#lookedAt.values()].reverse();
  }

  /** As long as this window lives. */
  lookAt(recorded: LookedAt): void {
    this.#lookedAt.set(recorded.session, recorded);
    this.#idle.delete(recorded.session);
  }

  /** It is another one now: it is read again. Null: all may be. */
  forget(session: string | null): void {
    if (session === null) this.#idle.clear();
    else this.#idle.delete(session);
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

  /** As it stands in the log, nobody running it. `changedAt`: as listed; what another window has added since is read again. */
  async fold(session: string, changedAt: number | null = null): Promise<InspectorFold | null> {
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
}
