/** What every wire format needs of a text: never blank, never ill formed, and JSON of which every byte is decided here. */
import type { ChatRequest } from "../../schema/model";

/** Stands where a provider takes no blank text. What a tool says by saying nothing is said in words. */
export const orPlaceholder = (text: string, placeholder: string): string =>
  text.trim() === "" ? placeholder : text;

const ESCAPES =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\[\s\S]/g;

/** The same JSON without half characters, raw or escaped: a server that reads one refuses the whole body. */
export function soundJson(json: string): string {
  const text = json.toWellFormed();
  if (!/\\u[dD]/.test(text)) return text;
  return text.replace(ESCAPES, (found) => (/^\\u[dD].{3}$/.test(found) ? "\\ufffd" : found));
}

/**
 * A call's arguments as the text of a JSON object. Those that are one stay as the model wrote them, digit by digit; others
 * are wrapped: broken JSON in a history makes some servers refuse every later request, and Anthropic takes objects only.
 */
export function objectText(given: string): string {
  const text = soundJson(given);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return text.trim() === "" ? "{}" : JSON.stringify({ invalid_json: text });
  }
  return isRecord(value) ? text : `{"value":${text}}`;
}

/** A name that both providers take: as it is, or its letters and a digest. The same name always becomes the same. */
export function wireName(name: string): string {
  return isPlain(name, 64) ? name : abridged(name, 64);
}

/** Neither provider takes these at the top of a tool's schema, and one such tool costs every request. */
const REFUSED = ["anyOf", "oneOf", "allOf", "not", "enum"];

type Schema = ChatRequest["tools"][number]["inputSchema"];

/**
 * A tool's schema as both providers take it: an object with properties. What only a branch says of a property is said at
 * the top, and the rule that is left out in the description; whoever has the tool checks the arguments against the whole.
 */
export function wireSchema(schema: Schema): Schema {
  const left = Object.fromEntries(Object.entries(schema).filter(([key]) => REFUSED.includes(key)));
  const isLeft = Object.keys(left).length > 0;
  if (!isLeft && schema.type === "object" && isRecord(schema.properties)) return schema;
  const kept = Object.fromEntries(Object.entries(schema).filter(([key]) => !REFUSED.includes(key)));
  const branches = [left.anyOf, left.oneOf, left.allOf, [schema]].flat().filter(isRecord);
  const properties = branches.flatMap((branch) =>
    isRecord(branch.properties) ? Object.entries(branch.properties) : [],
  );
  const described = [schema.description, `Also: ${JSON.stringify(left)}`].filter(Boolean).join(" ");
  return {
    ...kept,
    ...(isLeft && { description: described }),
    type: "object",
    properties: Object.fromEntries(properties), // of two with a name the later: the schema's own
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The ids of one request, in the order they are asked for. An id that the format takes stays as it is; one that it does not
 * take, or that an earlier call of the request has, becomes another, the same for the same calls before it. No two are alike.
 */
export class WireIds {
  readonly #maximum: number;
  readonly #taken = new Set<string>();
  readonly #times = new Map<string, number>();

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  next(id: string): string {
    let times = this.#times.get(id) ?? 0;
    let wire = times === 0 && isPlain(id, this.#maximum) ? id : abridged(id, this.#maximum, times);
    while (this.#taken.has(wire)) wire = abridged(id, this.#maximum, ++times);
    this.#times.set(id, times + 1);
    this.#taken.add(wire);
    return wire;
  }
}

const isPlain = (text: string, maximum: number): boolean =>
  text.length <= maximum && /^[a-zA-Z0-9_-]+$/.test(text);

function abridged(text: string, maximum: number, times = 0): string {
  const mark = `_${fnv1a(`${times} ${text}`)}`;
  return `${text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maximum - mark.length)}${mark}`;
}

/** FNV-1a over UTF-16 code units, 64 bits in 16 hex digits: to tell names apart, not to prove anything. */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let i = 0; i < text.length; i++)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(i))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}
