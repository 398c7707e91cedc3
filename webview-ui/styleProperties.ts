// The inspector's browser side: styles that are data. The page's policy forbids style attributes, as lit's styleMap writes
// them first; a style that a script sets by property is allowed.
import { noChange } from "lit";
import { Directive, directive, type ElementPart, type PartInfo, PartType } from "lit/directive.js";

class StyleProperties extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error("styleProperties stands on the element itself");
  }

  render(_properties: Readonly<Record<string, string>>): unknown {
    return noChange;
  }

  override update(part: ElementPart, [properties]: [Readonly<Record<string, string>>]): unknown {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(properties)) {
      if (style.getPropertyValue(name) !== value) style.setProperty(name, value);
    }
    return noChange;
  }
}

/** `html`<div ${styleProperties({ "flex-grow": "3" })}>``. Properties that are no longer named stay as they are. */
export const styleProperties = directive(StyleProperties);
