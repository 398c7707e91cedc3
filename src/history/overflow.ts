/** A request that did not fit: how providers say so, and what of a history can go (CONFORMANCE §4, P18). */
import type { Splice } from "../schema/event";
import type { Message, UserMessage } from "../schema/message";
import { blockStarts } from "./pair";
import type { RequestSizes } from "./sizes";

/** Words that providers refuse a request with because of its size, and no other way. */
const REFUSALS: readonly RegExp[] = [
  /context[ _-]?(?:length|window|size)[ _-]?(?:limit[ _-]?)?(?:exceed|overflow|is full|too)/i,
  /exceed\w* (?:the |its |your )?(?:model'?s? )?(?:maximum |max |available )?(?:context|(?:input|prompt) (?:token|length|size)|token (?:limit|count)|number of (?:input )?tokens)/i,
  /maximum context length/i,
  /(?:prompt|input|request|message|conversation|context)s? (?:is|was|are) too (?:long|large|big)/i,
  /(?:prompt|input|request|payload|entity|body|context)[ _]too[ _](?:long|large)/i,
  /too many (?:input |prompt )?tokens/i,
  /input token count .{0,200} exceeds/i,
  /model_max_prompt_tokens_exceeded|context_length_exceeded|request_too_large/i,
  /reduce the length of (?:the|your) (?:messages|prompt|input)/i,
  /(?:^|[:(] ?|\b(?:http|status|code|error) ?[=(]? ?)413\b|\b413 (?:status|payload|request|content|entity)/i, // a status, and no other number
];
/** A limit of requests or tokens per time is no limit of size: waiting helps there, cutting does not. */
const RATES = /rate.?limit|per (?:minute|hour|day|second)|quota|\bTPM\b|\b429\b/i;

export const isOverflow = (error: string): boolean =>
  !RATES.test(error) && REFUSALS.some((pattern) => pattern.test(error));

/**
 * How many of the first messages go so that the rest is at most `keepTokens`: whole blocks, and never the last one.
 * Null: there is no older block.
 */
export function oldBlocks(
  messages: readonly Message[],
  sizes: RequestSizes,
  keepTokens: number,
): number | null {
  const starts = blockStarts(messages).filter((at) => at > 0);
  return starts.find((at) => sizes.tokensFrom(at) <= keepTokens) ?? starts.at(-1) ?? null;
}

/** One message of the user's side in the place of what goes. */
export const removalOf = (count: number, note: UserMessage): Splice => ({
  at: 0,
  remove: count,
  insert: [note],
});
