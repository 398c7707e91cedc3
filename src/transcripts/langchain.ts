/**
 * LangChain messages: `[{ lc: 1, type: "constructor", id: […, "AIMessage"], kwargs }, …]`.
 *
 * | class | becomes |
 * | --- | --- |
 * | `HumanMessage`, `SystemMessage` | asked; the system text |
 * | `AIMessage` | a reply; `tool_calls`, whose `tool_use` parts repeat them |
 * | `ToolMessage` | a result, by `tool_call_id` |
 */
import type { DocumentFormat } from "./format";
import { isRecord, type Json, listOf, recordOf, textOf } from "./json";
import { callsOf, systemText } from "./openaiMessage";
import { askedText, partsOf } from "./parts";

const isConstructor = (value: unknown): value is Json =>
  isRecord(value) && value.lc === 1 && isRecord(value.kwargs);

export const langchain: DocumentFormat = {
  name: "LangChain messages",
  isOne: (value) => listOf(value).slice(0, 20).some(isConstructor),
  read(value, { session }) {
    for (const item of listOf(value)) {
      const { kwargs, id } = recordOf(item);
      const { type, content = "", ...rest } = recordOf(kwargs);
      const role = `${textOf(type)} ${textOf(listOf(id).at(-1))}`;
      if (/^human|HumanMessage/.test(role)) session.asked(askedText(content, session));
      else if (/^system|SystemMessage/.test(role)) systemText(partsOf(content, session).text, session);
      else if (/^tool|ToolMessage/.test(role)) {
        const isError = rest.status === "error";
        session.result({ id: textOf(rest.tool_call_id), ...partsOf(content, session), isError });
      } else if (/^ai|AIMessage/.test(role)) {
        session.facts({ model: textOf(recordOf(rest.response_metadata).model) });
        const said = Array.isArray(content)
          ? content.filter((part) => recordOf(part).type !== "tool_use")
          : content;
        session.replied({ text: partsOf(said, session).text, calls: callsOf(rest, session) });
      } else session.note("message(s) of no known class were not read");
    }
  },
};
