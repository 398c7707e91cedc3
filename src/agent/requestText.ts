/** The one text that stands for a request, so that its digest can be compared. */
import type { DurableRequest } from "../schema/model";

/** The text that `requested.sha256` is over, in one order of fields: whoever folds the log can rebuild and compare it. */
export function requestText({ system, tools, messages }: DurableRequest): string {
  const inOrder = tools.map(({ name, description, inputSchema, class: toolClass, effect }) => ({
    name,
    description,
    inputSchema,
    class: toolClass,
    effect,
  }));
  return JSON.stringify({ system, tools: inOrder, messages });
}
