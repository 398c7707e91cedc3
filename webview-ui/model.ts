// The inspector's browser side: what the page knows, as a fold of the host's messages. Read this first. Pure.
import type { Details, Found, SessionRow, ToView, ToViewOf } from "../src/schema/inspector";
import type { SessionHead } from "../src/schema/view";
import { detailsCame, requestCame, type Texts, textCame, without } from "./answers";
import {
  keptRows,
  keptTurns,
  type Loaded,
  NO_TURNS,
  type Places,
  placesIn,
  withChanges,
  withRows,
  withTurns,
} from "./loaded";
import { EMPTY_PLOT, type PlotState, plotWith } from "./plotColumns";

/** What was asked of the host and is not answered yet, and who is in need of an answer again. */
export type Asked = {
  readonly rows: ReadonlySet<number>;
  readonly turns: ReadonlySet<number>;
  readonly details: ReadonlySet<string>;
  readonly staleDetails: ReadonlySet<string>; // shown until they come again
  readonly request: string; // the turn whose request was asked for last, by key; empty: none
  readonly whatIf: boolean; // what if was asked for, of the session that is shown
};
export const NOTHING_ASKED: Asked = {
  rows: new Set(),
  turns: new Set(),
  details: new Set(),
  staleDetails: new Set(),
  request: "",
  whatIf: false,
};

/**
 * All that the page shows of the host. A session that is not there has no head. `selectedTurn` is a place among the
 * turns: it drives the plot, the request and what-if, and follows while it is the newest.
 */
export type PageModel = {
  readonly sessions: readonly SessionRow[] | null; // null: nothing was heard yet
  readonly selected: string | null;
  readonly problem: string | null;
  readonly isFirstStored: boolean;
  readonly head: SessionHead | null;
  readonly loaded: Loaded;
  readonly plot: PlotState;
  readonly selectedTurn: number | null; // null: there is none
  readonly details: ReadonlyMap<string, Details>;
  readonly texts: Texts;
  readonly found: { readonly query: number; readonly found: Found } | null;
  readonly request: Pick<ToViewOf<"request">, "request" | "problem"> | null;
  readonly messages: readonly ToViewOf<"message">[]; // of the request that is shown: windows, as they came
  readonly content: ToViewOf<"content"> | null;
  readonly whatIf: ToViewOf<"whatIf"> | null;
  readonly analysis: ToViewOf<"analysis">["analysis"] | null;
  readonly reveal: string | null; // the key of a row that is to be shown, until it is
  readonly asked: Asked;
};

export const EMPTY_MODEL: PageModel = {
  sessions: null,
  selected: null,
  problem: null,
  isFirstStored: false,
  head: null,
  loaded: NO_TURNS,
  plot: EMPTY_PLOT,
  selectedTurn: null,
  details: new Map(),
  texts: new Map(),
  found: null,
  request: null,
  messages: [],
  content: null,
  whatIf: null,
  analysis: null,
  reveal: null,
  asked: NOTHING_ASKED,
};

/** The model after a message. What is said of a session that is not shown, or of a query that is not the last, is not for us. */
export function apply(model: PageModel, message: ToView): PageModel {
  switch (message.type) {
    case "sessions":
      return sessionsCame(model, message);
    case "opened":
      return opened(model, message);
    case "reveal":
      return { ...model, reveal: message.key };
    default:
      return message.session === model.head?.session ? applied(model, message) : model;
  }
}

type OfSession = Exclude<ToView, { type: "sessions" | "opened" | "reveal" }>;

function applied(model: PageModel, message: OfSession): PageModel {
  switch (message.type) {
    case "changed":
      return changed(model, message);
    case "rows":
      return rowsCame(model, message);
    case "turns":
      return turnsCame(model, message);
    case "details":
      return detailsCame(model, message.details);
    case "text":
      return textCame(model, message);
    case "found":
      return (model.found?.query ?? 0) > message.query ? model : { ...model, found: message };
    case "request":
      return requestCame(model, message);
    case "message":
      return { ...model, messages: [...model.messages, message] };
    case "content":
      return { ...model, content: message };
    case "whatIf":
      return (model.whatIf?.query ?? 0) > message.query ? model : { ...model, whatIf: message };
    case "analysis":
      return { ...model, analysis: message.analysis };
  }
}

function sessionsCame(model: PageModel, message: ToViewOf<"sessions">): PageModel {
  const { sessions, selected, problem, isFirstStored } = message;
  const next = { ...model, sessions, selected, problem, isFirstStored };
  const isUnread = problem !== null && selected !== model.head?.session; // nothing of it will come
  return selected === null || isUnread ? { ...next, head: null, loaded: NO_TURNS, selectedTurn: null } : next;
}

/** A session came into view. The same one again: the host has begun anew, and what was shown of it stays until it comes. */
function opened(model: PageModel, { head, turnCount, rows, newest, plot }: ToViewOf<"opened">): PageModel {
  const isSame = model.head?.session === head.session;
  const base = isSame ? model : { ...EMPTY_MODEL, ...shared(model) };
  const turns = newest === null ? [] : [{ at: turnCount - 1, turn: newest }];
  const before = isSame
    ? { ...base.loaded, turnCount, stale: new Set(base.loaded.turns.keys()) }
    : base.loaded;
  const loaded = withTurns(withRows({ ...before, turnCount }, rows), turns);
  return {
    ...base,
    head,
    loaded,
    plot: plotWith({ ...plot, turnCount }, []),
    selectedTurn: isSame ? followed(base, turnCount) : turnCount === 0 ? null : turnCount - 1,
    asked: {
      ...NOTHING_ASKED,
      staleDetails: new Set(base.details.keys()),
      request: base.asked.request, // answered from the log, not from what began anew
      whatIf: base.asked.whatIf,
    },
  };
}

const shared = ({ sessions, selected, problem, isFirstStored, reveal }: PageModel) => ({
  sessions,
  selected,
  problem,
  isFirstStored,
  reveal,
});

/** The selected turn when there are `turnCount` turns: the newest stays the newest. */
function followed({ selectedTurn, loaded }: PageModel, turnCount: number): number | null {
  if (turnCount === 0) return null;
  return selectedTurn === null || selectedTurn >= Math.min(loaded.turnCount, turnCount) - 1
    ? turnCount - 1
    : selectedTurn;
}

function changed(model: PageModel, message: ToViewOf<"changed">): PageModel {
  const { head, turnCount, columns } = message;
  const loaded = withChanges(model.loaded, message);
  const touched = placesIn(message);
  return {
    ...model,
    head: head === null || model.head === null ? model.head : mergedHead(model.head, head),
    loaded,
    plot: plotWith({ ...model.plot, turnCount }, columns),
    selectedTurn: followed(model, turnCount),
    asked: {
      ...model.asked,
      turns: without(model.asked.turns, message.stale),
      staleDetails: new Set([...model.asked.staleDetails, ...keysIn(model, loaded, touched)]),
    },
  };
}

/** Only what is said of a head changes; an optional field that is not given is not "nothing". */
const mergedHead = (
  head: SessionHead,
  more: { [K in keyof SessionHead]?: SessionHead[K] | undefined },
): SessionHead =>
  Object.fromEntries(
    Object.entries({ ...head, ...more }).map(([name, value]) => [
      name,
      value === undefined ? head[name as keyof SessionHead] : value,
    ]),
  ) as SessionHead;

/** Keys of details that are of turns which changed. */
function keysIn(model: PageModel, { turns }: Loaded, places: ReadonlySet<number>): string[] {
  const numbers = new Set([...places].map((at) => turns.get(at)?.turn));
  const session = model.head?.session ?? "";
  return [...model.details.keys()].filter((key) => {
    const turn = turnOf(session, key);
    return turn !== null && numbers.has(turn);
  });
}

/** The number of the turn that a row is of ("s1/t3/t3c0": 3); null for the rows above the turns. */
export function turnOf(session: string, key: string): number | null {
  const match = key.startsWith(`${session}/`) ? /^t(\d+)(?:\/|$)/.exec(key.slice(session.length + 1)) : null;
  return match === null ? null : Number(match[1]);
}

function rowsCame(model: PageModel, { rows }: ToViewOf<"rows">): PageModel {
  const places = rows.map(({ at }) => at);
  return {
    ...model,
    loaded: withRows(model.loaded, rows),
    asked: { ...model.asked, rows: without(model.asked.rows, places) },
  };
}

function turnsCame(model: PageModel, { turns }: ToViewOf<"turns">): PageModel {
  const places = turns.map(({ at }) => at);
  return {
    ...model,
    loaded: withTurns(model.loaded, turns),
    asked: { ...model.asked, turns: without(model.asked.turns, places) },
  };
}

/** Only what is near is kept: `near` is what is in sight, `held` what must stay wherever it is. */
export function bounded(model: PageModel, near: Places, held: ReadonlySet<number>): PageModel {
  const loaded = keptTurns(keptRows(model.loaded, near, held), near, held);
  return loaded === model.loaded ? model : { ...model, loaded };
}

/** The turn that drives everything is another. */
export const withSelectedTurn = (model: PageModel, at: number): PageModel =>
  at === model.selectedTurn || at >= model.loaded.turnCount ? model : { ...model, selectedTurn: at };

/** Whether a row is of the session that is shown. */
export const isOfSession = ({ head }: PageModel, key: string): boolean =>
  head !== null && (key === head.session || key.startsWith(`${head.session}/`));
