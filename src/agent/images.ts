/** Images before a request: which stay, their bytes from the store, and the message that carries both. */
import { MEDIA_REASONS, mediaLine } from "../claims/ticket";
import { imagesIn, imagesToReplace, type PlacedImage } from "../history/images";
import type { Digest } from "../schema/claim";
import type { EventOf, MediaReason } from "../schema/event";
import type { Message } from "../schema/message";
import type { ChatRequest, DurableRequest, SentImage, SentMessage } from "../schema/model";
import type { BudgetSettings } from "../schema/settings";
import type { Conversation } from "./conversation";
import { reasonOf } from "./retrieve";
import { record } from "./step";

/** Makes lines of the images that the next request may not carry, by default within the budget of the settings. */
export async function fitImages(
  conversation: Conversation,
  { perTurnBytes }: Pick<BudgetSettings, "perTurnBytes"> = conversation.context.settings.budgets,
): Promise<void> {
  const { settings, ports } = conversation.context;
  const isExempt = (tool: string) =>
    ports.tools.some(({ spec }) => spec.name === tool && spec.effect === "write");
  const rules = {
    acceptsImages: ports.model.info.abilities.images === true,
    ageing: settings.ageing,
    perTurnBytes,
    isExempt,
  };
  for (const { why, images } of imagesToReplace(conversation.history, rules))
    await replace(conversation, why, images);
}

export type LoadedImages = ReadonlyMap<Digest, Uint8Array>;

/**
 * The bytes of every image of the next request, proven. Each content is in memory once. What cannot be read becomes a
 * line, for good: the request goes on without it, and no later one differs.
 */
export async function loadImages(conversation: Conversation): Promise<LoadedImages> {
  const { claims } = conversation.context.ports;
  const loaded = new Map<Digest, Uint8Array>();
  const lost = new Map<MediaReason, PlacedImage[]>();
  for (const placed of imagesIn(conversation.history.messages)) {
    const { sha256 } = placed.image;
    if (loaded.has(sha256)) continue;
    try {
      loaded.set(sha256, await claims.readBytes(sha256));
    } catch (cause) {
      const why = reasonOf(cause);
      lost.set(why, [...(lost.get(why) ?? []), placed]);
    }
  }
  for (const [why, images] of lost) await replace(conversation, why, images);
  return loaded;
}

async function replace(
  conversation: Conversation,
  why: MediaReason,
  images: readonly PlacedImage[],
): Promise<void> {
  const parts = images.map(({ call, part, image }): EventOf<"media_replaced">["parts"][number] => {
    const { handle, sha256, mediaType, bytes } = image;
    const facts = {
      tool: conversation.history.results.get(call)?.tool ?? "a tool",
      mediaType,
      bytes,
      why: MEDIA_REASONS[why],
    };
    return { call, part, handle, text: mediaLine({ ...facts, stored: { sha256, handle } }) };
  });
  const event: EventOf<"media_replaced"> = {
    type: "media_replaced",
    turn: conversation.history.turn + 1,
    why,
    parts,
  };
  await record(conversation, { value: undefined, event });
}

/** The request as it is sent. `images` are those that `loadImages` gave for these messages. */
export function withImages(request: DurableRequest, images: LoadedImages): ChatRequest {
  return { ...request, messages: request.messages.map((message) => sentMessage(message, images)) };
}

function sentMessage(message: Message, loaded: LoadedImages): SentMessage {
  if (message.role !== "tool") return message;
  const { media, ...result } = message;
  if (media === undefined) return result;
  const images: SentImage[] = [];
  const texts = [result.text];
  for (const part of media) {
    texts.push(part.shown === "line" ? part.text : (part.label ?? ""));
    if (part.shown === "line") continue;
    const bytes = loaded.get(part.sha256);
    if (bytes === undefined) throw new Error("an image was to be sent that was not loaded");
    images.push({ mediaType: part.mediaType, bytes });
  }
  const text = texts.filter((one) => one !== "").join("\n\n");
  return { ...result, text, ...(images.length > 0 && { images }) };
}
