// The inspector's browser side: shows where a text that is looked for stands, in rows that have it and in the details.

const NAME = "found"; // as the style sheet has it
const MOST_MARKS = 500;
const MARKED = ".row.match .row-text, #details .details-body";

/** After each render. Nothing of the page is changed: the browser paints over it. */
export function markFound(root: HTMLElement, text: string): void {
  const wanted = text.trim().toLowerCase();
  const ranges: Range[] = [];
  if (wanted !== "")
    for (const element of root.querySelectorAll(MARKED))
      for (const node of textsIn(element)) mark(node, wanted, ranges);
  if (ranges.length === 0) CSS.highlights.delete(NAME);
  else CSS.highlights.set(NAME, new Highlight(...ranges));
}

function* textsIn(element: Element): Iterable<Text> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) yield walker.currentNode as Text;
}

function mark(node: Text, wanted: string, ranges: Range[]): void {
  const text = node.data.toLowerCase();
  if (text.length !== node.data.length) return; // letters that change their length with their case
  let at = text.indexOf(wanted);
  while (at >= 0 && ranges.length < MOST_MARKS) {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + wanted.length);
    ranges.push(range);
    at = text.indexOf(wanted, at + wanted.length);
  }
}
