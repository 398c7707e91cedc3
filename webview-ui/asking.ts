// The inspector's browser side: posts what is missing of what is shown, and lets go of what is far.
import { turnAt } from "./loaded";
import { bounded, isOfSession, type PageModel } from "./model";
import type { Outline, VisibleRow } from "./outline";
import type { Place } from "./place";
import { wayTo } from "./reveal";
import { sightOf } from "./sight";
import type { Post } from "./toolbar";
import type { View } from "./treeScroll";
import { turnKey } from "./turnRow";
import { type Sight, wants } from "./wants";

/** What a render showed. */
export type Shown = {
  readonly outline: Outline;
  readonly view: View;
  readonly place: Place;
  readonly selected: VisibleRow | null;
};

export class Asking {
  readonly #post: Post;
  #requested = ""; // the turn whose request was asked for last
  #whatIf: string | null = null; // the session that was asked about

  constructor(post: Post) {
    this.#post = post;
  }

  /** The model that remembers what was asked for. */
  after(model: PageModel, { outline, view, place, selected }: Shown): PageModel {
    const details = selected === null || selected.row.kind === "placeholder" ? null : selected.row.key;
    const sight = withGoals(sightOf(outline, view, details), model, place);
    const wanted = wants(model, sight);
    for (const message of wanted.messages) this.#post(message);
    this.#askForRequest(model, place);
    this.#askWhatIf(model, place);
    const held = new Set([...sight.closed, ...sight.open, model.selectedTurn ?? -1]);
    return bounded(wanted.model, sight.around ?? { from: 0, to: 0 }, held);
  }

  /** The request that is shown is the selected turn's. */
  #askForRequest({ head, selectedTurn, loaded }: PageModel, { panels }: Place): void {
    const turn = selectedTurn === null ? null : turnAt(loaded, selectedTurn);
    const wanted =
      panels.request === true && head !== null && turn !== null ? turnKey(head.session, turn) : "";
    if (wanted === this.#requested) return;
    this.#requested = wanted;
    if (head !== null && turn !== null && wanted !== "")
      this.#post({ type: "wantRequest", session: head.session, turn, from: 0 });
  }

  /** An open what-if panel begins with the session as it is, or as the person left it. */
  #askWhatIf({ head, whatIf }: PageModel, { panels, choices }: Place): void {
    if (head === null || panels.whatif !== true || whatIf !== null || this.#whatIf === head.session) return;
    this.#whatIf = head.session;
    this.#post({ type: "whatIf", session: head.session, query: 1, knobs: choices.knobs });
  }
}

/** Besides what is in sight: what is selected or in focus, and a row that is to be shown. */
function withGoals(sight: Sight, model: PageModel, { focused, selected }: Place): Sight {
  const { reveal } = model;
  const places = [focused, selected].flatMap((spot) => (spot?.at == null ? [] : [spot.at]));
  const way = reveal !== null && isOfSession(model, reveal) ? wayTo(model, reveal) : null;
  const more = way?.kind === "waits" ? way : { closed: [], open: [] };
  return {
    ...sight,
    closed: [...sight.closed, ...places, ...more.closed],
    open: [...sight.open, ...(selected?.at == null ? [] : [selected.at]), ...more.open],
  };
}
