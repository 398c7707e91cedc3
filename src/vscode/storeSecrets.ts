/** What the store keeps in the editor's secret storage: workspaces' keys, and the password of Redis. Never on disk, never in the log. */
import * as vscode from "vscode";

const KEY = "cloakroom.key.";
const REDIS_PASSWORD = "cloakroom.redisPassword";
export const REDIS_PASSWORD_COMMAND = "cloakroom.setRedisPassword";

export class StoreSecrets {
  readonly #secrets: vscode.SecretStorage;

  constructor(secrets: vscode.SecretStorage) {
    this.#secrets = secrets;
  }

  /** Keys by workspace, as hex. */
  readonly keys = {
    get: async (tenant: string): Promise<string | undefined> => this.#secrets.get(KEY + tenant),
    set: async (tenant: string, key: string): Promise<void> => this.#secrets.store(KEY + tenant, key),
    delete: async (tenant: string): Promise<void> => this.#secrets.delete(KEY + tenant),
  };

  async redisPassword(): Promise<string | null> {
    return (await this.#secrets.get(REDIS_PASSWORD)) ?? null;
  }

  register(guard: (work: () => Promise<void>) => Promise<void>): vscode.Disposable {
    return vscode.commands.registerCommand(REDIS_PASSWORD_COMMAND, () =>
      guard(() => this.askRedisPassword(vscode.window.showInputBox)),
    );
  }

  /** An empty answer forgets it. */
  async askRedisPassword(
    ask: (options: vscode.InputBoxOptions) => Thenable<string | undefined>,
  ): Promise<void> {
    const password = await ask({
      title: "Set Redis Password",
      prompt: "Kept in VS Code's secret storage. Leave it empty to forget the one that is there.",
      password: true,
      ignoreFocusOut: true,
    });
    if (password === undefined) return;
    await (password === ""
      ? this.#secrets.delete(REDIS_PASSWORD)
      : this.#secrets.store(REDIS_PASSWORD, password));
  }
}
