/**
 * Anthropic chats, and the Cline sessions that hold one.
 *
 * | file | becomes |
 * | --- | --- |
 * | `[message, …]`, `{ system, messages }` with blocks of calls and results | a session (anthropicMessage.ts) |
 * | `{ version, agent, sessionId, system_prompt, messages }` (Cline) | the same, with times, model and usage |
 */
import { anthropicMessage } from "./anthropicMessage";
import type { DocumentFormat } from "./format";
import { countOf, isRecord, listOf, recordOf, recordsOf, textOf, timeOf } from "./json";
import { partsOf } from "./parts";

const BLOCKS = new Set(["tool_use", "tool_result", "thinking"]);

const isChat = (value: unknown): boolean =>
  recordsOf(value).some(
    ({ role, content }) =>
      (role === "user" || role === "assistant") &&
      recordsOf(content).some(({ type }) => BLOCKS.has(textOf(type))),
  );

export const anthropic: DocumentFormat = {
  name: "Anthropic messages",
  isOne: (value) => isChat(value) || (isRecord(value) && isChat(value.messages)),
  read(value, { session }) {
    const { messages, system, system_prompt, model, sessionId } = isRecord(value)
      ? value
      : { messages: value };
    const words = textOf(system_prompt) || partsOf(system ?? "", session).text;
    session.facts({ system: words, model: textOf(model), id: textOf(sessionId) });
    const all = listOf(messages);
    session.note("message(s) were no record", all.length - recordsOf(all).length);
    for (const message of recordsOf(all)) {
      const { inputTokens, outputTokens, cacheReadTokens } = recordOf(message.metrics);
      session.facts({ model: textOf(recordOf(message.modelInfo).id) });
      anthropicMessage(message, session, {
        at: timeOf(message.ts),
        input: countOf(inputTokens),
        output: countOf(outputTokens),
        cached: countOf(cacheReadTokens),
      });
    }
  },
};
