/**
 * Secrets never reach the log, the store or the model: each becomes a placeholder that only this session, in this
 * process, can turn back (CONFORMANCE C29). Own patterns rather than a scanner library: see docs/decisions.md.
 */
import type { Hash } from "../schema/claim";

/** Documented formats of keys, and the places where a password stands. A named group `secret` narrows the match to it. */
const PATTERNS: readonly (readonly [string, RegExp])[] = [
  ["private_key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]+?-----END (?:[A-Z]+ )*PRIVATE KEY-----/g],
  ["aws_access_key", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g],
  ["aws_secret_key", /\baws_secret_access_key["']?\s*[=:]\s*["']?(?<secret>[A-Za-z0-9/+]{40})\b/gi],
  ["github_token", /\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b/g],
  ["gitlab_token", /\bglpat-[A-Za-z0-9_-]{20,}/g],
  ["slack_token", /\bxox[abeprs]-[A-Za-z0-9-]{10,}/g],
  ["anthropic_key", /\bsk-ant-[A-Za-z0-9_-]{20,}/g],
  ["openai_key", /\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{20,}/g],
  ["google_key", /\bAIza[0-9A-Za-z_-]{35}/g],
  ["stripe_key", /\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}/g],
  ["npm_token", /\bnpm_[A-Za-z0-9]{36}\b/g],
  ["jwt", /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g],
  [
    "authorization",
    /\bauthorization["']?\s*[=:]\s*["']?(?:bearer|basic|token) (?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
  ],
  ["url_password", /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@'"]+:(?<secret>[^\s@/'"]{3,})@/gi],
];
const PLACEHOLDER = /\[secret:[a-z_]+:[0-9a-f]{8}\]/g;

export class Secrets {
  readonly #salt: string;
  readonly #hash: Hash;
  readonly #known = new Map<string, string>(); // placeholder → secret; never leaves memory

  constructor(salt: string, hash: Hash) {
    this.#salt = salt;
    this.#hash = hash;
  }

  /** The text with every secret replaced, and how many of each kind. The same secret gets the same placeholder. */
  hide(text: string): { text: string; hits: Record<string, number> } {
    const hits: Record<string, number> = {};
    let safe = text;
    for (const [kind, pattern] of PATTERNS) {
      safe = safe.replace(pattern, (...args) => {
        const whole = String(args[0]);
        const groups: unknown = args.at(-1);
        const secret = isGroups(groups) ? groups.secret : whole;
        if (PLACEHOLDER_ONLY.test(secret)) return whole;
        hits[kind] = (hits[kind] ?? 0) + 1;
        const placeholder = `[secret:${kind}:${this.#hash(`${this.#salt}secret${secret}`).slice(0, 8)}]`;
        this.#known.set(placeholder, secret);
        const at = whole.lastIndexOf(secret);
        return whole.slice(0, at) + placeholder + whole.slice(at + secret.length);
      });
    }
    return { text: safe, hits };
  }

  /** JSON text with its placeholders turned back; `unknown` names one that this process did not issue. */
  reveal(json: string): { text: string; unknown: string | null } {
    let unknown: string | null = null;
    const text = json.replace(PLACEHOLDER, (placeholder) => {
      const secret = this.#known.get(placeholder);
      if (secret === undefined) unknown = placeholder;
      return secret === undefined ? placeholder : JSON.stringify(secret).slice(1, -1);
    });
    return { text, unknown };
  }
}

const PLACEHOLDER_ONLY = /^\[secret:[a-z_]+:[0-9a-f]{8}\]$/;

function isGroups(value: unknown): value is { secret: string } {
  return (
    typeof value === "object" && value !== null && typeof (value as { secret?: unknown }).secret === "string"
  );
}
