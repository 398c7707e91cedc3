/**
 * Cline and Roo task histories (api_conversation_history.json): Anthropic messages whose results are plain text.
 *
 * | part | becomes |
 * | --- | --- |
 * | `<read_file>…</read_file>` in a reply, or a `tool_use` block | a call; the tag's body is its arguments, as written |
 * | a tag that was not closed, because the reply was stopped at its call | the same |
 * | a text `[read_file for '…'] Result:` and the texts behind it | the result of the first open call: there are no ids |
 * | `Tool [x] was not executed …` | the result of the next open call, failed |
 * | `<environment_details>` | counted |
 * | any other text of user | asked |
 */
import type { DraftCall, SessionDraft } from "./draft";
import type { DocumentFormat } from "./format";
import { argumentsOf, isRecord, type Json, listOf, recordsOf, textOf, timeOf } from "./json";
import { partsOf, unreadPart } from "./parts";

const TOOLS =
  "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|list_files|list_code_definition_names|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|new_task|switch_mode|fetch_instructions|update_todo_list|codebase_search|plan_mode_respond|load_mcp_documentation|web_fetch|run_slash_command|generate_image|condense";
const CALL = new RegExp(
  `(?<=^|\\n)[ \\t]*<(${TOOLS})>([\\s\\S]*?)(?:</\\1>|(?=\\[Response interrupted by a tool use result)|$(?![\\s\\S]))`,
  "g",
);
const HEAD = /^\[([a-z_]{1,60})(?: for [\s\S]{0,20000}?)?\] Result:\s*/;
const NOT_RUN = /^Tool \[([^\]]{1,60})\] was not executed/;
const ENVIRONMENT = /^\s*<environment_details>/;

const textsOf = ({ content }: Json): readonly string[] =>
  typeof content === "string" ? [content] : recordsOf(content).map(({ text }) => textOf(text));

export const roo: DocumentFormat = {
  name: "Cline or Roo history",
  isOne: (value) =>
    Array.isArray(value) &&
    recordsOf(value).some(
      (message) =>
        message.role === "user" && textsOf(message).some((text) => ENVIRONMENT.test(text) || HEAD.test(text)),
    ),
  read(value, { session }) {
    const all = listOf(value);
    session.note("message(s) were no record", all.length - recordsOf(all).length);
    for (const message of recordsOf(all)) {
      if (message.role === "assistant") reply(message, session);
      else if (message.role === "user") told(message, session);
      else session.note(`message(s) of the role “${textOf(message.role).slice(0, 40)}” were not read`);
    }
  },
};

function reply(message: Json, session: SessionDraft): void {
  const calls: DraftCall[] = [];
  const texts: string[] = [];
  const { content } = message;
  for (const block of typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content)) {
    if (block.type === "tool_use")
      calls.push({ id: textOf(block.id), name: textOf(block.name), arguments: argumentsOf(block.input) });
    else if (block.type !== "text") session.note(unreadPart(block));
    else {
      const text = textOf(block.text);
      for (const [, name = "", body = ""] of text.matchAll(CALL))
        calls.push({ id: "", name, arguments: body.trim() });
      texts.push(text.replace(CALL, "").trim());
    }
  }
  session.replied({ text: texts.filter((text) => text !== "").join("\n"), calls, at: timeOf(message.ts) });
}

function told(message: Json, session: SessionDraft): void {
  const at = timeOf(message.ts);
  let open: { name: string; texts: string[] } | null = null;
  const words: string[] = [];
  const close = () => {
    if (open) session.result({ id: null, name: open.name, text: open.texts.join("\n"), isError: null, at });
    open = null;
  };
  const { content } = message;
  for (const block of typeof content === "string" ? [{ type: "text", text: content }] : listOf(content)) {
    if (isRecord(block) && block.type === "tool_result") {
      close();
      session.result({
        id: textOf(block.tool_use_id),
        ...partsOf(block.content ?? "", session),
        isError: block.is_error === true,
        at,
      });
      continue;
    }
    const { text, media } = partsOf([block], session);
    session.note("image(s) of the person were left out", media.length);
    const [head, name = ""] = HEAD.exec(text) ?? [];
    const [, skipped] = NOT_RUN.exec(text) ?? [];
    if (ENVIRONMENT.test(text)) {
      close();
      session.note("description(s) of the editor's state were left out");
    } else if (head !== undefined) {
      close();
      const rest = text.slice(head.length);
      open = { name, texts: rest === "" ? [] : [rest] };
    } else if (skipped !== undefined) {
      close();
      session.result({ id: null, name: skipped, text, isError: true, at });
    } else if (open) (open as { texts: string[] }).texts.push(text);
    else if (text !== "") words.push(text);
  }
  close();
  session.asked(words.join("\n\n"), at);
}
