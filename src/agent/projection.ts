/** The values that the user has declared of a tool's JSON results, in the result's own bytes (seed 002 D3 `digests`). */
import { charLength } from "../schema/text";
import { pathOf, scan } from "../thimble/scan";

/** `text` is an object of pointers and values; `chars` counts the values alone. `none`: why there is nothing to show. */
export type Projection =
  | { readonly kind: "values"; readonly text: string; readonly values: number; readonly chars: number }
  | { readonly kind: "none"; readonly why: string };

/** Contract: all of the values or none, and never more than `maximumChars` of them. */
export function projectionOf(content: string, pointers: readonly string[], maximumChars: number): Projection {
  const wanted = [...new Set(pointers)];
  const scanned = scan(content, wanted.map(pathOf));
  if (scanned.kind === "invalid") return { kind: "none", why: "the result is not JSON" };
  const slices: string[] = [];
  const problems: string[] = [];
  for (const [i, pointer] of wanted.entries()) {
    const found = scanned.found[i];
    if (found?.kind === "token") slices.push(content.slice(found.token.start, found.token.end));
    else problems.push(`${pointer} ${found?.kind === "ambiguous" ? "occurs twice" : "is missing"}`);
  }
  if (problems.length > 0) return { kind: "none", why: problems.join(", ") };
  const chars = slices.reduce((sum, slice) => sum + charLength(slice), 0);
  if (chars > maximumChars)
    return { kind: "none", why: `they have ${chars} characters, more than ${maximumChars}` };
  const members = wanted.map((pointer, i) => `${JSON.stringify(pointer)}:${slices[i]}`);
  return { kind: "values", text: `{${members.join(",")}}`, values: slices.length, chars };
}
