/** What every wire format needs of a text: never blank, never ill formed, and JSON of which every byte is decided here. */

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
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? text : `{"value":${text}}`;
}

/** A name that both providers take: as it is, or its letters and a digest. The same name always becomes the same. */
export function wireName(name: string): string {
  return isPlain(name, 64) ? name : abridged(name, 64);
}

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
