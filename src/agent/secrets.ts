/**
 * Secrets never reach the log, the store or the model: each becomes a placeholder that only this session, in this
 * process, can turn back (CONFORMANCE C29). Own patterns rather than a scanner library: see docs/decisions.md.
 */
import type { Hash } from "../schema/claim";

/**
 * Documented formats of keys, and the places where a password stands. A named group `secret` narrows the match to it.
 * Every repetition is bounded, or ends where the next match could begin: hostile text costs no more than its length.
 */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  [
    "private_key",
    /-----BEGIN (?:[A-Z]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){1,32768}-----END (?:[A-Z]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g,
  ],
  ["aws_access_key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  [
    "aws_secret_key",
    /(?:aws_secret_access_key|aws_secret_key|secretaccesskey)\\?["']?\s{0,20}[=:]\s{0,20}\\?["']?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
  ],
  ["github_token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g],
  ["gitlab_token", /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ["slack_token", /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g],
  ["anthropic_key", /\bsk-ant-[A-Za-z0-9_-]{20,}/g],
  ["openai_key", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{0,200}?[0-9][A-Za-z0-9_-]{20,}/g],
  ["google_key", /\bAIza[0-9A-Za-z_-]{35}/g],
  ["stripe_key", /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}/g],
  ["npm_token", /\bnpm_[A-Za-z0-9]{36}\b/g],
  [
    "jwt", // what only begins like one is passed over whole, or each "eyJ" in it would be read on from
    /\b(?:(?<secret>eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,1000})|eyJ[A-Za-z0-9_-]*)/g,
  ],
  [
    "authorization",
    /\bauthorization\\?["']?\s{0,20}[=:]\s{0,20}\\?["']?(?:bearer|basic|token) {1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
  ],
  [
    "url_password", // what only stands for a password is none: ${PASSWORD}, <password>, ***
    /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@'"]{0,255}:(?!\$\{|\$\(|[<{]|%s|\*{3})(?<secret>[^\s@/?#'"]{3,256})@/gi,
  ],
];
const PLACEHOLDER = /\[secret:[a-z_]+:[0-9a-f]{8,64}\]/g;
const PLACEHOLDER_ONLY = new RegExp(`^${PLACEHOLDER.source}$`);

export type Hidden = { readonly text: string; readonly hits: Readonly<Record<string, number>> };

export class Secrets {
  readonly #salt: string;
  readonly #hash: Hash;
  readonly #known = new Map<string, string>(); // placeholder → secret; never leaves memory
  readonly #handedOut = new Set<string>(); // placeholders whose secret a tool was given

  constructor(salt: string, hash: Hash) {
    this.#salt = salt;
    this.#hash = hash;
  }

  /** The text with every secret replaced, and how many of each kind. The same secret gets the same placeholder. */
  hide(text: string): Hidden {
    return this.#hide(text, () => true);
  }

  /**
   * The same for JSON text: what a string says is searched, not how it is written, and every string without a secret
   * keeps its bytes. Text that is no JSON is searched as it stands.
   */
  hideInJson(json: string): Hidden {
    if (!isJson(json)) return this.hide(json);
    const hits: Record<string, number> = {};
    const count = (more: Hidden["hits"]) => {
      for (const [kind, n] of Object.entries(more)) hits[kind] = (hits[kind] ?? 0) + n;
    };
    const inStrings = mapStrings(json, (literal) => {
      const value = String(JSON.parse(literal));
      const hidden = this.hide(value);
      count(hidden.hits);
      return hidden.text === value ? literal : JSON.stringify(hidden.text);
    });
    const across = this.#hide(inStrings, (secret) => !/["\\]/.test(secret)); // a name in one string, its secret in the next
    count(across.hits);
    return { text: across.text, hits };
  }

  /** JSON text with its placeholders turned back; `unknown` names one that this process did not issue. */
  reveal(json: string): { text: string; unknown: string | null } {
    let unknown: string | null = null;
    const text = json.replace(PLACEHOLDER, (placeholder) => {
      const secret = this.#known.get(placeholder);
      if (secret === undefined) {
        unknown = placeholder;
        return placeholder;
      }
      this.#handedOut.add(placeholder);
      return JSON.stringify(secret).slice(1, -1);
    });
    return { text, unknown };
  }

  #hide(text: string, isTaken: (secret: string) => boolean): Hidden {
    const hits: Record<string, number> = {};
    let safe = text;
    for (const placeholder of this.#handedOut) {
      const secret = this.#known.get(placeholder) ?? "";
      if (!isDistinctive(secret) || !safe.includes(secret)) continue;
      const kind = placeholder.split(":")[1] ?? "";
      safe = safe.replaceAll(secret, () => {
        hits[kind] = (hits[kind] ?? 0) + 1;
        return placeholder;
      });
    }
    for (const [kind, pattern] of PATTERNS) {
      safe = safe.replace(pattern, (...args) => {
        const whole = String(args[0]);
        const groups: unknown = args.at(-1);
        const secret = groups === null || typeof groups !== "object" ? whole : (groups as Groups).secret;
        if (secret === undefined || PLACEHOLDER_ONLY.test(secret) || !isTaken(secret)) return whole;
        hits[kind] = (hits[kind] ?? 0) + 1;
        const at = whole.lastIndexOf(secret);
        return whole.slice(0, at) + this.#placeholderFor(kind, secret) + whole.slice(at + secret.length);
      });
    }
    return { text: safe, hits };
  }

  #placeholderFor(kind: string, found: string): string {
    const secret = found.replace(PLACEHOLDER, (inner) => this.#known.get(inner) ?? inner); // one secret around another
    const digest = this.#hash(`${this.#salt}secret${secret}`);
    for (let digits = 8; ; digits += 8) {
      const placeholder = `[secret:${kind}:${digest.slice(0, digits)}]`;
      const holder = this.#known.get(placeholder);
      if (holder !== undefined && holder !== secret && digits < digest.length) continue; // taken by another secret
      this.#known.set(placeholder, secret);
      return placeholder;
    }
  }
}

/** A word such as "postgres" is many people's password and many more people's word: only what is neither is looked for. */
function isDistinctive(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 8 && /\d/.test(secret) && /[A-Za-z]/.test(secret));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}

/** Valid JSON with every string literal, quotes included, replaced by what `change` makes of it. */
function mapStrings(json: string, change: (literal: string) => string): string {
  let mapped = "";
  let from = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', from)) {
    let end = start + 1;
    while (json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
    mapped += json.slice(from, start) + change(json.slice(start, end + 1));
    from = end + 1;
  }
  return mapped + json.slice(from);
}

/** A pattern's named groups: no `secret` where it only passed over something. */
type Groups = { readonly secret: string | undefined };
