/**
 * mini-swe-agent trajectories: OpenAI messages in `{ trajectory_format, messages, info }`, each with `extra`.
 *
 * | of `extra` | becomes |
 * | --- | --- |
 * | `timestamp`, `response.created` | times |
 * | `response.model`, `.usage` | model and usage |
 * | message of the role `exit` | counted: it is the submission, and was not said |
 */
import type { DocumentFormat } from "./format";
import { countOf, isRecord, listOf, recordOf, textOf, timeOf } from "./json";
import { openAiMessage } from "./openaiMessage";

export const miniSweAgent: DocumentFormat = {
  name: "mini-swe-agent",
  isOne: (value) =>
    isRecord(value) &&
    textOf(value.trajectory_format).startsWith("mini-swe-agent") &&
    Array.isArray(value.messages),
  read(value, { session }) {
    const { messages, instance_id, info } = recordOf(value);
    const model = textOf(recordOf(recordOf(recordOf(info).config).model).model_name);
    session.facts({ id: textOf(instance_id), title: textOf(instance_id), model });
    for (const item of listOf(messages)) {
      const message = recordOf(item);
      const { timestamp, response } = recordOf(message.extra);
      const { usage, created } = recordOf(response);
      const { prompt_tokens, completion_tokens } = recordOf(usage);
      const at = timeOf(timestamp) ?? timeOf(created);
      openAiMessage(message, session, {
        at,
        input: countOf(prompt_tokens),
        output: countOf(completion_tokens),
      });
    }
  },
};
