// The inspector's browser side: something to do to an element after what it shows has changed, such as scrolling.
import { noChange } from "lit";
import { Directive, directive, type ElementPart } from "lit/directive.js";

class WhenChanged extends Directive {
  #key: unknown = null;

  render(_key: unknown, _act: (element: HTMLElement) => void): unknown {
    return noChange;
  }

  override update(part: ElementPart, [key, act]: [unknown, (element: HTMLElement) => void]): unknown {
    if (key === this.#key) return noChange;
    this.#key = key;
    queueMicrotask(() => act(part.element as HTMLElement)); // the children are rendered by then
    return noChange;
  }
}

/** Calls `act` once after each render that gives another `key`. */
export const whenChanged = directive(WhenChanged);
