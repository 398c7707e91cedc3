/** Which model a session uses: the setting's, or the person's choice among all that VS Code has, and the offline one. */
import * as vscode from "vscode";
import { Failure } from "../schema/failure";
import type { ChatModel } from "../schema/model";
import { createLanguageModel, languageModelId } from "./languageModel";

type ModelItem = vscode.QuickPickItem & { readonly open: () => Promise<ChatModel> };

/** The offline model arrives from outside: this room does not know the models room. */
export type OfflineModel = { readonly id: string; readonly open: () => Promise<ChatModel> };

/**
 * `wanted` is a model's id, "" to ask. Null: the person closed the picker. Throws `Failure("model-missing")`
 * where the wanted model is not there.
 */
export async function pickModel(wanted: string, offline: OfflineModel): Promise<ChatModel | null> {
  if (wanted === offline.id) return offline.open();
  const models = await vscode.lm.selectChatModels();
  if (wanted !== "") {
    const found = models.find((model) => languageModelId(model) === wanted);
    if (found) return createLanguageModel(found);
    throw new Failure(
      "model-missing",
      `The model ${wanted} (cloakroom.model) is not available. Pick another one in Settings.`,
      { wanted },
    );
  }
  const items: ModelItem[] = models.map((model) => ({
    label: model.name,
    description: model.vendor,
    detail: `${model.family} · ${model.maxInputTokens.toLocaleString()} input tokens`,
    open: async () => createLanguageModel(model),
  }));
  items.push({
    label: "Offline Script",
    description: "no network",
    detail: "Replays prepared answers with real tools. Made for the sample workspace.",
    open: offline.open,
  });
  const picked = await vscode.window.showQuickPick(items, {
    title: "Start Session: Model",
    placeHolder:
      models.length > 0
        ? "Pick the model that runs the session"
        : "No language models found. Install or sign in to a model provider, or try the offline script",
    matchOnDescription: true,
  });
  return picked ? picked.open() : null;
}
