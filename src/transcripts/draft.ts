/** A transcript on its way into our events: what a format reads is said here, and counted where it cannot be. */
import { createClaimPolicy } from "../claims/policy";
import type { Claim, Digest, Hash } from "../schema/claim";
import type { Logged, SessionEvent } from "../schema/event";
import { DEFAULT_SETTINGS } from "../schema/settings";
import { byteLength, charLength, indexOfChar } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import { builtinPolicy } from "../thimble/builtin";
import { countOf } from "./json";
import { resultEvents } from "./resultEvents";

/** What the house lends this room. Text is made safe as it is in a session of ours, before anything else sees it. */
export type TranscriptPorts = {
  readonly hash: Hash;
  /** 32 hex digits, of the session that the transcript stands for. */
  readonly salt: string;
  readonly now: () => number;
  readonly tokens: TokenCounter;
  /** What content is called in a store. */
  readonly nameOf: (content: Buffer) => { readonly sha256: Digest; readonly frames: Digest };
  readonly safe: SafeTexts;
};
export type SafeTexts = {
  /** Hides secrets. */
  hide(text: string): { readonly text: string; readonly hits: Readonly<Record<string, number>> };
  /** The boundary of tool output; null: it is refused. */
  bound(text: string): BoundText | null;
};
export type BoundText = {
  readonly text: string;
  readonly forgedMarkers: number;
  readonly loneSurrogates: number;
};

export type SessionFacts = {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  readonly workspace?: string | undefined;
  readonly model?: string | undefined;
  readonly system?: string | undefined;
};
export type DraftCall = { readonly id: string; readonly name: string; readonly arguments: string };
export type DraftReply = {
  readonly text: string;
  readonly calls?: readonly DraftCall[];
  readonly at?: number | null;
  /** Pieces with the same key, with nothing but results between them, are one reply. */
  readonly key?: string | null;
  readonly end?: "stopped" | "failed" | undefined;
  readonly error?: string | null;
  readonly input?: number | null;
  readonly output?: number | null;
  readonly cached?: number | null;
};
export type DraftMedia = { readonly mediaType: string; readonly base64: string };
export type DraftResult = {
  /** Null: it belongs to the first open call, of `name` where that is given. */
  readonly id: string | null;
  readonly name?: string | null;
  readonly text: string;
  readonly isError?: boolean | null; // null: nobody said
  readonly media?: readonly DraftMedia[];
  readonly at?: number | null;
};

/** One session of a transcript, whole: events as they stand in a log, and what they name. */
export type DraftedSession = {
  readonly title: string;
  readonly events: readonly Logged[];
  readonly contents: ReadonlyMap<Digest, Buffer>;
  readonly claims: readonly Claim[];
};

/** Folds copy what they have: a log of more than this would take minutes to open. */
export const MAXIMUM_MESSAGES = 20_000;
export const MAXIMUM_SESSIONS = 1000;
const MAXIMUM_CALLS = 1000; // of one reply
const TITLE_CHARS = 80;
const MAXIMUM_NOTES = 50; // kinds of them
const NAME_CHARS = 200;
const NO_TIME = -1; // until one is known

type Call = DraftCall & { readonly call: string; readonly turn: number; answered: boolean };
type Pending = {
  readonly turn: number;
  readonly reply: { -readonly [K in keyof Required<DraftReply>]: DraftReply[K] };
  readonly calls: Call[];
  readonly results: { readonly call: string; readonly name: string; readonly result: DraftResult }[];
};

export class TranscriptDraft {
  readonly #ports: TranscriptPorts;
  readonly #format: string;
  readonly #sessions: SessionDraft[] = [];
  #current: SessionDraft;
  #left = 0; // sessions that were not taken

  constructor(format: string, ports: TranscriptPorts) {
    this.#format = format;
    this.#ports = ports;
    this.#current = this.begin();
  }

  /** Another session of the same file. */
  begin(): SessionDraft {
    const next = new SessionDraft(this.#format, this.#ports);
    if (this.#sessions.length >= MAXIMUM_SESSIONS) this.#left++;
    else this.#sessions.push(next);
    this.#current = next;
    return next;
  }

  get session(): SessionDraft {
    return this.#current;
  }

  /** Every session that has a conversation. */
  finish(): readonly DraftedSession[] {
    if (this.#left > 0)
      this.#sessions[0]?.note("session(s) were not read: more than one import may have", this.#left);
    return this.#sessions.filter((session) => !session.isEmpty).map((session) => session.finish());
  }
}

export class SessionDraft {
  readonly #ports: TranscriptPorts;
  readonly #format: string;
  readonly #events: Logged[] = [];
  readonly #contents = new Map<Digest, Buffer>();
  readonly #claims: Claim[] = [];
  readonly #notes = new Map<string, number>();
  readonly #byId = new Map<string, Call[]>();
  #open: Call[] = []; // calls of the last reply, and older ones that nobody answered yet
  #facts: SessionFacts = {};
  #asked: { text: string; at: number | null } | null = null;
  #pending: Pending | null = null;
  #turn = 0;
  #orphans = 0;
  #at: number | null = null;
  #messages = 0;
  #calls = 0;
  #size = { messages: 0, chars: 0, bytes: 0 };
  #lastEnd: "answered" | "stopped" | "failed" = "stopped";

  constructor(format: string, ports: TranscriptPorts) {
    this.#format = format;
    this.#ports = ports;
  }

  get isEmpty(): boolean {
    return this.#messages === 0;
  }

  /** The first word on each counts, except for a title. */
  facts(given: SessionFacts): void {
    const known = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
    this.#facts = {
      ...Object.fromEntries(known),
      ...this.#facts,
      ...(given.title && { title: given.title }),
    };
  }

  /** What of the transcript is not in the session: told in the log, with how often. */
  note(what: string, times = 1): void {
    if (times <= 0) return;
    const said = plain(what.toWellFormed());
    const isKept = this.#notes.has(said) || this.#notes.size < MAXIMUM_NOTES;
    const key = isKept ? said : "other thing(s) were not read";
    this.#notes.set(key, (this.#notes.get(key) ?? 0) + times);
  }

  asked(text: string, at: number | null = null): void {
    if (text === "" || this.#isFull()) return;
    this.#flushReply();
    const before = this.#asked;
    this.#asked = before ? { text: `${before.text}\n\n${text}`, at: before.at } : { text, at };
  }

  replied(reply: DraftReply): void {
    const { key = null, calls = [] } = reply;
    if (this.#pending && key !== null && this.#pending.reply.key === key) {
      this.#more(reply);
      return;
    }
    if (this.#isFull()) return;
    this.#flushReply();
    this.#flushAsked();
    this.#turn++;
    this.#orphans = 0;
    this.#open = this.#open.filter(({ answered }) => !answered);
    const turn = this.#turn;
    const { text, at = null, end, error = null, input = null, output = null, cached = null } = reply;
    const kept = { text, calls: [], at, key, end, error, input, output, cached };
    this.#pending = { turn, reply: kept, calls: [], results: [] };
    this.#add(calls);
  }

  /** A result belongs to the nearest call before it with that id, else to the first open one: a matter of place only. */
  result(result: DraftResult): void {
    if (this.#isFull()) return;
    this.#flushAsked();
    const call = this.#callOf(result);
    if (call) call.answered = true;
    else this.note("result(s) without a call: kept in the log, shown nowhere");
    const key =
      call?.call ?? `t${this.#turn}c${(this.#pending?.calls.length ?? 0) + MAXIMUM_CALLS + this.#orphans++}`;
    const entry = { call: key, name: call?.name ?? this.#short(result.name ?? ""), result };
    if (this.#pending) this.#pending.results.push(entry);
    else this.#emitResult(entry);
  }

  finish(): DraftedSession {
    this.#flushReply();
    this.#flushAsked();
    const unanswered = [...this.#byId.values()].flat().filter(({ answered }) => !answered).length;
    this.note("call(s) without a result", unanswered);
    const last = { end: this.#lastEnd, message: "The transcript ends here." };
    this.#emit({ type: "run_ended", turn: this.#turn, ...last }, null);
    const title = this.#title();
    const first = this.#events.find(({ at }) => at !== NO_TIME)?.at ?? this.#ports.now();
    const head = this.#head(title).map((event) => ({ at: first, origin: "import" as const, ...event }));
    const events = [...head, ...this.#events].map(
      (event, n): Logged => ({ ...event, n, at: event.at === NO_TIME ? first : event.at }),
    );
    return { title, events, contents: this.#contents, claims: this.#claims };
  }

  #isFull(): boolean {
    if (this.#messages < MAXIMUM_MESSAGES) {
      this.#messages++;
      return false;
    }
    this.note(`message(s) after the first ${MAXIMUM_MESSAGES} were not read`);
    return true;
  }

  #more({ text, calls = [], end, error, output }: DraftReply): void {
    const pending = this.#pending;
    if (!pending) return;
    const { reply } = pending;
    if (text !== "") reply.text = reply.text === "" ? text : `${reply.text}\n\n${text}`; // a join copies what is there
    if (end !== undefined) reply.end = end;
    if (error) reply.error = error;
    if (typeof output === "number") reply.output = Math.max(output, reply.output ?? 0);
    this.#add(calls);
  }

  #add(calls: readonly DraftCall[]): void {
    const pending = this.#pending;
    if (!pending) return;
    for (const given of calls) {
      if (pending.calls.length >= MAXIMUM_CALLS || this.#calls >= MAXIMUM_MESSAGES) {
        this.note("call(s) were not read: more than one reply, or one session, may have");
        continue;
      }
      this.#calls++;
      const id = given.id.toWellFormed();
      const name = this.#short(given.name);
      const call = `t${pending.turn}c${pending.calls.length}`;
      const made: Call = {
        id,
        name,
        arguments: this.#safe(given.arguments),
        call,
        turn: pending.turn,
        answered: false,
      };
      pending.calls.push(made);
      this.#open.push(made);
      const same = this.#byId.get(id);
      if (same) same.push(made);
      else this.#byId.set(id, [made]);
    }
  }

  #callOf({ id, name = null }: DraftResult): Call | undefined {
    const known = id === null || id === "" ? [] : (this.#byId.get(id.toWellFormed()) ?? []);
    const turn = known.at(-1)?.turn;
    const nearest = known.filter((call) => call.turn === turn);
    if (nearest.length > 0) return nearest.find(({ answered }) => !answered) ?? nearest.at(-1);
    const open = this.#open.filter((call) => !call.answered && (id === null || call.id === ""));
    if (name === null) return open[0];
    const short = this.#short(name);
    return open.find((call) => call.name === short);
  }

  #flushAsked(): void {
    const asked = this.#asked;
    if (!asked) return;
    this.#asked = null;
    const text = this.#safe(asked.text);
    this.#count(text);
    this.#emit({ type: "asked", turn: this.#turn + 1, text }, asked.at);
  }

  #flushReply(): void {
    const pending = this.#pending;
    if (!pending) return;
    this.#pending = null;
    const { turn, reply, calls, results } = pending;
    const model = this.#short(this.#facts.model ?? "");
    this.#emit({ type: "requested", turn, model, ...this.#size }, reply.at ?? null);
    const { end, error } = reply;
    const [input, output, cached] = [reply.input, reply.output, reply.cached].map(countOf);
    const text = this.#safe(reply.text);
    // Some formats have no ids, and pairing drops calls that have none.
    const made = calls.map(({ call, id, name, arguments: words }) => ({
      call,
      id: this.#safe(id) || call, // not before: it is by what they say that results find their calls
      name,
      arguments: words,
    }));
    this.#emit(
      {
        type: "replied",
        turn,
        text,
        calls: made,
        end: end ?? (made.length > 0 ? "calls" : "answered"),
        error: error ? this.#safe(error) : null,
        usage:
          typeof input === "number" && typeof output === "number"
            ? { inputTokens: input, outputTokens: output, cachedTokens: cached ?? null }
            : null,
        elapsedMs: 0, // nobody measured it
      },
      reply.at ?? null,
    );
    this.#lastEnd = end ?? (made.length > 0 ? "stopped" : "answered");
    if (text !== "" || made.length > 0) this.#count([text, ...made.map((call) => call.arguments)].join(""));
    for (const result of results) this.#emitResult(result);
  }

  #emitResult({ call, name, result }: Pending["results"][number]): void {
    const made = resultEvents({ call, tool: name, result }, this.#ports, CLAIM_POLICY);
    for (const note of made.notes) this.note(note);
    for (const { claim, content } of made.contents) {
      this.#contents.set(claim.sha256, content);
      this.#claims.push(claim);
    }
    for (const event of made.events) this.#emit(event, result.at ?? null);
    this.#count(made.shown);
  }

  #count(text: string): void {
    this.#size = {
      messages: this.#size.messages + 1,
      chars: this.#size.chars + charLength(text),
      bytes: this.#size.bytes + byteLength(text),
    };
  }

  /** Times never go back in a log; what has none has that of what stands before it, or of the first that has one. */
  #emit(event: SessionEvent, at: number | null): void {
    this.#at = at === null ? this.#at : Math.max(at, this.#at ?? at);
    this.#events.push({ n: 0, at: this.#at ?? NO_TIME, origin: "import", ...event });
  }

  /** Lone surrogates become U+FFFD, secrets placeholders. */
  #safe(text: string): string {
    const { text: hidden, hits } = this.#ports.safe.hide(text.toWellFormed());
    const secrets = Object.values(hits).reduce((sum, times) => sum + times, 0);
    this.note("secret(s) were hidden", secrets);
    return hidden;
  }

  /** Names stand in every event and every text of what they name. A secret is hidden before it could be cut in two. */
  #short(name: string): string {
    const safe = this.#safe(name.slice(0, indexOfChar(name, 4 * NAME_CHARS)));
    return safe.slice(0, indexOfChar(safe, NAME_CHARS));
  }

  #title(): string {
    const asked = this.#events.find((event) => event.type === "asked");
    const given = this.#facts.title ?? (asked?.type === "asked" ? asked.text : "") ?? "";
    const [first = ""] = this.#safe(given)
      .trim()
      .split(/[\r\n]/, 1);
    const line = plain(first);
    const title = line.slice(0, indexOfChar(line, TITLE_CHARS)).trim();
    return title === "" ? `${this.#format} session` : title;
  }

  #head(title: string): readonly (SessionEvent & { n: number })[] {
    const { id = "unknown", workspace = "", model = "unknown", system = "" } = this.#facts;
    const [session, folder, modelId] = [id, workspace, model].map((name) => this.#short(name)) as Names;
    const policy = builtinPolicy(this.#ports.hash);
    const safeSystem = this.#safe(system);
    const notes = [...this.#notes].map(([what, times]) => `${times.toLocaleString("en")} ${what}`);
    const abilities = { rawArguments: false, usage: false, cacheControl: false };
    return [
      {
        n: 0,
        type: "session_started",
        format: 1,
        session,
        tenant: "import",
        workspace: folder,
        title,
        salt: this.#ports.salt,
        from: { kind: "import", session, transcript: { format: this.#format, notes } },
      },
      {
        n: 1,
        type: "configured",
        model: { id: modelId, name: modelId, maxInputTokens: null, abilities },
        system: safeSystem,
        tools: [], // what it had is not what can be called here
        settings: { ...DEFAULT_SETTINGS, limits: { ...DEFAULT_SETTINGS.limits, mode: "off" } },
        policy: policy.artifact,
        policyIdentity: policy.identity,
        intent: null,
      },
    ];
  }
}

type Names = [session: string, folder: string, model: string];

/** Titles and notes stand in menus and terminals: without control characters. */
const plain = (text: string): string => text.replace(/[\x00-\x1f\x7f-\x9f]/g, "\ufffd");

const CLAIM_POLICY = createClaimPolicy(DEFAULT_SETTINGS.claimCheck, []);
