// The inspector's browser side: the fields of a stored content that keys lead to, from within its viewer and from the page.

export const fieldOf = (viewer: Element | null, name: string): HTMLInputElement | null =>
  viewer?.querySelector<HTMLInputElement>(`[data-name="${name}"]`) ?? null;

export const isGoToKey = ({ key, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === "g" && ctrlKey && !shiftKey && !altKey;

/** Ctrl+G goes to the line of an open content from everywhere on the page but the field that the session is searched with. */
export function focusLineField(root: HTMLElement, event: KeyboardEvent): void {
  const isFinder = event.target instanceof Element && event.target.id === "find";
  const field = isGoToKey(event) && !isFinder ? fieldOf(root.querySelector(".content-viewer"), "goTo") : null;
  if (field === null) return;
  event.preventDefault();
  event.stopPropagation();
  focusField(field);
}

export function focusField(field: HTMLInputElement | null): void {
  field?.focus();
  (field as unknown as { wrappedElement?: HTMLInputElement } | null)?.wrappedElement?.select();
}

/** As VS Code's fields say it: a mark, and a message below; "": the field is well. */
export function sayInvalid(field: HTMLInputElement | null, message: string): void {
  const isInvalid = message !== "";
  field?.toggleAttribute("invalid", isInvalid);
  field?.shadowRoot?.querySelector("input")?.setAttribute("aria-invalid", String(isInvalid));
  const line = field?.parentElement?.querySelector<HTMLElement>(".content-invalid");
  if (!line) return;
  line.hidden = !isInvalid;
  line.textContent = message;
}
