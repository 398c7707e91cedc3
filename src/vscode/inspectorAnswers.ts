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
  WINDOW_CHARS,
} from "../schema/inspector";
import type { InspectorReplays } from "./inspectorReplays";
import type { SessionController } from "./sessionController";

export const ASKED = [
  "wantRows",
  "wantTurns",
  "wantDetails",
  "wantText",
  "find",
  "wantContent",
  "findInContent",
  "wantRequest",
  "wantMessage",
  "revealEvent",
  "whatIf",
] as const;
type Asked = Extract<FromView, { type: (typeof ASKED)[number] }>;
type AskedFor<Type extends Asked["type"]> = Extract<Asked, { type: Type }>;

/** What it reads of the sessions. */
export type ReadSessions = Pick<SessionController, "fold" | "eventsAbout" | "eventsWith" | "window" | "find">;

export class InspectorAnswers {
  readonly #sessions: ReadSessions;
  readonly #replays: InspectorReplays;
  readonly #problemOf: (cause: unknown) => string;

  constructor(sessions: ReadSessions, replays: InspectorReplays, problemOf: (cause: unknown) => string) {
    this.#sessions = sessions;
    this.#replays = replays;
    this.#problemOf = problemOf;
  }

  /** Null where there is nothing to answer: the session is gone, and the page is told so otherwise. */
  async answer(asked: Asked): Promise<ToView | null> {
    const { session } = asked;
    if (asked.type === "wantContent") return this.#content(asked);
    if (asked.type === "findInContent") return this.#find(asked);
    if (asked.type === "wantRequest") return this.#request(asked);
    if (asked.type === "wantMessage")
      return this.#replays.message(session, asked.turn, asked.at, asked.offset);
    if (asked.type === "whatIf")
      return this.#replays.whatIf(session, asked.query, asked.knobs, this.#problemOf);
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
        const [event] = (await this.#sessions.eventsAbout(session, [`"n":${asked.n},`])).filter(
          ({ n }) => n === asked.n,
        );
        return event ? { type: "reveal", session, key: keyOfEvent(fold, event) } : null;
      }
      case "find": {
        const text = asked.what.text.trim();
        const events = text === "" ? [] : await this.#sessions.eventsWith(session, text);
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
    const read = await this.#sessions.eventsAbout(session, needlesOf(place));
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
    const { text, totalChars, ...found } = await this.#sessions.window(session, handle, offset, WINDOW_CHARS);
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

  async #content({ session, handle, offset }: AskedFor<"wantContent">): Promise<ToView> {
    try {
      const window = await this.#window(session, handle, offset);
      return { type: "content", session, window, match: null, problem: null };
    } catch (cause) {
      return { type: "content", session, window: null, match: null, problem: this.#problemOf(cause) };
    }
  }

  async #window(session: string, handle: Handle, offset: number): Promise<ContentWindow> {
    const found = await this.#sessions.window(session, handle, offset, WINDOW_CHARS);
    const { tool, text, totalChars, bytes } = found;
    return { handle, tool, text, offset: found.offset, totalChars, totalBytes: bytes, line: null };
  }

  /** Around what was found; from the beginning again where nothing follows. */
  async #find({ session, handle, text, offset }: AskedFor<"findInContent">): Promise<ToView> {
    try {
      const found = await this.#sessions.find(session, handle, text, offset);
      const match = found ?? (offset > 0 ? await this.#sessions.find(session, handle, text, 0) : null);
      if (match === null) {
        const window = await this.#window(session, handle, offset);
        return { type: "content", session, window, match, problem: "Not found." };
      }
      const from = Math.max(0, match.offset - Math.floor(WINDOW_CHARS / 4));
      const window = await this.#window(session, handle, from);
      return { type: "content", session, window, match, problem: null };
    } catch (cause) {
      return { type: "content", session, window: null, match: null, problem: this.#problemOf(cause) };
    }
  }
}

const turnsAt = (fold: InspectorFold, places: readonly number[]) =>
  [...new Set(places)].flatMap((at) => {
    const turn = turnAt(fold.turns, at);
    return turn ? [{ at, turn: turnOnWire(turn) }] : [];
  });
