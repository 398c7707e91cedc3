// The inspector's browser side: sizes that are computed. The policy forbids style attributes, which lit's styleMap begins with.
import { noChange } from "lit";
import { Directive, directive, type ElementPart } from "lit/directive.js";

class HeightPx extends Directive {
  render(_px: number): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [px]: [number]): unknown {
    (element as HTMLElement).style.height = `${px}px`;
    return noChange;
  }
}

class TopPx extends Directive {
  render(_px: number): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [px]: [number]): unknown {
    (element as HTMLElement).style.transform = `translateY(${px}px)`;
    return noChange;
  }
}

/** The element's height. */
export const heightPx = directive(HeightPx);
/** How far an element is moved down from where it is. */
export const topPx = directive(TopPx);
