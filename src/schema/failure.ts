/** Failures: broken promises of the house. Expected outcomes are values, never these (STYLE, Errors). */

export type FailureCode =
  | "blob-missing"
  | "blob-corrupt"
  | "blob-forgotten"
  | "log-unwritable"
  | "log-damaged"
  | "session-missing"
  | "session-in-use"
  | "session-read-only"
  | "session-too-large"
  | "turn-missing"
  | "act-refused"
  | "store-unwritable"
  | "store-too-new"
  | "store-full"
  | "entry-too-large"
  | "erase-refused"
  | "settings-invalid"
  | "script-invalid"
  | "model-missing"
  | "model-failed"
  | "no-workspace"
  | "import-unreadable"
  | "export-failed"
  | "key-missing"
  | "key-damaged"
  | "seal-unavailable"
  | "contents-unreachable"
  | "policy-too-new";

export type Facts = Readonly<Record<string, string | number>>;

/** Thrown where the house cannot keep a promise. `message` says what to do next; `facts` are safe to show and to log. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly facts: Facts;

  constructor(code: FailureCode, message: string, facts: Facts = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "Failure";
    this.code = code;
    this.facts = facts;
  }
}

/** Ends a fold's switch: a forgotten event kind is a compile error. */
export function unreachable(value: never): never {
  throw new Error(`unhandled ${JSON.stringify(value)}`);
}
