/** How a report looks: quiet, light or dark as the reader's system is, and fit to be printed. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --back: #fdfdfc; --raised: #f5f4f1; --text: #23262b; --muted: #626973; --line: #dfddd7;
  --strong: #2f6690; --soft: #b9cfe0; --warn: #9a4b1c; }
@media (prefers-color-scheme: dark) { :root { --back: #16181b; --raised: #1f2226; --text: #dfe2e6; --muted: #98a0aa; --line: #31363c;
  --strong: #7db3de; --soft: #43647e; --warn: #e0a077; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 54rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; overflow-wrap: anywhere; }
h1, h2, h3, p, pre, dl, ul, figure { margin: 0; }
h1 { font-size: 1.75rem; line-height: 1.25; font-weight: 650; letter-spacing: -0.01em; }
h2 { font-size: 1.1rem; font-weight: 650; margin: 0 0 0.9rem; }
h3 { font-size: 0.95rem; font-weight: 600; }
main > section { margin-top: 2.75rem; }
.over { color: var(--muted); font-size: 0.85rem; margin-bottom: 0.35rem; }
.sentence { font-size: 1.1rem; margin-top: 0.9rem; }
.settings, figcaption, .size, .state, .cut, .label, caption { color: var(--muted); font-size: 0.85rem; }
.settings { margin-top: 0.5rem; }
.notices { margin-top: 1.25rem; padding: 0.75rem 1rem 0.75rem 2rem; background: var(--raised); border-radius: 8px; font-size: 0.9rem; }
svg { display: block; width: 100%; height: auto; }
.grid { stroke: var(--line); }
.axis { fill: var(--muted); font-size: 11px; font-variant-numeric: tabular-nums; }
rect.new { fill: var(--strong); }
rect.reused { fill: var(--soft); }
figcaption { margin-top: 0.6rem; }
.key { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 2px; background: var(--strong); print-color-adjust: exact; }
.key.reused { background: var(--soft); margin-left: 0.8em; }
summary { cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--strong); outline-offset: 2px; border-radius: 4px; }
.figures { margin-top: 0.6rem; font-size: 0.9rem; }
.turn { border-top: 1px solid var(--line); padding: 0.7rem 0; content-visibility: auto; contain-intrinsic-size: auto 3rem; }
.turn:last-of-type { border-bottom: 1px solid var(--line); }
.turn[open] > summary { margin-bottom: 0.8rem; }
.turn > summary .what { margin-left: 0.5rem; }
.turn > summary .size { float: right; font-variant-numeric: tabular-nums; }
.turn > :not(summary) { margin-left: 1.1rem; }
.asked, .said { margin-bottom: 1rem; }
.asked h3, .said h3, .label { margin-bottom: 0.2rem; color: var(--muted); font-weight: 500; font-size: 0.85rem; }
.asked pre, .said pre { font: inherit; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
code, .call pre { font: 0.86rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
dd code, td code { color: var(--muted); }
.call { background: var(--raised); border-radius: 8px; padding: 0.8rem 1rem; margin-bottom: 0.8rem; }
.call .state { font-weight: 400; margin-left: 0.4rem; }
.call.failed .state, .call.refused .state, .call.interrupted .state, .problem { color: var(--warn); }
.call h3 + pre { margin-top: 0.35rem; }
.call .label { margin-top: 0.5rem; }
.call dl { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0.2rem 1rem; margin-top: 0.6rem; font-size: 0.9rem; }
dt { color: var(--muted); }
dd { margin: 0; }
.shown { margin-top: 0.6rem; font-size: 0.9rem; }
.shown pre { margin-top: 0.4rem; padding-left: 0.8rem; border-left: 2px solid var(--line); }
.cut { font-style: italic; margin-top: 0.3rem; }
.before, .problem { font-size: 0.9rem; margin-bottom: 0.8rem; }
.before { padding-left: 1.1rem; color: var(--muted); }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.88rem; }
caption { text-align: left; padding-bottom: 0.4rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.8rem 0.4rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 550; color: var(--muted); overflow-wrap: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; white-space: nowrap; }
footer { margin-top: 3rem; color: var(--muted); font-size: 0.85rem; }
@media (max-width: 36rem) {
  main { padding: 1.5rem 1rem 3rem; }
  .turn > summary .size { float: none; display: block; margin-left: 1.1rem; }
  .call dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 0.4rem; }
}
@media print {
  :root { --back: #fff; --raised: #fff; --text: #000; --muted: #444; --line: #bbb; --strong: #2f6690; --soft: #b9cfe0; --warn: #7a3a14; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .turn { content-visibility: visible; }
  .turn > summary { margin-bottom: 0.6rem; }
  .turn::details-content { content-visibility: visible; block-size: auto; }
  .call { border: 1px solid var(--line); }
  .call h3, h2, summary { break-after: avoid; }
  tr, figure { break-inside: avoid; }
  rect { print-color-adjust: exact; }
  .figures, .shown { display: none; }
}`;
