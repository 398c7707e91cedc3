// The inspector's browser side: what the model becomes when details, texts and requests come that were asked for. Pure.
import type { Details, TextWindow, ToViewOf } from "../src/schema/inspector";
import type { PageModel } from "./model";

/** Windows of a text that follow the one in the details, by `textKey`. */
export type Texts = ReadonlyMap<string, readonly TextWindow[]>;
export const textKey = (key: string, part: string): string => `${key}\n${part}`;

/** Details kept; the ones that came first are dropped. */
const MAXIMUM_DETAILS = 20;

export function detailsCame(model: PageModel, details: Details): PageModel {
  const { key } = details;
  const kept = [...model.details].filter(([other]) => other !== key).slice(1 - MAXIMUM_DETAILS);
  return {
    ...model,
    details: new Map([...kept, [key, details]]),
    texts: new Map([...model.texts].filter(([name]) => !name.startsWith(`${key}\n`))),
    asked: {
      ...model.asked,
      details: without(model.asked.details, [key]),
      staleDetails: without(model.asked.staleDetails, [key]),
    },
  };
}

/** A further window is taken where it goes on from what is there; any other was asked for before the details came anew. */
export function textCame(model: PageModel, { key, part, text }: ToViewOf<"text">): PageModel {
  const name = textKey(key, part);
  const windows = model.texts.get(name) ?? [];
  const last = windows.at(-1) ?? partOf(model.details.get(key), part);
  if (last == null || last.next !== text.offset) return model;
  return { ...model, texts: new Map([...model.texts, [name, [...windows, text]]]) };
}

/** A part of details by its name: "returned", "shown", "now", or the label of one of its other texts. */
export function partOf(details: Details | undefined, part: string): TextWindow | null {
  if (details === undefined) return null;
  if (part === "returned" || part === "shown" || part === "now") return details[part];
  return details.texts.find(({ label }) => label === part)?.text ?? null;
}

/** Windows of one request follow one another; those of another request are shown instead. */
export function requestCame(model: PageModel, { request, problem }: ToViewOf<"request">): PageModel {
  const was = model.request?.request;
  const goesOn =
    request !== null &&
    was != null &&
    was.turn === request.turn &&
    was.n === request.n &&
    request.from === was.from + was.items.length;
  const next = goesOn ? { ...request, from: was.from, items: [...was.items, ...request.items] } : request;
  const messages = request !== null && was?.n === request.n ? model.messages : [];
  return { ...model, request: { request: next, problem }, messages };
}

export const without = <T>(set: ReadonlySet<T>, gone: Iterable<T>): ReadonlySet<T> => {
  const left = new Set(set);
  for (const one of gone) left.delete(one);
  return left;
};
