/** The content in a text that stands for a longer one: what is left without the sentences around it (ticket.ts, apart.ts). */
import { unfenced } from "./ticket";

/** The sentence behind the content, or all there is where nothing of it is shown. A line on a branch or a clamp may follow. */
const END =
  /^\[(?:Not shown: \d+ characters from |\d+ characters, (?<hidden>\d+) not shown\. |\d+ characters were cut and )/gm;
const NOT_READ = /\n\n\[Not read: characters \d+–\d+\. Next: [^\n]*\]$/;

/** Of a ticket, a projection, a branch's answer, a cut. Only for texts whose provenance is known. */
export function contentIn(text: string, isFenced: boolean): string {
  const end = [...text.matchAll(END)].at(-1);
  const start = text.indexOf("\n\n") + "\n\n".length; // behind the label
  if (end === undefined || end.index < start) return "";
  const body = text.slice(start, end.index - "\n\n".length).replace(NOT_READ, "");
  const content = isFenced ? unfenced(body) : body;
  return content.replace(`\n\n[… ${end.groups?.hidden} characters not shown here …]\n\n`, "");
}
