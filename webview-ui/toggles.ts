// The inspector's browser side: a choice of few, side by side, as in VS Code's own filters.
import "./toggles.css";
import { html, type TemplateResult } from "lit";
import type { Choice } from "./controls";

/** `name` is the group's: each button is `name-value` to tests. */
export function toggles<T extends string>(
  label: string,
  name: string,
  value: T,
  choices: readonly Choice<T>[],
  onChange: (value: T) => void,
): TemplateResult {
  return html`<div class="toggles" role="group" aria-label=${label}>
    ${choices.map(
      (choice) =>
        html`<button
          type="button"
          class="toggle"
          data-action="${name}-${choice.value}"
          aria-pressed=${String(value === choice.value)}
          @click=${() => value !== choice.value && onChange(choice.value)}
        >
          ${choice.label}
        </button>`,
    )}
  </div>`;
}
