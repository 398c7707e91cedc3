/** Which model a session uses: the setting's, or the person's choice among all that VS Code has, and the offline one. */
import * as vscode from "vscode";
import { Failure } from "../schema/failure";
import type { ChatModel } from "../schema/model";
import { createLanguageModel, languageModelId } from "./languageModel";
import { inLabel } from "./plainText";

type ModelItem = vscode.QuickPickItem & { readonly open: () => Promise<ChatModel> };

/** The offline model arrives from outside: this room does not know the models room. */
export type OfflineModel = { readonly id: string; readonly open: () => Promise<ChatModel> };

/**
 * `wanted` is the setting's model, "" to ask; `last` the one that the session used, taken again where it is still there.
 * Null: the person closed the picker. Throws `Failure("model-missing")` where the setting's model is not there.
 */
export async function pickModel(
  wanted: string,
  last: string | null,
  offline: OfflineModel,
): Promise<ChatModel | null> {
  if ((wanted || last) === offline.id) return offline.open();
  const models = await vscode.lm.selectChatModels();
  const found = models.find((model) => languageModelId(model) === (wanted || last));
  if (found) return createLanguageModel(found);
  if (wanted !== "") {
    throw new Failure(
      "model-missing",
      `The model ${wanted} (cloakroom.model) is not available. Pick another one in Settings, or leave it empty to be asked.`,
      { field: "model", wanted },
    );
  }
  const items: ModelItem[] = models.map((model) => ({
    label: inLabel(model.name),
    description: inLabel(model.vendor),
    detail: inLabel(`${model.family} · ${model.maxInputTokens.toLocaleString()} input tokens`),
    open: async () => createLanguageModel(model),
  }));
  items.push({
    label: "Offline Script",
    description: "no network",
    detail: "Replays prepared answers with real tools. Made for the sample workspace.",
    open: offline.open,
  });
  const placeHolder =
    models.length === 0
      ? "No language models found. Install or sign in to a model provider, or try the offline script"
      : last === null
        ? "Pick the model that runs the session"
        : `${last} is not available. Pick the model that continues the session`;
  const picked = await vscode.window.showQuickPick(items, {
    title: last === null ? "Start Session: Model" : "Continue Session: Model",
    placeHolder,
    matchOnDescription: true,
  });
  return picked ? picked.open() : null;
}
