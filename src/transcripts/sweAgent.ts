/**
 * SWE-agent trajectories (*.traj): `{ trajectory, history, info }`.
 *
 * | file | becomes |
 * | --- | --- |
 * | `history` with `tool_calls` | OpenAI messages (openaiMessage.ts), demonstrations included |
 * | without: what stands in `history` before the first reply | system text and asked |
 * | `trajectory[n]` | a reply with one call: the action as written, its first word as the tool; its observation is the result |
 */
import type { SessionDraft } from "./draft";
import type { DocumentFormat } from "./format";
import { isRecord, type Json, listOf, recordOf, recordsOf, textOf } from "./json";
import { openAiMessage } from "./openaiMessage";

export const sweAgent: DocumentFormat = {
  name: "SWE-agent",
  isOne: (value) => isRecord(value) && Array.isArray(value.trajectory) && Array.isArray(value.history),
  read(value, { session }) {
    const { history, trajectory, replay_config } = recordOf(value);
    const { agent } = recordOf(replay_config);
    session.facts({
      title: textOf(recordOf(agent).name),
      model: textOf(recordOf(recordOf(agent).model).name),
    });
    const said = recordsOf(history);
    session.note("message(s) were no record", listOf(history).length - said.length);
    session.note("message(s) were a demonstration", said.filter(({ is_demo }) => is_demo === true).length);
    if (said.some(({ tool_calls }) => listOf(tool_calls).length > 0)) {
      for (const message of said) openAiMessage(message, session);
      return;
    }
    const first = said.findIndex(({ role, is_demo }) => role === "assistant" && is_demo !== true);
    for (const message of said.slice(0, first < 0 ? said.length : first)) openAiMessage(message, session);
    for (const [at, step] of recordsOf(trajectory).entries()) readStep(step, at, session);
  },
};

function readStep({ action, observation, response, thought }: Json, at: number, session: SessionDraft): void {
  const words = textOf(action);
  const id = `step-${at}`;
  const name = /^\s*([\w.-]{1,60})/.exec(words)?.[1] ?? "action";
  session.replied({ text: textOf(thought) || textOf(response), calls: [{ id, name, arguments: words }] });
  if (typeof observation === "string") session.result({ id, text: observation, isError: null });
}
