/** Parts of a result that are not text, as the inspector shows them. */
import type { EventOf } from "../schema/event";
import type { CallView, MediaView } from "../schema/view";

type Media = Pick<CallView, "media">;

export function mediaStored(
  call: CallView,
  { handle, mediaType = "", bytes }: EventOf<"tool_result_stored">,
): Media {
  return { media: [...call.media, { handle, mediaType, bytes, shown: "stored", text: "" }] };
}

/** All of them in the tool's order, also those that could not be stored. */
export function mediaShown({ media = [] }: EventOf<"remembered">): Media {
  return {
    media: media.map(({ handle, mediaType, bytes, ...how }): MediaView => {
      const text = how.shown === "line" ? how.text : (how.label ?? "");
      return { handle, mediaType, bytes, shown: how.shown, text };
    }),
  };
}

export function mediaReplaced(
  call: CallView,
  { part, text }: EventOf<"media_replaced">["parts"][number],
): Media {
  return { media: call.media.map((media, at) => (at === part ? { ...media, shown: "line", text } : media)) };
}

/** "image/png, 48211 bytes, shown". */
export const mediaWords = ({ mediaType, bytes, shown, handle }: MediaView): string => {
  const how = shown === "image" ? "shown" : handle === null ? "not stored" : "stored, not shown";
  return `${mediaType}, ${bytes} bytes, ${how}`;
};
