/** bench traces: ours. Until the library's own decisions stand here: what is long becomes a head and a ticket line. */
import { onArrival } from "./onArrival";
import { handleOf } from "./paths";
import type { Policy } from "./types";

const LIMIT_CHARS = 5120;
const HEAD_CHARS = 512;

export const ours: Policy = onArrival("ours", ({ text }, at) => {
  if (text.length <= LIMIT_CHARS) return null;
  const facts = `${text.length} characters, ${text.length - HEAD_CHARS} not shown`;
  const ticket = `[${facts}. Call fetch_result with handle='${handleOf(at)}' to read the rest.]`;
  return {
    text: `${text.slice(0, HEAD_CHARS)}\n\n${ticket}`,
    kept: [[0, HEAD_CHARS]],
    isKept: true,
  };
});
