/** The palette's commands for what is stored, and its upkeep: verify, delete, export, import, fork; a sweep at start and hourly. */
import * as vscode from "vscode";
import type { ExportOptions } from "../schema/export";
import { type Choice, EXPORTS, JSON_CONTENTS } from "./exportChoices";
import { inNotice } from "./plainText";
import { readStoreSettings } from "./settings";

type Told = { readonly ok: boolean; readonly summary: string; readonly lines: readonly string[] };
type Made = Told & { readonly session: string | null };

/** What the house offers this room. Each throws `Failure` where it refuses; then nothing was changed. */
export type StoreHost = {
  verify(which: { session?: string }): Promise<Told>;
  sweep(keepSessionsDays: number): Promise<Told | null>;
  forgetSession(session: string): Promise<Told>;
  forgetWorkspace(): Promise<Told>;
  forgetEverything(): Promise<Told>;
  /** `throughTurn`: the last turn that the fork has; by default all of them. */
  fork(session: string, throughTurn?: number): Promise<Made>;
  export(session: string, file: string, options: ExportOptions): Promise<Told>;
  exportWorkspace(file: string): Promise<Told>;
  import(file: string): Promise<Made>;
};

/** How people are asked and told. Null or false: they let it be. */
export type Dialogs = {
  confirm(question: string, detail: string, yes: string): Promise<boolean>;
  saveFile(name: string, filters?: Readonly<Record<string, string[]>>): Promise<string | null>;
  /** One of them, in a list under its title. */
  choose<T>(title: string, choices: readonly Choice<T>[]): Promise<T | null>;
  openFile(): Promise<string | null>;
  /** Null where nothing was picked. */
  ask(question: string, answers: readonly string[]): Promise<string | null>;
  /** `ok` false is a warning. Null where nothing was picked. */
  tell(summary: string, ok: boolean, answers: readonly string[]): Promise<string | null>;
};

export type StorePorts = {
  readonly host: StoreHost;
  readonly dialogs: Dialogs;
  readonly log: vscode.LogOutputChannel;
  readonly sessions: { reload(session: string | null): void };
  readonly commands: {
    pick(title: string): Promise<{ session: string; title: string } | null>;
    /** The door of every command. */
    guard(work: () => Promise<void>): Promise<void>;
  };
};

const FIRST_SWEEP_MS = 5000; // off the path of starting
const SWEEP_EVERY_MS = 3_600_000;
const STORE_FULL =
  "Cloakroom's storage is full. Until there is room, long results are cut and the rest of them is not kept.";
const OPEN_FILE = "Open File";
const SHOW_LOG = "Show Log";
const NO_WAY_BACK = "This cannot be undone. The log and all stored results are deleted from disk.";

export class StoreCommands {
  readonly #ports: StorePorts;
  #isAsking = false;

  constructor(ports: StorePorts) {
    this.#ports = ports;
  }

  register(): vscode.Disposable {
    const offered: Record<string, () => Promise<void>> = {
      "cloakroom.verifyStore": () => this.verify(),
      "cloakroom.deleteSession": () => this.deleteSession(),
      "cloakroom.deleteWorkspaceSessions": () => this.deleteWorkspaceSessions(),
      "cloakroom.eraseEverything": () => this.eraseEverything(),
      "cloakroom.exportSession": () => this.exportSession(),
      "cloakroom.exportWorkspaceSessions": () => this.exportWorkspaceSessions(),
      "cloakroom.importSession": () => this.importSession(),
      "cloakroom.forkSession": () => this.forkSession(),
    };
    const first = setTimeout(() => void this.sweep(), FIRST_SWEEP_MS);
    const hourly = setInterval(() => void this.sweep(), SWEEP_EVERY_MS);
    return vscode.Disposable.from(
      new vscode.Disposable(() => {
        clearTimeout(first);
        clearInterval(hourly);
      }),
      ...Object.entries(offered).map(([id, run]) =>
        vscode.commands.registerCommand(id, () => this.#ports.commands.guard(run)),
      ),
    );
  }

  /** Never rejects, and never interrupts: what it could not do is in the log. */
  async sweep(): Promise<void> {
    const { host, log, sessions } = this.#ports;
    try {
      const told = await host.sweep(readStoreSettings().keepSessionsDays);
      if (told === null) return;
      if (told.summary === "") {
        for (const line of told.lines) log.info(line);
        return;
      }
      sessions.reload(null);
      await this.#tell(told);
    } catch (cause) {
      log.error(cause instanceof Error ? cause : String(cause));
    }
  }

  /** `session`: only that one; not given: all of this workspace. */
  async verify(session?: string): Promise<void> {
    const options = { location: vscode.ProgressLocation.Notification, title: "Verifying stored results…" };
    const which = session === undefined ? {} : { session };
    await this.#tell(await vscode.window.withProgress(options, () => this.#ports.host.verify(which)));
  }

  async deleteSession(): Promise<void> {
    const { host, dialogs, commands } = this.#ports;
    const picked = await commands.pick("Delete Session");
    if (
      !picked ||
      !(await dialogs.confirm(`Delete the session “${inNotice(picked.title)}”?`, NO_WAY_BACK, "Delete"))
    )
      return;
    await this.#erased(await host.forgetSession(picked.session));
  }

  async deleteWorkspaceSessions(): Promise<void> {
    const { host, dialogs } = this.#ports;
    const question = "Delete all Cloakroom sessions of this workspace?";
    if (await dialogs.confirm(question, NO_WAY_BACK, "Delete All"))
      await this.#erased(await host.forgetWorkspace());
  }

  async eraseEverything(): Promise<void> {
    const { host, dialogs } = this.#ports;
    const question = "Erase all Cloakroom sessions of all workspaces on this machine?";
    if (await dialogs.confirm(question, NO_WAY_BACK, "Erase Everything"))
      await this.#erased(await host.forgetEverything());
  }

  /** `session`: not given, it is asked for. */
  async exportSession(session?: string): Promise<void> {
    const { host, dialogs, commands } = this.#ports;
    const picked = session === undefined ? await commands.pick("Export Session") : { session };
    const form = picked && (await dialogs.choose("Export Session: Format", EXPORTS));
    if (!picked || !form) return;
    const asks = form.format === "json";
    const withContents = asks
      ? await dialogs.choose("Export Session: Stored Results", JSON_CONTENTS)
      : form.withContents;
    if (withContents === null) return;
    const file = await dialogs.saveFile(`cloakroom-${picked.session}${form.ending}`, form.filters);
    if (!file) return;
    const told = await host.export(picked.session, file, { format: form.format, withContents });
    await this.#tell(told, form.format === "archive" ? null : file);
  }

  /** A result found no room. Asked once at a time: a session may meet it at every call. */
  async askForRoom(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      const answer = await this.#ports.dialogs.ask(STORE_FULL, ["Delete a Session…", "Change the Limit"]);
      if (answer === "Delete a Session…") await vscode.commands.executeCommand("cloakroom.deleteSession");
      if (answer === "Change the Limit")
        await vscode.commands.executeCommand(
          "workbench.action.openSettings",
          "cloakroom.store.maximumMegabytes",
        );
    } finally {
      this.#isAsking = false;
    }
  }

  async exportWorkspaceSessions(): Promise<void> {
    const { host, dialogs } = this.#ports;
    const file = await dialogs.saveFile("cloakroom-sessions.zip");
    if (file) await this.#tell(await host.exportWorkspace(file));
  }

  async importSession(): Promise<void> {
    const { host, dialogs } = this.#ports;
    const file = await dialogs.openFile();
    if (file) await this.#made(await host.import(file));
  }

  /** `session`: not given, it is asked for. `throughTurn`: the last turn that the fork has; not given: all. */
  async forkSession(session?: string, throughTurn?: number): Promise<void> {
    const { host, commands } = this.#ports;
    const picked = session === undefined ? await commands.pick("Fork Session") : { session };
    if (picked) await this.#made(await host.fork(picked.session, throughTurn));
  }

  async #erased(told: Told): Promise<void> {
    this.#ports.sessions.reload(null);
    await this.#tell(told);
  }

  async #made(told: Made): Promise<void> {
    this.#ports.sessions.reload(told.session);
    await this.#tell(told);
  }

  /** `file`: a document that can be opened. */
  async #tell({ ok, summary, lines }: Told, file: string | null = null): Promise<void> {
    const { dialogs, log } = this.#ports;
    log.info(summary);
    for (const line of lines)
      if (ok) log.info(line);
      else log.warn(line);
    const answers = [...(file === null ? [] : [OPEN_FILE]), ...(lines.length > 0 ? [SHOW_LOG] : [])];
    const answer = await dialogs.tell(`Cloakroom: ${inNotice(summary)}`, ok, answers);
    if (answer === SHOW_LOG) log.show();
    if (answer === OPEN_FILE && file !== null)
      await vscode.commands.executeCommand("vscode.open", vscode.Uri.file(file));
  }
}

const ZIP = { "Cloakroom sessions": ["zip"] };
const IMPORTS = { "Sessions and transcripts": ["zip", "json", "jsonl", "traj", "zst"], "All files": ["*"] };

/** VS Code's own dialogs. */
export const editorDialogs: Dialogs = {
  confirm: async (question, detail, yes) =>
    (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes,
  choose: async (title, choices) => {
    const items = choices.map(({ label, detail, value }) => ({ label, detail, value }));
    return (await vscode.window.showQuickPick(items, { title, placeHolder: "Pick one" }))?.value ?? null;
  },
  saveFile: async (name, filters = ZIP) => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const defaultUri = folder && vscode.Uri.joinPath(folder, name);
    const picked = await vscode.window.showSaveDialog({
      title: "Export Sessions",
      filters,
      ...(defaultUri && { defaultUri }),
    });
    return picked?.fsPath ?? null;
  },
  openFile: async () =>
    (await vscode.window.showOpenDialog({ title: "Import Sessions", filters: IMPORTS }))?.[0]?.fsPath ?? null,
  ask: async (question, answers) => (await vscode.window.showWarningMessage(question, ...answers)) ?? null,
  tell: async (summary, ok, answers) => {
    const show = ok ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    return (await show(summary, ...answers)) ?? null;
  },
};
