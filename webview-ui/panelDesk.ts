// The inspector's browser side: what the panels around the tree show and remember. One per page, for one session at a time.
import { nothing, type TemplateResult } from "lit";
import type { Direction, Handle } from "../src/schema/claim";
import type { FromView, Plot, TextWindow, ToViewOf } from "../src/schema/inspector";
import type { SessionHead } from "../src/schema/view";
import { analysisPanel } from "./analysisPanel";
import { contentViewer } from "./contentViewer";
import type { Format } from "./format";
import type { PageModel } from "./model";
import { overviewView } from "./overview";
import type { Choices, Panel } from "./place";
import { requestPane } from "./requestPane";
import { createTokenFormat, type TokenFormat } from "./tokenFormat";
import type { Post } from "./toolbar";
import { whatIfPanel } from "./whatIfPanel";
import { isSameKnobs } from "./whatIfWords";

export type DeskEvents = {
  readonly post: Post;
  /** A turn's place: the tree goes there, opens it, and everything follows. */
  readonly onSelectTurn: (at: number) => void;
  readonly onPanel: (panel: Panel, isOpen: boolean) => void;
  /** What a panel shows has changed. */
  readonly onDesk: () => void;
  /** Of the session that is shown. */
  readonly choices: () => Choices;
  readonly onChoice: (choices: Partial<Choices>) => void;
};

/** What a panel has of its own, forgotten with the session. */
type Own = {
  readonly pointed: number | null;
  readonly find: string;
  readonly direction: Direction; // it was looked for last
  readonly readingSince: ToViewOf<"content"> | null | undefined; // undefined: nothing was asked for
  readonly query: number; // of what-if, the last
};
const NOTHING_OWN: Own = {
  pointed: null,
  find: "",
  direction: "next",
  readingSince: undefined,
  query: 1,
};

/**
 * What would have been sent, a figure per column: of a session that was sent otherwise, or under settings that differ
 * from its own. A turn has one request.
 */
function whatIfLine(
  { kind }: SessionHead,
  { columns, turnsPerColumn }: Plot,
  whatIf: PageModel["whatIf"],
): readonly (number | null)[] | null {
  if (whatIf?.series == null) return null;
  if (kind === "own" && isSameKnobs(whatIf.knobs, whatIf.defaults)) return null;
  const { cloakroom, everything, requestsPerPoint } = whatIf.series;
  return columns.map((column, at) => {
    const point = Math.floor((at * turnsPerColumn) / requestsPerPoint);
    const [would, all] = [cloakroom[point], everything[point]];
    if (column === null || would === undefined || !all) return null;
    return Math.round((column.naive * would) / all); // what is assumed of the prompt, and who counts, may differ
  });
}

export class PanelDesk {
  readonly #format: TokenFormat;
  readonly #events: DeskEvents;
  #own: Own = NOTHING_OWN;

  constructor(f: Format, events: DeskEvents) {
    this.#format = createTokenFormat(f, navigator.language);
    this.#events = events;
  }

  /** Changes with everything that the panels have of their own. */
  get state(): unknown {
    return this.#own;
  }

  /** Another session came into view. */
  begin(): void {
    this.#own = NOTHING_OWN;
  }

  view(panel: Panel, model: PageModel): TemplateResult | typeof nothing {
    switch (panel) {
      case "overview":
        return this.#overview(model);
      case "request":
        return this.#request(model);
      case "content":
        return this.#content(model);
      case "whatif":
        return this.#whatIf(model);
      case "analysis":
        return model.analysis === null ? nothing : analysisPanel(model.analysis, true);
    }
  }

  get #choices(): Choices {
    return this.#events.choices();
  }

  #set(own: Partial<Own>): void {
    this.#own = { ...this.#own, ...own };
    this.#events.onDesk();
  }

  #post(message: FromView): void {
    this.#events.post(message);
  }

  #overview({ head, plot, selectedTurn, loaded, whatIf }: PageModel): TemplateResult | typeof nothing {
    if (head === null) return nothing;
    const turn = selectedTurn === null ? undefined : loaded.turns.get(selectedTurn);
    const fill = turn?.request?.fill ? { turn: turn.turn, fill: turn.request.fill } : null;
    const { pointed } = this.#own;
    const shown = { head, plot, turnCount: loaded.turnCount, selected: selectedTurn, pointed, fill };
    return overviewView(
      { ...shown, whatIf: whatIfLine(head, plot, whatIf), unit: this.#choices.unit, format: this.#format },
      {
        onSelectTurn: this.#events.onSelectTurn,
        onPoint: (column) => this.#set({ pointed: column }),
        onUnit: (unit) => this.#events.onChoice({ unit }),
      },
    );
  }

  #request({ head, request: came, messages }: PageModel): TemplateResult | typeof nothing {
    if (head === null) return nothing;
    const { session } = head;
    const request = came?.request ?? null;
    const turn = request?.turn ?? 0;
    const texts = new Map<number, TextWindow>();
    for (const message of messages) if (message.turn === turn) texts.set(message.at, message.text);
    return requestPane(
      {
        request,
        problem: came?.problem ?? null,
        previousTurn: turn > 1 ? turn - 1 : null,
        texts,
        filter: this.#choices.requestFilter,
        isByMessages: head.kind === "own",
        format: this.#format,
      },
      {
        onFilter: (requestFilter) => this.#events.onChoice({ requestFilter }),
        onWant: (from) => this.#post({ type: "wantRequest", session, turn, from }),
        onWantText: (at, offset) => this.#post({ type: "wantMessage", session, turn, at, offset }),
        onEvent: (n) => this.#post({ type: "revealEvent", session, n }),
      },
    );
  }

  #content({ head, content }: PageModel): TemplateResult | typeof nothing {
    if (head === null) return nothing;
    const { session } = head;
    const handle = content?.window?.handle ?? null;
    const { find, direction, readingSince } = this.#own;
    const ask = (message: FromView, more: Partial<Own> = {}) => {
      this.#post(message);
      this.#set({ ...more, readingSince: content });
    };
    const of = (act: (handle: Handle) => void) => {
      if (handle !== null) act(handle);
    };
    return contentViewer(
      {
        window: content?.window ?? null,
        match: content?.match ?? null,
        problem: content?.problem ?? null,
        search: content?.search ?? null,
        find,
        direction,
        isReading: readingSince === content && readingSince !== undefined,
        format: this.#format,
      },
      {
        onWant: (offset) => of((name) => ask({ type: "wantContent", session, handle: name, offset })),
        onLine: (line) => of((name) => ask({ type: "wantLine", session, handle: name, line })),
        onFind: (text, offset, to) =>
          of((name) => {
            const shown = content?.window?.offset ?? 0;
            const what = { handle: name, text, direction: to, offset, shown };
            ask({ type: "findInContent", session, ...what }, { find: text, direction: to });
          }),
        onOpenDocument: () => of((name) => this.#post({ type: "openStored", session, handle: name })),
        onClose: () => this.#events.onPanel("content", false),
      },
    );
  }

  #whatIf({ head, whatIf }: PageModel): TemplateResult | typeof nothing {
    if (head === null || whatIf === null) return nothing;
    const { session } = head;
    const { query } = this.#own;
    const shown = this.#choices.knobs ?? whatIf.knobs;
    return whatIfPanel(
      {
        knobs: shown,
        defaults: whatIf.defaults,
        series: whatIf.series,
        problem: whatIf.problem,
        isBusy: whatIf.query < query,
        format: this.#format,
      },
      {
        onChange: (changed) => {
          const next = Math.max(query, whatIf.query) + 1;
          this.#post({ type: "whatIf", session, query: next, knobs: changed });
          this.#events.onChoice({ knobs: changed });
          this.#set({ query: next });
        },
        onApply: (chosen) => this.#post({ type: "applySettings", session, knobs: chosen }),
      },
    );
  }
}
