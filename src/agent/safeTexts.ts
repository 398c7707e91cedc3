/** What makes foreign text safe outside a call: the same boundary and the same secrets, for a transcript on its way in. */
import type { Hash } from "../schema/claim";
import { asRaw } from "../schema/text";
import { type Bounded, boundary } from "./boundary";
import { type Hidden, Secrets } from "./secrets";

export type SafeTexts = {
  hide(text: string): Hidden;
  /** Null: the boundary refused it. */
  bound(text: string): (Bounded & { kind: "passed" }) | null;
};

export function safeTexts(salt: string, hash: Hash): SafeTexts {
  const secrets = new Secrets(salt, hash);
  return {
    hide: (text) => secrets.hide(text),
    bound: (text) => {
      const bounded = boundary(asRaw(text));
      return bounded.kind === "passed" ? bounded : null;
    },
  };
}
