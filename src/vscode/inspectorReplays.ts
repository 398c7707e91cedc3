/** What was sent at a turn, and what would have been under other settings: replayed from the log, when a page asks. */
import { windowOf } from "../inspector/detailTexts";
import { RequestReader } from "../inspector/requestView";
import { knobsIn } from "../inspector/whatIf/knobs";
import { seriesOnWire } from "../inspector/whatIf/onWire";
import { type PreparedWhatIf, prepareWhatIf } from "../inspector/whatIf/series";
import type { RecordedSession } from "../inspector/whatIf/wholes";
import type { Hash } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { ToViewOf } from "../schema/inspector";
import type { RequestView } from "../schema/requestView";
import { DEFAULT_SETTINGS } from "../schema/settings";
import type { TokenCounter } from "../schema/tokens";
import type { WhatIfKnobs } from "../schema/whatIf";

export type ReplayPorts = {
  /** All events of a session; whoever asks again has them as they are then. */
  readonly events: (session: string) => Promise<readonly Logged[]>;
  /** The same with its stored contents. Throws where they are more than can be held. */
  readonly recorded: (session: string) => Promise<RecordedSession>;
  readonly tokens: () => Promise<TokenCounter>;
  readonly hash: Hash;
};

export type WhatIfQuestion = {
  readonly session: string;
  readonly query: number;
  readonly knobs: WhatIfKnobs | null; // null: as the session was configured
};

const ITEMS = 200;

/** The last session that was asked about is kept, until it changes. */
export class InspectorReplays {
  readonly #ports: ReplayPorts;
  #reader: { readonly session: string; readonly reader: Promise<RequestReader> } | null = null;
  #prepared: { readonly session: string; readonly prepared: Promise<PreparedWhatIf> } | null = null;
  readonly #newest = new WeakMap<object, object>(); // what if, by who asks: an older question of theirs stops

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  /** The session has other events now. */
  changed(session: string | null): void {
    if (session === null || this.#reader?.session === session) this.#reader = null;
    if (session === null || this.#prepared?.session === session) this.#prepared = null;
  }

  async request(session: string, turn: number, from: number): Promise<RequestView | null> {
    const reader = await this.#readerOf(session);
    const sent = reader.at(turn);
    if (!sent) return null;
    const items = reader.page(turn, from - 2, ITEMS) ?? [];
    return {
      turn,
      n: sent.n,
      model: sent.model,
      total: sent.messages + 2, // the system prompt and the tools
      from,
      items: [...items],
      removed: sent.removed,
      divergence: sent.divergence,
      prefix: sent.prefix,
      cachedTokens: sent.cachedTokens,
      isExact: reader.exact(turn, this.#ports.hash),
    };
  }

  async message(
    session: string,
    turn: number,
    at: number,
    offset: number,
  ): Promise<ToViewOf<"message"> | null> {
    const text = (await this.#readerOf(session)).text(turn, at);
    return text === null
      ? null
      : { type: "message", session, turn, at, text: windowOf(text, Math.min(offset, text.length)) };
  }

  /** Null where a newer question of the same `asker` took its place. */
  async whatIf(
    asked: WhatIfQuestion,
    asker: object,
    problemOf: (cause: unknown) => string,
  ): Promise<ToViewOf<"whatIf"> | null> {
    const { session, query, knobs } = asked;
    this.#newest.set(asker, asked);
    try {
      const prepared = await this.#preparedOf(session);
      const chosen = knobs ?? prepared.knobs;
      const answer = { type: "whatIf", session, query, knobs: chosen, defaults: prepared.knobs } as const;
      const shouldStop = () => this.#newest.get(asker) !== asked;
      const run = await prepared.series(chosen, { shouldStop, pause: () => new Promise(setImmediate) });
      return run && { ...answer, series: seriesOnWire(run), problem: null };
    } catch (cause) {
      const given = knobs ?? knobsIn(DEFAULT_SETTINGS, "");
      return {
        ...({ type: "whatIf", session, query, knobs: given, defaults: given, series: null } as const),
        problem: problemOf(cause),
      };
    }
  }

  #readerOf(session: string): Promise<RequestReader> {
    if (this.#reader?.session !== session) this.#reader = { session, reader: this.#read(session) };
    return this.#reader.reader;
  }

  async #read(session: string): Promise<RequestReader> {
    const { events, tokens } = this.#ports;
    return new RequestReader(await events(session), await tokens());
  }

  #preparedOf(session: string): Promise<PreparedWhatIf> {
    if (this.#prepared?.session !== session) this.#prepared = { session, prepared: this.#prepare(session) };
    return this.#prepared.prepared;
  }

  async #prepare(session: string): Promise<PreparedWhatIf> {
    const { recorded, tokens } = this.#ports;
    return prepareWhatIf(await recorded(session), await tokens());
  }
}
