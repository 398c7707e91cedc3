// The inspector's browser side: where the keyboard goes when a person opens a panel, and when it closes again.
import type { Panel } from "./place";

const panelAt = (element: Element | null): Element | null => element?.closest(".panel") ?? null;

/** Contract: `opens` before the render that shows the panel, `settle` after every render, `back` after one without it. */
export class PanelFocus {
  readonly #root: HTMLElement;
  #from: HTMLElement | null = null;
  #goal: Panel | null = null;
  #isWaiting = false;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  get isInPanel(): boolean {
    return panelAt(document.activeElement) !== null;
  }

  opens(panel: Panel): void {
    const active = document.activeElement;
    this.#goal = panel;
    this.#isWaiting = false;
    if (!(active instanceof HTMLElement) || panelAt(active) !== null) return;
    const tree = active.closest<HTMLElement>("#tree"); // its rows, with their buttons, come and go
    this.#from = active === document.body ? null : (tree ?? active);
  }

  /** A content that is still read: the keyboard waits in its viewer for the text, unless the person takes it elsewhere. */
  settle(): void {
    const panel = this.#goal === null ? null : this.#root.querySelector<HTMLElement>(`#${this.#goal}`);
    if (panel === null) return;
    const viewer = panel.querySelector<HTMLElement>(".content-viewer");
    const text = panel.querySelector<HTMLElement>(".content-text");
    const isLeft = this.#isWaiting && document.activeElement !== viewer;
    this.#isWaiting = viewer !== null && text === null && !isLeft;
    if (!isLeft) (text ?? viewer ?? panel).focus({ preventScroll: true });
    if (!this.#isWaiting) this.#goal = null;
  }

  /** To where the keyboard was; `otherwise` where that is gone or cannot be seen. */
  back(otherwise: () => void): void {
    this.#goal = null;
    this.#from?.focus({ preventScroll: true });
    if (this.#from === null || document.activeElement !== this.#from) otherwise();
    this.#from = null;
  }
}

/** Escape closes the panel that it is pressed in; where a list of choices is open, only that. */
export const isPanelEscape = (event: KeyboardEvent): boolean =>
  event.key === "Escape" &&
  event.target instanceof Element &&
  panelAt(event.target) !== null &&
  event.target.closest("vscode-single-select[open]") === null;
