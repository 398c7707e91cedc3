/** One page of the inspector, wherever it is shown: it is told what changed, its questions are answered, its acts done. */
import type * as vscode from "vscode";
import { Feed } from "../inspector/feed";
import { type AnalysisSummary, FromView, type ToView } from "../schema/inspector";
import { ASKED, type InspectorAnswers } from "./inspectorAnswers";
import type { Appended, SessionController } from "./sessionController";

/** What the inspector may ask to be done, by name. Each handles its own failures. */
export type InspectorActs = {
  readonly [Type in Exclude<FromView["type"], "ready" | "selectSession" | (typeof ASKED)[number]>]: (
    message: Extract<FromView, { type: Type }>,
  ) => Promise<void>;
};

export type PagePorts = {
  readonly sessions: SessionController;
  readonly answers: InspectorAnswers;
  readonly acts: InspectorActs;
  readonly problemOf: (cause: unknown) => string;
  /** Whether stored results were not explained to this person yet. */
  readonly isFirstStored: () => boolean;
  /** What was found in another agent's session; null for our own. */
  readonly analysisOf: (session: string) => AnalysisSummary | null;
};

const UPDATE_MS = 16; // several events in one update; the first of them is told at once
const LISTED = 500;

export class InspectorPage implements vscode.Disposable {
  readonly #webview: vscode.Webview;
  readonly #ports: PagePorts;
  readonly #subscriptions: vscode.Disposable[];
  readonly #feed = new Feed();
  #own: string | null;
  readonly #follows: boolean;
  #shown: string | null = null;
  #isReady = false;
  #reveal: { session: string; key: string } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> = Promise.resolve();

  /** A page that follows shows what is selected in the window; until something is, `session`. */
  constructor(webview: vscode.Webview, ports: PagePorts, session: string | null, follows: boolean) {
    this.#webview = webview;
    this.#ports = ports;
    this.#own = session;
    this.#follows = follows;
    const { sessions } = ports;
    this.#subscriptions = [
      webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      sessions.onDidChange((changed) => this.#changed(changed)),
      sessions.onDidAppend((appended) => this.#appended(appended)),
    ];
  }

  get session(): string | null {
    return this.#shown;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  /** Leads to a row, as soon as the page is there. */
  reveal(session: string, key: string): void {
    if (!this.#follows) this.#own = session;
    this.#reveal = { session, key };
    if (this.#isReady) void this.refresh();
  }

  /** Tells everything that a page begins with. One after the other: an older list never replaces a newer one. */
  refresh(): Promise<void> {
    this.#sending = this.#sending.then(() => this.#refreshNow());
    return this.#sending;
  }

  /** The act is one of FromView's; what is not in there is not from our page. */
  async #receive(message: unknown): Promise<void> {
    const parsed = FromView.safeParse(message);
    if (!parsed.success) return;
    const { data } = parsed;
    if (data.type === "ready") {
      this.#isReady = true;
      return this.refresh();
    }
    if (data.type === "selectSession") return this.#select(data.session);
    if (isAsked(data)) return this.#answer(data);
    const act = this.#ports.acts[data.type] as (message: FromView) => Promise<void>;
    await act(data);
  }

  async #answer(asked: Parameters<InspectorAnswers["answer"]>[0]): Promise<void> {
    try {
      const answer = await this.#ports.answers.answer(asked, this);
      if (answer !== null) await this.#post(answer);
    } catch (cause) {
      await this.#tellSessions(this.#ports.problemOf(cause));
    }
  }

  async #select(session: string): Promise<void> {
    if (this.#follows) return this.#ports.sessions.select(session);
    this.#own = session;
    await this.refresh();
  }

  #changed(session: string | null): void {
    if (!this.#isReady) return;
    if (session === null || session === this.#shown || this.#follows) void this.refresh();
  }

  #appended({ session, fold, touched }: Appended): void {
    if (session !== this.#shown) return;
    this.#feed.note(touched);
    if (this.#timer !== undefined) return;
    const tell = () => {
      for (const message of this.#feed.changes(fold)) void this.#post(message);
    };
    tell();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      tell();
    }, UPDATE_MS);
  }

  /** Never rejects: what keeps a session from being read is itself shown. */
  async #refreshNow(): Promise<void> {
    const selected = await this.#tellSessions(null);
    if (selected === null) return;
    try {
      const fold = await this.#ports.sessions.fold(selected.session, selected.changedAt);
      const opened = fold && this.#feed.opened(fold);
      this.#shown = selected.session; // what is appended from here on is not in what is told as the beginning
      if (opened) await this.#post(opened);
      const analysis = this.#ports.analysisOf(selected.session);
      if (analysis) await this.#post({ type: "analysis", session: selected.session, analysis });
    } catch (cause) {
      await this.#tellSessions(this.#ports.problemOf(cause));
    }
    const wanted = this.#reveal;
    if (wanted?.session !== this.#shown) return;
    this.#reveal = null;
    await this.#post({ type: "reveal", ...wanted });
  }

  /** The list, and which session is to be shown: the chosen one; where the page has none of its own, or the newest. */
  async #tellSessions(problem: string | null): Promise<{ session: string; changedAt: number | null } | null> {
    const { sessions, isFirstStored, problemOf } = this.#ports;
    const wanted = (this.#follows ? sessions.selected : null) ?? this.#own;
    let rows: Awaited<ReturnType<SessionController["rows"]>> = [];
    let told = problem;
    try {
      rows = await sessions.rows();
    } catch (cause) {
      told = problemOf(cause);
    }
    const newest = this.#follows ? rows[0] : undefined;
    const selected = rows.find(({ session }) => session === wanted) ?? newest ?? null;
    const listed = rows.filter((row, at) => at < LISTED || row === selected);
    await this.#post({
      type: "sessions",
      sessions: listed.map(({ changedAt: _changedAt, ...row }) => row),
      selected: selected?.session ?? null,
      problem: told,
      isFirstStored: isFirstStored(),
    });
    return selected;
  }

  async #post(message: ToView): Promise<void> {
    await this.#webview.postMessage(message);
  }
}

const isAsked = (message: FromView): message is Parameters<InspectorAnswers["answer"]>[0] =>
  (ASKED as readonly string[]).includes(message.type);
