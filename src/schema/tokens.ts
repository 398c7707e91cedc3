/** Counting tokens. The counter is a port: its table is large and is loaded when a session opens, not before. */

/** Contract: `count` gives the same number for the same text, for any text, in time linear in its length. */
export type TokenCounter = {
  /** Travels with every figure (CONFORMANCE §0.10). */
  readonly name: string;
  count(text: string): number;
};
