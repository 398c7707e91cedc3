// test/support: a model that plays two parts: the session's, from a script, and a branch's, from a function. A branch's
// request is the one without tools.
import type { ScriptReply } from "../../src/models/script";
import { createScriptedModel } from "../../src/models/scripted";
import type { ChatModel, ChatRequest, ModelInfo, ReplyPart } from "../../src/schema/model";

export type BranchPart = (request: ChatRequest, signal: AbortSignal) => AsyncIterable<ReplyPart>;

export function modelWithBranch(
  replies: readonly ScriptReply[],
  branch: BranchPart,
  info: Partial<ModelInfo> = {},
): ChatModel {
  const scripted = createScriptedModel(
    { name: "Scripted", conversations: [[...replies]] },
    async () => undefined,
  );
  return {
    info: { ...scripted.info, ...info },
    reply: (request, signal) =>
      request.tools.length === 0 ? branch(request, signal) : scripted.reply(request, signal),
  };
}

/** Says that text, in pieces, then what it took. */
export function saying(
  text: string,
  usage = { inputTokens: 900, outputTokens: 40, cachedTokens: null },
): BranchPart {
  return async function* () {
    for (const piece of text.match(/[\s\S]{1,40}/g) ?? []) yield { kind: "text", text: piece };
    yield { kind: "usage", usage };
  };
}

export const answering = (
  answer: string,
  citations: readonly ({ pointer: string } | { quote: string })[],
  completeness = "complete",
): BranchPart => saying(JSON.stringify({ answer, citations, completeness }));

/** What stands between the lines that mark it as data. */
export const sourceIn = ({ messages }: ChatRequest): string => {
  const text = messages.at(-1)?.text ?? "";
  return /\n\n\[Untrusted data from [^\n]*\]\n([\s\S]*)\n\[End of untrusted data\.\]$/.exec(text)?.[1] ?? "";
};
