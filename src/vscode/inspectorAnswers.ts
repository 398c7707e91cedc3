/** What a page of the inspector asks for, answered from the folds, the log and the store. Nothing here changes anything. */
import { detailsOf, textOf } from "../inspector/details";
import { windowOf } from "../inspector/detailTexts";
import type { InspectorFold } from "../inspector/draft";
import { findRows } from "../inspector/find";
import { isAbout, keyOfEvent, needlesOf, placeOfKey, type RowPlace } from "../inspector/rowPlace";
import { rowsFrom, turnOnWire } from "../inspector/rows";
import { turnAt } from "../inspector/turnPages";
import type { Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import {
  type ContentWindow,
  type Details,
  type FromView,
  type TextWindow,
  type ToView,
  type ToViewOf,
  WINDOW_CHARS,
} from "../schema/inspector";
import type { InspectorReplays } from "./inspectorReplays";
import type { SessionController } from "./sessionController";
import type { SessionReads } from "./sessionReads";

export const ASKED = [
  "wantRows",
  "wantTurns",
  "wantDetails",
  "wantText",
  "find",
  "wantContent",
  "findInContent",
  "wantLine",
  "wantRequest",
  "wantMessage",
  "revealEvent",
  "whatIf",
] as const;
type Asked = Extract<FromView, { type: (typeof ASKED)[number] }>;
type AskedFor<Type extends Asked["type"]> = Extract<Asked, { type: Type }>;

/** What it reads of the sessions. */
export type ReadSessions = Pick<SessionController, "fold"> & {
  readonly reads: Pick<SessionReads, "eventsAbout" | "eventsWith" | "window" | "find" | "charOfLine">;
};

export class InspectorAnswers {
  readonly #sessions: ReadSessions;
  readonly #replays: InspectorReplays;
  readonly #problemOf: (cause: unknown) => string;

  constructor(sessions: ReadSessions, replays: InspectorReplays, problemOf: (cause: unknown) => string) {
    this.#sessions = sessions;
    this.#replays = replays;
    this.#problemOf = problemOf;
  }

  /** Null where there is nothing to answer: the session is gone, and the page (`asker`) is told so otherwise. */
  async answer(asked: Asked, asker: object): Promise<ToView | null> {
    const { session } = asked;
    if (asked.type === "wantContent") return this.#content(session, () => this.#shownAt(asked, asked.offset));
    if (asked.type === "wantLine") return this.#content(session, () => this.#line(asked));
    if (asked.type === "findInContent") return this.#content(session, () => this.#find(asked));
    if (asked.type === "wantRequest") return this.#request(asked);
    if (asked.type === "wantMessage")
      return this.#replays.message(session, asked.turn, asked.at, asked.offset);
    if (asked.type === "whatIf") return this.#replays.whatIf(asked, asker, this.#problemOf);
    const fold = await this.#sessions.fold(session);
    if (fold === null) return null;
    switch (asked.type) {
      case "wantRows":
        return { type: "rows", session, rows: rowsFrom(fold, asked.from, asked.count) };
      case "wantTurns":
        return { type: "turns", session, turns: turnsAt(fold, asked.places) };
      case "wantDetails":
        return { type: "details", session, details: await this.#details(fold, session, asked.key) };
      case "wantText":
        return this.#text(fold, asked);
      case "revealEvent": {
        const [event] = (await this.#sessions.reads.eventsAbout(session, [`"n":${asked.n},`])).filter(
          ({ n }) => n === asked.n,
        );
        return event ? { type: "reveal", session, key: keyOfEvent(fold, event) } : null;
      }
      case "find": {
        const text = asked.what.text.trim();
        const events = text === "" ? [] : await this.#sessions.reads.eventsWith(session, text);
        return { type: "found", session, query: asked.query, found: findRows(fold, asked.what, events) };
      }
    }
  }

  async #details(fold: InspectorFold, session: string, key: string): Promise<Details> {
    const place = placeOfKey(fold, key);
    const nothing: Details = {
      ...{ key, returned: null, shown: null, now: null, texts: [], why: null, events: [] },
      problem: "There is no such row in the log.",
    };
    if (place === null) return nothing;
    try {
      const { details, returned } = detailsOf(key, place, await this.#eventsAbout(session, place));
      return returned === null ? details : await this.#withReturned(session, details, returned);
    } catch (cause) {
      return { ...nothing, problem: this.#problemOf(cause) };
    }
  }

  async #eventsAbout(session: string, place: RowPlace): Promise<readonly Logged[]> {
    const read = await this.#sessions.reads.eventsAbout(session, needlesOf(place));
    return read.filter((event) => isAbout(place, event));
  }

  async #withReturned(session: string, details: Details, handle: Handle): Promise<Details> {
    try {
      return { ...details, returned: await this.#stored(session, handle, 0) };
    } catch (cause) {
      return { ...details, problem: this.#problemOf(cause) };
    }
  }

  async #stored(session: string, handle: Handle, offset: number): Promise<TextWindow> {
    const { text, totalChars, ...found } = await this.#sessions.reads.window(
      session,
      handle,
      offset,
      WINDOW_CHARS,
    );
    const end = found.offset + [...text].length;
    return { text, offset: found.offset, totalChars, next: end < totalChars ? end : null };
  }

  async #text(
    fold: InspectorFold,
    { session, key, part, offset }: AskedFor<"wantText">,
  ): Promise<ToView | null> {
    const place = placeOfKey(fold, key);
    if (place === null) return null;
    const whole = textOf(place, await this.#eventsAbout(session, place), part);
    if (whole === null) return null;
    const text =
      typeof whole === "string"
        ? windowOf(whole, Math.min(offset, whole.length))
        : await this.#stored(session, whole.handle, offset);
    return { type: "text", session, key, part, text };
  }

  async #request({ session, turn, from }: AskedFor<"wantRequest">): Promise<ToView> {
    try {
      const request = await this.#replays.request(session, turn, from);
      const problem = request === null ? "No request left in this turn." : null;
      return { type: "request", session, request, problem };
    } catch (cause) {
      return { type: "request", session, request: null, problem: this.#problemOf(cause) };
    }
  }

  async #content(session: string, read: () => Promise<ReadContent>): Promise<ToView> {
    try {
      return { type: "content", session, ...(await read()), problem: null };
    } catch (cause) {
      const nothing = { window: null, match: null, search: null };
      return { type: "content", session, ...nothing, problem: this.#problemOf(cause) };
    }
  }

  async #shownAt({ session, handle }: OfContent, offset: number): Promise<ReadContent> {
    return { window: await this.#window(session, handle, offset), match: null, search: null };
  }

  async #line(asked: AskedFor<"wantLine">): Promise<ReadContent> {
    return this.#shownAt(
      asked,
      await this.#sessions.reads.charOfLine(asked.session, asked.handle, asked.line),
    );
  }

  async #window(session: string, handle: Handle, offset: number): Promise<ContentWindow> {
    const found = await this.#sessions.reads.window(session, handle, offset, WINDOW_CHARS);
    const { tool, text, totalChars, bytes, line, lines } = found;
    const sizes = { totalChars, totalBytes: bytes, totalLines: lines };
    return { handle, tool, text, offset: found.offset, line, ...sizes };
  }

  /** Around what was found; from the other end where nothing is to that side. */
  async #find(asked: AskedFor<"findInContent">): Promise<ReadContent> {
    const { session, handle, text, direction, offset, shown } = asked;
    const from = (place: number) => this.#sessions.reads.find(session, handle, text, place, direction);
    const found = await from(offset);
    const otherEnd = direction === "next" ? 0 : Number.MAX_SAFE_INTEGER;
    const match = found ?? (offset === otherEnd ? null : await from(otherEnd));
    if (match === null) return { ...(await this.#shownAt(asked, shown)), search: "nothing" };
    const start = Math.max(0, match.offset - Math.floor(WINDOW_CHARS / 4));
    const window = await this.#window(session, handle, start);
    return { window, match, search: found === null ? "wrapped" : "found" };
  }
}

type OfContent = { readonly session: string; readonly handle: Handle };
type ReadContent = Pick<ToViewOf<"content">, "window" | "match" | "search">;

const turnsAt = (fold: InspectorFold, places: readonly number[]) =>
  [...new Set(places)].flatMap((at) => {
    const turn = turnAt(fold.turns, at);
    return turn ? [{ at, turn: turnOnWire(turn) }] : [];
  });
