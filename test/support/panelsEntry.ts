// test/support: the entry of a page that shows one of the inspector's panels. It stands in for the page's own state: what
// a panel tells is kept, and what it tells of its own state comes back as a prop.
import "../../webview-ui/inspector.css";
import { html, nothing, render, type TemplateResult } from "lit";
import { analysisPanel } from "../../webview-ui/analysisPanel";
import { contentViewer } from "../../webview-ui/contentViewer";
import { button, checkbox, iconButton, range, select, textField } from "../../webview-ui/controls";
import { createFormat } from "../../webview-ui/format";
import { overviewView } from "../../webview-ui/overview";
import { requestPane } from "../../webview-ui/requestPane";
import { createTokenFormat } from "../../webview-ui/tokenFormat";
import { whatIfPanel } from "../../webview-ui/whatIfPanel";

type Given = Record<string, unknown>;
type Tell = (name: string, ...values: unknown[]) => void;
const root = document.querySelector<HTMLElement>("#inspector") ?? document.body;
const format = createTokenFormat(createFormat("en-US", "UTC"), "en-US");

/** What comes back as a prop: the page's state. */
const KEPT: Readonly<Record<string, string>> = {
  onSelectTurn: "selected",
  onPoint: "pointed",
  onUnit: "unit",
  onFilter: "filter",
  onChange: "knobs",
};

const events = (tell: Tell) =>
  new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...values: unknown[]) =>
          tell(String(name), ...values),
    },
  );

const controls = (given: Given, tell: Tell): TemplateResult => html`
  ${button({ label: "Start", action: "start", icon: "add", onClick: () => tell("start") })}
  ${button({ label: "Stop", action: "stop", isSecondary: true, onClick: () => tell("stop") })}
  ${button({ label: "Off", action: "off", isDisabled: true, onClick: () => tell("off") })}
  ${iconButton({ label: "Close", action: "close", icon: "close", onClick: () => tell("close") })}
  ${iconButton({ label: "Next", action: "next", icon: "arrow-down", isDisabled: given.isDisabled === true, onClick: () => tell("next") })}
  ${textField({ label: "Find", name: "find", value: "tide", onInput: (value) => tell("input", value), onEnter: (value) => tell("enter", value) })}
  ${select({
    label: "Shown",
    name: "shown",
    value: "b",
    choices: [
      { value: "a", label: "First" },
      { value: "b", label: "Second" },
    ],
    onChange: (value) => tell("select", value),
  })}
  ${checkbox({ label: "Wrap lines", name: "wrap", isChecked: false, onChange: (value) => tell("check", value) })}
  ${range({ label: "Threshold", name: "threshold", value: 4, minimum: 0, maximum: 10, step: 1, valueText: "4", onInput: (value) => tell("slide", value) })}
`;

// biome-ignore lint/suspicious/noExplicitAny: a test's props come as JSON; the panels' own types are checked where they are called
const typed = (value: unknown): any => value;

const PANELS: Readonly<Record<string, (given: Given, tell: Tell) => unknown>> = {
  controls,
  overview: (given, tell) => overviewView(typed({ ...given, format }), typed(events(tell))),
  request: (given, tell) =>
    requestPane(typed({ ...given, texts: new Map(typed(given.texts)), format }), typed(events(tell))),
  content: (given, tell) => contentViewer(typed({ ...given, format }), typed(events(tell))),
  whatIf: (given, tell) => whatIfPanel(typed({ ...given, format }), typed(events(tell))),
  analysis: (given) => analysisPanel(typed(given.analysis), given.isOpen === true),
};

const told: unknown[][] = [];
let shown = "";
let props: Given = {};

function draw(): number {
  const before = performance.now();
  const tell: Tell = (name, ...values) => {
    told.push([name, ...values]);
    const kept = KEPT[name];
    if (kept !== undefined) show(shown, { ...props, [kept]: values[0] });
  };
  render(html`<main>${PANELS[shown]?.(props, tell) ?? nothing}</main>`, root);
  return performance.now() - before;
}

/** Shows a panel; answers how many milliseconds the render took. */
function show(panel: string, given: Given): number {
  shown = panel;
  props = given;
  return draw();
}

Object.assign(window, { show, told });
