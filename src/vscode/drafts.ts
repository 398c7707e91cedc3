/** What a person typed, until it was used: whatever is dismissed or fails after it, the same box has it again. */
import type * as vscode from "vscode";

/** Typed, and trimmed. Contract: `used` is called once what it was typed for has it, and not before. */
export type Draft = { readonly text: string; readonly used: () => void };

/** Never for a password. */
export type DraftBox = {
  readonly title: string;
  readonly prompt: string;
  /** What the person may want to say. */
  readonly suggestion?: string;
  readonly validateInput?: (text: string) => string | null;
};

/** As long as the window lives. */
export class Drafts {
  readonly #show: (options: vscode.InputBoxOptions) => Thenable<string | undefined>;
  readonly #kept = new Map<string, string>();

  constructor(show: (options: vscode.InputBoxOptions) => Thenable<string | undefined>) {
    this.#show = show;
  }

  /** `about`: the session, or whatever else the same words are asked about. Undefined: nothing was typed. */
  async ask(about: string, { suggestion = "", ...box }: DraftBox): Promise<Draft | undefined> {
    const name = JSON.stringify([box.title, about, suggestion]);
    const value = this.#kept.get(name) ?? suggestion;
    const text = (await this.#show({ ...box, value, ignoreFocusOut: true }))?.trim();
    if (text === "") this.#kept.delete(name); // it was taken out again
    if (!text) return undefined;
    this.#kept.set(name, text);
    const used = () => {
      if (this.#kept.get(name) === text) this.#kept.delete(name); // another may have been typed meanwhile
    };
    return { text, used };
  }
}
