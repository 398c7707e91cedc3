/**
 * Which images of the conversation become lines before the next request (CONFORMANCE §3, §4, C25, B10). What was decided
 * stays decided: a line never becomes an image again. Sizes in bytes; text counts with them.
 */
import type { MediaReason } from "../schema/event";
import type { ImageShown, Message, ToolMessage } from "../schema/message";
import type { AgeingSettings } from "../schema/settings";
import { byteLength } from "../schema/text";
import type { HistoryState, ResultFacts } from "./fold";

/** An image in its place: `part` among the media of its call's result. */
export type PlacedImage = { readonly call: string; readonly part: number; readonly image: ImageShown };
export type ImageCut = { readonly why: MediaReason; readonly images: readonly PlacedImage[] };

export type ImageRules = {
  readonly acceptsImages: boolean;
  readonly ageing: AgeingSettings;
  readonly perTurnBytes: number;
  readonly isExempt: (tool: string) => boolean; // from ageing: writes
};

/** One failure may be the network; what fails twice may be what the request holds. */
const FAILURES = 2;
/** No line is longer. An image that is smaller stays: nothing would be gained. */
const LINE_BYTES = 400;

/** In order: the model cannot take them; no reply came to what had them; age; then the byte budget. */
export function imagesToReplace(state: HistoryState, rules: ImageRules): readonly ImageCut[] {
  let left = state.hasMedia ? imagesIn(state.messages) : [];
  if (left.length === 0) return [];
  const cuts: ImageCut[] = [];
  const cut = (why: MediaReason, images: readonly PlacedImage[]) => {
    if (images.length > 0) cuts.push({ why, images });
    left = left.filter((placed) => !images.includes(placed));
  };
  if (!rules.acceptsImages) cut("model", left);
  if (state.failedInARow >= FAILURES) cut("failed", unanswered(state.messages, left));
  cut("age", left.filter(isDue(state, rules)));
  cut("perTurnBytes", overTurn(state, left, rules.perTurnBytes));
  const lines = cuts.reduce((count, { images }) => count + images.length, 0) * LINE_BYTES;
  const bytes = bytesOf(state.messages) + lines + sum(left);
  cut("perTurnBytes", enoughOf(left, bytes - rules.perTurnBytes)); // oldest first
  return cuts;
}

/** Bytes of the images that a request of these messages shows. */
export const imageBytesOf = (messages: readonly Message[]): number => sum(imagesIn(messages));

/** Every image that a request of these messages shows, oldest first. */
export function imagesIn(messages: readonly Message[]): readonly PlacedImage[] {
  return messages.flatMap((message) =>
    message.role === "tool" && message.media
      ? message.media.flatMap((media, part) =>
          media.shown === "image" ? [{ call: message.call, part, image: media }] : [],
        )
      : [],
  );
}

/** Those of the last block: no reply has ever seen them. */
function unanswered(messages: readonly Message[], images: readonly PlacedImage[]): readonly PlacedImage[] {
  const fresh = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  const calls = new Set(fresh.map((message) => (message.role === "tool" ? message.call : "")));
  return images.filter(({ call }) => calls.has(call));
}

/**
 * An image has no shorter form than its line, so that is what it becomes where a text would (level 2). To keep the
 * prompt cache, only behind what changes before the next request anyway.
 */
function isDue({ messages, results, turn, divergence }: HistoryState, { ageing, isExempt }: ImageRules) {
  const lastReplyAt = messages.findLastIndex(({ role }) => role === "assistant");
  const isFree = ({ at }: ResultFacts) =>
    ageing.strategy === "age" ||
    (ageing.strategy === "cacheAware" && divergence.by !== null && at >= divergence.at);
  const isOld = ({ isError, tool, class: toolClass, turn: from }: ResultFacts) =>
    !isError && !isExempt(tool) && toolClass !== "execute" && turn + 1 - from >= ageing.clearAfterTurns;
  return ({ call }: PlacedImage): boolean => {
    const result = results.get(call);
    if (result === undefined || result.at > lastReplyAt) return false; // no reply has followed it yet
    return !result.isPinned && isOld(result) && isFree(result);
  };
}

/** Of the last turn's results alone: largest first, no more than needed. */
function overTurn(
  { messages, results, turn }: HistoryState,
  images: readonly PlacedImage[],
  limit: number,
): readonly PlacedImage[] {
  const ofTurn = [...results.values()].filter((facts) => facts.turn === turn);
  const calls = new Set(ofTurn.map(({ call }) => call));
  const mine = images.filter(({ call }) => calls.has(call));
  const texts = messages.filter((message): message is ToolMessage => isResultOf(message, calls));
  const largestFirst = mine.toSorted((a, b) => b.image.bytes - a.image.bytes);
  return enoughOf(largestFirst, bytesOf(texts) + sum(mine) - limit);
}

const isResultOf = (message: Message, calls: ReadonlySet<string>): boolean =>
  message.role === "tool" && calls.has(message.call);

/** The first of them that together make up for what is over. */
function enoughOf(images: readonly PlacedImage[], excessBytes: number): readonly PlacedImage[] {
  let excess = excessBytes;
  return images.filter(({ image }) => {
    if (excess <= 0 || image.bytes <= LINE_BYTES) return false;
    excess -= image.bytes - LINE_BYTES;
    return true;
  });
}

const sum = (images: readonly PlacedImage[]): number =>
  images.reduce((bytes, { image }) => bytes + image.bytes, 0);

/** UTF-8 bytes of all text: what is said, asked, returned, and the lines that stand for media. */
function bytesOf(messages: readonly Message[]): number {
  return messages.reduce((bytes, message) => bytes + byteLength(textOf(message)), 0);
}

function textOf(message: Message): string {
  if (message.role === "user") return message.text;
  if (message.role === "assistant")
    return message.text + message.calls.map(({ name, arguments: given }) => name + given).join("");
  const beside = (message.media ?? []).map((media) => (media.shown === "line" ? media.text : media.label));
  return message.text + beside.join("");
}
