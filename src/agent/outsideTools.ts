/** What a server says of its tools is data from outside too: made safe before it is logged or sent (CONFORMANCE §0.1). */
import { asRaw } from "../schema/text";
import type { Tool } from "../schema/tool";
import { boundary } from "./boundary";
import type { Secrets } from "./secrets";

/** Our own tools as they are; the words of others without forged turns and secrets. Contract: schemas are JSON of a bounded depth. */
export function withSafeSpecs(tools: readonly Tool[], secrets: Secrets): readonly Tool[] {
  return tools.map((tool) => {
    const { spec } = tool;
    if (spec.reach !== "outside") return tool;
    const { description, inputSchema, origin } = spec;
    const words = safeJson({ description, inputSchema, ...(origin && { origin }) }, (text) =>
      safeText(text, secrets),
    );
    return { ...tool, spec: { ...spec, ...words } };
  });
}

function safeText(text: string, secrets: Secrets): string {
  const bounded = boundary(asRaw(text));
  return bounded.kind === "passed" ? secrets.hide(bounded.text).text : "";
}

/** The same value with every string in it made safe; names of members stay, because calls use them. */
function safeJson<T>(value: T, safe: (text: string) => string): T {
  const changed = (item: unknown): unknown => {
    if (typeof item === "string") return safe(item);
    if (Array.isArray(item)) return item.map(changed);
    if (typeof item !== "object" || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, changed(inner)]));
  };
  return changed(value) as T;
}
