/**
 * Continue sessions (~/.continue/sessions/<id>.json): `{ history: [{ message, contextItems }], title, sessionId }`.
 *
 * | part | becomes |
 * | --- | --- |
 * | `message` | an OpenAI message (openaiMessage.ts), with `toolCalls` and `toolCallId` |
 * | `toolCallStates[].output` | results, where no message of tool has them |
 * | `contextItems` | counted: what the person put beside the words |
 */
import { folderName } from "./common";
import type { DocumentFormat } from "./format";
import { isRecord, listOf, recordOf, recordsOf, textOf } from "./json";
import { openAiMessage } from "./openaiMessage";

export const continueSession: DocumentFormat = {
  name: "Continue",
  isOne: (value) =>
    isRecord(value) &&
    recordsOf(value.history).some(({ message }) => typeof recordOf(message).role === "string"),
  read(value, { session }) {
    const { history, sessionId, title, workspaceDirectory } = recordOf(value);
    session.facts({ id: textOf(sessionId), title: textOf(title), workspace: folderName(workspaceDirectory) });
    const items = recordsOf(history);
    session.note("message(s) were no record", listOf(history).length - items.length);
    const told = new Set(items.map(({ message }) => textOf(recordOf(message).toolCallId)));
    for (const { message, contextItems, promptLogs, toolCallStates } of items) {
      session.facts({ model: textOf(recordOf(listOf(promptLogs)[0]).modelTitle) });
      session.note("part(s) that the person put beside the words were left out", listOf(contextItems).length);
      openAiMessage(recordOf(message), session);
      for (const { toolCallId, output, status } of recordsOf(toolCallStates)) {
        if (output === undefined || told.has(textOf(toolCallId))) continue;
        const text = recordsOf(output)
          .map(({ content }) => textOf(content))
          .join("\n");
        session.result({ id: textOf(toolCallId), text, isError: status === "errored" });
      }
    }
  },
};
