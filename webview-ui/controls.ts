// The inspector's browser side: VS Code's own controls, each with a name that a screen reader says. Values come as props
// and leave by callbacks; between two renders a control keeps what the person does to it.
import "./elements.css";
import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-checkbox/index.js";
import "@vscode-elements/elements/dist/vscode-option/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import "@vscode-elements/elements/dist/vscode-toolbar-button/index.js";
import { html, nothing, type TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";

export type ButtonProps = {
  readonly label: string;
  /** What tests and styles find it by. */
  readonly action: string;
  readonly isSecondary?: boolean;
  readonly icon?: string; // codicon name
  readonly isDisabled?: boolean;
  readonly title?: string;
  readonly onClick: (event: Event) => void;
};

export function button(props: ButtonProps): TemplateResult {
  const { label, action, isSecondary = false, icon = "", isDisabled = false, title, onClick } = props;
  return html`<vscode-button
    data-action=${action}
    icon=${icon}
    title=${title ?? nothing}
    ?secondary=${isSecondary}
    ?disabled=${isDisabled}
    aria-disabled=${isDisabled ? "true" : nothing}
    @keydown=${keepFromScrolling}
    @click=${(event: Event) => !isDisabled && onClick(event)}
    >${label}</vscode-button
  >`;
}

/** The element acts on the space bar and lets the page scroll too. */
const keepFromScrolling = (event: KeyboardEvent): void => {
  if (event.key === " ") event.preventDefault();
};

export type IconButtonProps = Omit<ButtonProps, "isSecondary" | "title" | "icon"> & {
  readonly icon: string;
};

/** The element cannot be disabled: a disabled one stays in the Tab order, says so, and does nothing. */
export function iconButton({
  label,
  action,
  icon,
  isDisabled = false,
  onClick,
}: IconButtonProps): TemplateResult {
  const tell = (host: Element | undefined) => queueMicrotask(() => tellDisabled(host, isDisabled));
  return html`<vscode-toolbar-button
    class=${isDisabled ? "disabled" : ""}
    data-action=${action}
    icon=${icon}
    label=${label}
    title=${label}
    ${ref(tell)}
    @click=${(event: Event) => !isDisabled && onClick(event)}
  ></vscode-toolbar-button>`;
}

/** The button that has the focus is inside the element: it is the one that must say that it is disabled. */
async function tellDisabled(host: Element | undefined, isDisabled: boolean): Promise<void> {
  await (host as { updateComplete?: Promise<boolean> } | undefined)?.updateComplete;
  host?.shadowRoot?.querySelector("button")?.setAttribute("aria-disabled", String(isDisabled));
}

export type TextFieldProps = {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly type?: "text" | "number";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly step?: number;
  readonly isInvalid?: boolean;
  readonly onInput?: (value: string, event: Event) => void;
  /** Enter, or a change that is finished. */
  readonly onChange?: (value: string) => void;
  readonly onEnter?: (value: string, event: KeyboardEvent) => void;
};

const valueIn = (event: Event): string => (event.currentTarget as HTMLInputElement).value;

export function textField(props: TextFieldProps): TemplateResult {
  const { label, name, value, placeholder = "", type = "text", onInput, onChange, onEnter } = props;
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.isComposing) onEnter?.(valueIn(event), event);
  };
  return html`<vscode-textfield
    data-name=${name}
    .label=${label}
    title=${label}
    type=${type}
    placeholder=${placeholder}
    min=${props.minimum ?? nothing}
    max=${props.maximum ?? nothing}
    step=${props.step ?? nothing}
    ?invalid=${props.isInvalid ?? false}
    .value=${value}
    @input=${(event: Event) => onInput?.(valueIn(event), event)}
    @change=${(event: Event) => onChange?.(valueIn(event))}
    @keydown=${onKey}
  ></vscode-textfield>`;
}

export type Choice<T extends string> = { readonly value: T; readonly label: string };
export type SelectProps<T extends string> = {
  readonly label: string;
  readonly name: string;
  readonly value: T;
  readonly choices: readonly Choice<T>[];
  readonly onChange: (value: T, event: Event) => void;
};

export function select<T extends string>(props: SelectProps<T>): TemplateResult {
  const { label, name, value, choices, onChange } = props;
  return html`<vscode-single-select
    data-name=${name}
    label=${label}
    title=${label}
    .value=${value}
    @change=${(event: Event) => onChange(valueIn(event) as T, event)}
  >
    ${choices.map((choice) => html`<vscode-option value=${choice.value}>${choice.label}</vscode-option>`)}
  </vscode-single-select>`;
}

export type CheckboxProps = {
  readonly label: string;
  readonly name: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
};

export function checkbox({ label, name, isChecked, onChange }: CheckboxProps): TemplateResult {
  const onToggled = (event: Event) => onChange((event.currentTarget as HTMLInputElement).checked);
  return html`<vscode-checkbox
    data-name=${name}
    label=${label}
    .checked=${isChecked}
    @change=${onToggled}
  ></vscode-checkbox>`;
}

export type RangeProps = {
  readonly label: string;
  readonly name: string;
  readonly value: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly step: number;
  readonly valueText: string;
  readonly onInput?: (value: number) => void;
  readonly onChange?: (value: number) => void;
};

/** VS Code has no slider of its own: the browser's, in the theme's colours. */
export function range(props: RangeProps): TemplateResult {
  const { label, name, value, minimum, maximum, step, valueText, onInput, onChange } = props;
  return html`<input
    type="range"
    class="range"
    data-name=${name}
    aria-label=${label}
    aria-valuetext=${valueText}
    min=${minimum}
    max=${maximum}
    step=${step}
    .value=${String(value)}
    @input=${(event: Event) => onInput?.(Number(valueIn(event)))}
    @change=${(event: Event) => onChange?.(Number(valueIn(event)))}
  />`;
}
