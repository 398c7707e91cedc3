// The inspector's browser side: asks the host for what is looked for, once the person has stopped typing.
import type { FindQuery, Found } from "../src/schema/inspector";
import { type FilterState, filterOf, isLookedFor } from "./filter";
import type { PageModel } from "./model";
import type { Post } from "./toolbar";

const TYPING_MS = 200;

/** Contract: of what is posted only the last is answered for; an answer to an earlier query shows until then. */
export class Finding {
  readonly #post: Post;
  #query = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #filter: { found: Found; filter: FilterState } | null = null;

  constructor(post: Post) {
    this.#post = post;
  }

  ask(session: string, what: FindQuery, afterMs = TYPING_MS): void {
    clearTimeout(this.#timer);
    if (!isLookedFor(what)) return;
    this.#timer = setTimeout(
      () => this.#post({ type: "find", session, query: ++this.#query, what }),
      afterMs,
    );
  }

  /** What was found of the last query; null: not yet. */
  foundIn({ found }: PageModel): Found | null {
    return found !== null && found.query === this.#query ? found.found : null;
  }

  filterOf({ found }: PageModel, what: FindQuery): FilterState {
    if (found === null || !isLookedFor(what)) return "none";
    if (this.#filter?.found !== found.found)
      this.#filter = { found: found.found, filter: filterOf(found.found) };
    return this.#filter.filter;
  }
}
