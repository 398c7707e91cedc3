/**
 * One message of an Anthropic chat, as several formats hold them.
 *
 * | block | becomes |
 * | --- | --- |
 * | `text` of user; of assistant | asked; a reply |
 * | `tool_use` | a call |
 * | `tool_result` | a result, by `tool_use_id`; images are stored beside it |
 * | `thinking` | counted |
 * | records without a type in a result (Cline) | their JSON |
 */
import type { DraftReply, SessionDraft } from "./draft";
import { argumentsOf, isRecord, type Json, listOf, recordsOf, textOf } from "./json";
import { askedText, type Parts, partsOf, unreadPart } from "./parts";

export function anthropicMessage(
  message: Json,
  session: SessionDraft,
  more: Omit<DraftReply, "text" | "calls"> = {},
): void {
  const { content = "" } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
  if (message.role === "assistant") {
    const records = recordsOf(blocks);
    for (const block of records)
      if (block.type !== "text" && block.type !== "tool_use") session.note(unreadPart(block));
    const calls = records
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), arguments: argumentsOf(input) }));
    const text = records
      .filter(({ type }) => type === "text")
      .map((block) => textOf(block.text))
      .join("\n");
    session.replied({ text, calls, ...more });
  } else if (message.role === "user") {
    const { at = null } = more;
    const isResult = (block: unknown): block is Json => isRecord(block) && block.type === "tool_result";
    for (const block of blocks.filter(isResult)) {
      const isError = block.is_error === true;
      session.result({ id: textOf(block.tool_use_id), ...resultParts(block.content, session), isError, at });
    }
    session.asked(
      askedText(
        blocks.filter((block) => !isResult(block)),
        session,
      ),
      at,
    );
  } else session.note(`message(s) of the role “${textOf(message.role).slice(0, 40)}” were not read`);
}

function resultParts(content: unknown, session: SessionDraft): Parts {
  const isOwn = recordsOf(content).some(({ type, text }) => type === undefined && text === undefined);
  return isOwn ? { text: argumentsOf(content), media: [] } : partsOf(content ?? "", session);
}
