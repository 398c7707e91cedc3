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

  constructor(post: Post) {
    this.#post = post;
  }

  /** The model that remembers what was asked for. */
  after(model: PageModel, { outline, view, place, selected }: Shown): PageModel {
    const details = selected === null || selected.row.kind === "placeholder" ? null : selected.row.key;
    const sight = withGoals(sightOf(outline, view, details), model, place);
    const wanted = wants(model, sight);
    for (const message of wanted.messages) this.#post(message);
    const request = this.#askForRequest(model, place);
    const whatIf = model.asked.whatIf || this.#askWhatIf(model, place);
    const held = new Set([...sight.closed, ...sight.open, model.selectedTurn ?? -1]);
    const next = bounded(wanted.model, sight.around ?? { from: 0, to: 0 }, held);
    return { ...next, asked: { ...next.asked, request, whatIf } };
  }

  /** The request that is shown is the selected turn's, whose key is returned. */
  #askForRequest({ head, selectedTurn, loaded, asked }: PageModel, { panels }: Place): string {
    const turn = selectedTurn === null ? null : turnAt(loaded, selectedTurn);
    const wanted =
      panels.request === true && head !== null && turn !== null ? turnKey(head.session, turn) : "";
    if (head !== null && turn !== null && wanted !== "" && wanted !== asked.request)
      this.#post({ type: "wantRequest", session: head.session, turn, from: 0 });
    return wanted;
  }

  /** An open what-if panel begins with the session as it is, or as the person left it. Whether it was asked for. */
  #askWhatIf({ head, whatIf }: PageModel, { panels, choices }: Place): boolean {
    if (head === null || panels.whatif !== true || whatIf !== null) return false;
    this.#post({ type: "whatIf", session: head.session, query: 1, knobs: choices.knobs });
    return true;
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
