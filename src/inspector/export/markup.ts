/** HTML out of pieces: what is interpolated is text, cut and made visible, unless it is markup of ours. */
import { charLength } from "../../schema/text";
import { harmless, harmlessLines } from "../columns";

/** Markup that this room wrote. Nothing else becomes an element. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

type Piece = Markup | string | number | null | readonly Piece[];

/** The longest text on one line: a name or a sentence that is longer is not one. */
const LINE_CHARS = 400;

/** Contract: strings are somebody's; they stand on one line, escaped. Null is nothing. */
export function html(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(
    parts.map((part, at) => part + (at < pieces.length ? markupOf(pieces[at] ?? null) : "")).join(""),
  );
}

function markupOf(piece: Piece): string {
  if (piece === null) return "";
  if (piece instanceof Markup) return piece.html;
  if (typeof piece === "object") return piece.map(markupOf).join("");
  const { kept, left } = cutAt(String(piece), LINE_CHARS);
  return (
    escaped(harmless(kept)) +
    (left > 0 ? escaped(` … (${left.toLocaleString("en")} characters left out)`) : "")
  );
}

/** Text of several lines as it is, up to `limit` characters; `whole` says where the rest of it is. */
export function textBlock(text: string, limit: number, whole: string): Markup {
  const { kept, left } = cutAt(text, limit);
  const shown = new Markup(escaped(harmlessLines(kept.replaceAll("\r\n", "\n"))));
  const count = left.toLocaleString("en");
  const note =
    left > 0
      ? html`<p class="cut">${count} character${left === 1 ? "" : "s"} left out; the whole is ${whole}.</p>`
      : null;
  return html`<pre>${shown}</pre>${note}`;
}

/** No half character at the end. `left` in characters. */
function cutAt(text: string, limit: number): { readonly kept: string; readonly left: number } {
  if (text.length <= limit) return { kept: text, left: 0 };
  const last = text.charCodeAt(limit - 1);
  const kept = text.slice(0, last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit);
  return { kept, left: charLength(text) - charLength(kept) };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, (found) => ENTITIES[found] ?? found);

/** A table with a caption, `heads` above it; a head that begins with "#" is of numbers. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Piece[])[],
): Markup {
  const isNumber = heads.map((head) => head.startsWith("#"));
  const cell = (piece: Piece, at: number) =>
    isNumber[at] ? html`<td class="number">${piece}</td>` : html`<td>${piece}</td>`;
  const head = heads.map((name, at) =>
    isNumber[at]
      ? html`<th scope="col" class="number">${name.slice(1)}</th>`
      : html`<th scope="col">${name}</th>`,
  );
  return html`<div class="table"><table><caption>${caption}</caption><thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody></table></div>`;
}
