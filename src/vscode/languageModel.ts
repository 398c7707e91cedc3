/** Any model that the user has in VS Code, behind the house's port. */
import * as vscode from "vscode";
import { Failure } from "../schema/failure";
import type { ChatModel, ChatRequest, ModelInfo, ReplyPart, SentMessage, SentResult } from "../schema/model";
import { canonicalise } from "../thimble/identity";
import { tokenOf } from "./cancellation";

/** "vendor/id", stable across sessions: what the setting and the log name. */
export const languageModelId = (model: vscode.LanguageModelChat): string => `${model.vendor}/${model.id}`;

/** Adapter facts (CONFORMANCE §5): calls arrive as objects, nothing is said of usage, and caching is VS Code's business. */
export function createLanguageModel(model: vscode.LanguageModelChat): ChatModel {
  const info: ModelInfo = {
    id: languageModelId(model),
    name: model.name,
    maxInputTokens: model.maxInputTokens > 0 ? Math.floor(model.maxInputTokens) : null,
    abilities: {
      rawArguments: false,
      usage: false,
      cacheControl: false,
      ...(takesImages(model) && { images: true }),
    },
  };
  return { info, reply: (request, signal) => reply(model, request, signal) };
}

/**
 * VS Code tells it of every model, but its API does not name it yet (1.106: capabilities of a provider's model only).
 * What does not say so takes none: a refused image would fail every request from there on.
 */
function takesImages(model: vscode.LanguageModelChat): boolean {
  const { capabilities } = model as { readonly capabilities?: { readonly supportsImageToText?: unknown } };
  return capabilities?.supportsImageToText === true;
}

async function* reply(
  model: vscode.LanguageModelChat,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncIterable<ReplyPart> {
  const options: vscode.LanguageModelChatRequestOptions = {
    justification: "Cloakroom runs your agent session with this model.",
    ...(request.tools.length > 0 && {
      tools: request.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    }), // an empty list is refused by some providers
  };
  const cancellation = tokenOf(signal);
  try {
    const response = await model.sendRequest(wireMessages(request), options, cancellation.token);
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) yield { kind: "text", text: part.value };
      else if (part instanceof vscode.LanguageModelToolCallPart) {
        yield { kind: "call", id: part.callId, name: part.name, arguments: canonicalise(part.input) };
      }
    }
  } catch (cause) {
    throw failureOf(model, cause);
  } finally {
    cancellation.dispose();
  }
}

/** VS Code has no system role: the prompt is the first user message. Results of one reply travel in one message. */
function wireMessages({ system, messages }: ChatRequest): vscode.LanguageModelChatMessage[] {
  const wire = [vscode.LanguageModelChatMessage.User(system)];
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flush = () => {
    if (results.length > 0) wire.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const message of messages) {
    if (message.role !== "tool") flush();
    if (message.role === "user") wire.push(vscode.LanguageModelChatMessage.User(message.text));
    else if (message.role === "assistant") wire.push(assistantMessage(message));
    else results.push(resultPart(message));
  }
  flush();
  return wire;
}

/** Images travel in the result that they belong to; a result has a text, unless it has only images. */
function resultPart({ id, text, images = [] }: SentResult): vscode.LanguageModelToolResultPart {
  const texts = text === "" && images.length > 0 ? [] : [new vscode.LanguageModelTextPart(text)];
  const data = images.map(({ bytes, mediaType }) => vscode.LanguageModelDataPart.image(bytes, mediaType));
  return new vscode.LanguageModelToolResultPart(id, [...texts, ...data]);
}

function assistantMessage({
  text,
  calls,
}: Extract<SentMessage, { role: "assistant" }>): vscode.LanguageModelChatMessage {
  const parts: (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] = [];
  if (text !== "") parts.push(new vscode.LanguageModelTextPart(text));
  for (const { id, name, arguments: given } of calls)
    parts.push(new vscode.LanguageModelToolCallPart(id, name, objectOf(given)));
  return vscode.LanguageModelChatMessage.Assistant(parts);
}

/** A call that another model once wrote as broken JSON still has to travel as an object. */
function objectOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : { value };
  } catch (cause) {
    if (cause instanceof SyntaxError) return { invalid_json: text };
    throw cause;
  }
}

function failureOf(model: vscode.LanguageModelChat, cause: unknown): unknown {
  if (!(cause instanceof vscode.LanguageModelError)) return cause;
  const next =
    cause.code === vscode.LanguageModelError.NoPermissions.name
      ? "Allow Cloakroom to use it when VS Code asks, or pick another model."
      : cause.code === vscode.LanguageModelError.Blocked.name
        ? "It is blocked or over its quota. Try again later, or pick another model."
        : cause.code === vscode.LanguageModelError.NotFound.name
          ? "It is no longer there. Pick another model."
          : "Continue the session to try again, or pick another model.";
  return new Failure(
    "model-failed",
    `${model.name} failed: ${cause.message || cause.code}. ${next}`,
    { code: cause.code },
    { cause },
  );
}
