/** Lines as an editor counts them (LF, CRLF and CR end one), cut out byte for byte. */

/** The text of lines `first` to `last`, both from 1 and inclusive, each with its own line end. */
export function lineRange(text: string, first: number, last: number): string {
  const start = startOfLine(text, first, 0);
  return text.slice(start, startOfLine(text, last - first + 2, start));
}

/** The number of the line, from 1, that code unit `index` is in. */
export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = 0; i < index; i++) if (endsLine(text, i)) line++;
  return line;
}

/** The code unit at which line number `line`, counted from the line that starts at `from`, begins; the text's end if it has fewer. */
function startOfLine(text: string, line: number, from: number): number {
  let index = from;
  for (let left = line - 1; left > 0 && index < text.length; index++) {
    if (endsLine(text, index)) left--;
  }
  return index;
}

function endsLine(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit === 10 || (unit === 13 && text.charCodeAt(index + 1) !== 10);
}
