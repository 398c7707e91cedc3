/** The palette's commands. Each is a door: what goes wrong behind it is logged once and shown once, with the next step. */
import * as vscode from "vscode";
import type { Handle } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { ChatModel } from "../schema/model";
import { LimitMode } from "../schema/policy";
import type { ContentDocuments } from "./contentDocuments";
import type { Draft, Drafts } from "./drafts";
import { INSPECTOR_VIEW } from "./inspectorView";
import { inLabel, inNotice } from "./plainText";
import type { SessionController } from "./sessionController";
import { REDIS_PASSWORD_COMMAND } from "./storeSecrets";
import { storedResult, type Transcripts } from "./transcripts";
import { workspaceFolders } from "./workspaceFolders";

export type CommandPorts = {
  readonly sessions: SessionController;
  readonly transcripts: Transcripts;
  readonly documents: ContentDocuments;
  readonly log: vscode.LogOutputChannel;
  readonly drafts: Drafts;
  /** Brings back a question that was put aside. */
  readonly answer: () => void;
  /** Null: the person closed the picker. `lastModel` is the one the session used. */
  readonly pickModel: (lastModel: string | null) => Promise<ChatModel | null>;
  /** A new session has its name now: what was chosen for the next one is its. */
  readonly started: (session: string) => Promise<void>;
};

const STATUS_MESSAGE_MS = 5000;

export const ANSWER_COMMAND = "cloakroom.answerQuestion";

/** Everything the palette, the inspector and the status bar can ask for. */
export class Commands {
  readonly #ports: CommandPorts;

  constructor(ports: CommandPorts) {
    this.#ports = ports;
  }

  register(): vscode.Disposable {
    const { sessions } = this.#ports;
    const commands: Record<string, () => Promise<void>> = {
      "cloakroom.startSession": () => this.start(),
      "cloakroom.continueSession": () => this.continue(null),
      "cloakroom.stopSession": () => this.stop(null),
      "cloakroom.stopAllSessions": async () => sessions.stopAll(),
      "cloakroom.openInspector": () =>
        this.guard(async () => void (await vscode.commands.executeCommand(`${INSPECTOR_VIEW}.focus`))),
      "cloakroom.openTranscript": () => this.openTranscript(),
      "cloakroom.setResultLimits": () => this.setResultLimits(),
      [ANSWER_COMMAND]: async () => this.#ports.answer(),
    };
    let wasRunning: boolean | undefined; // an extension host that ended badly may have left the window in any state
    const tell = () => {
      if (sessions.isRunning === wasRunning) return;
      wasRunning = sessions.isRunning;
      void vscode.commands.executeCommand("setContext", "cloakroom.running", wasRunning);
    };
    tell();
    const context = sessions.onDidChange(tell);
    return vscode.Disposable.from(
      context,
      ...Object.entries(commands).map(([id, run]) => vscode.commands.registerCommand(id, run)),
    );
  }

  start(): Promise<void> {
    return this.guard(async () => {
      await this.#ready({ isNew: true });
      const model = await this.#ports.pickModel(null);
      if (!model) return;
      const box = { title: "Start Session: Task", prompt: "What should the agent do?" };
      const question = await this.#ports.drafts.ask("", box);
      if (question) await this.#run(null, question, model);
    });
  }

  /** `suggestion`: what the person may want to say. */
  continue(session: string | null, suggestion = ""): Promise<void> {
    return this.guard(async () => {
      await this.#ready({ isNew: false });
      const chosen = session ?? (await this.#pickSession("Continue Session"));
      if (chosen === null) return;
      if (this.#ports.sessions.runningSessions.includes(chosen)) {
        throw new Failure("session-in-use", "This session is running. Stop it, or wait until it ends.");
      }
      const model = await this.#ports.pickModel(
        (await this.#ports.sessions.fold(chosen))?.head?.modelId ?? null,
      );
      if (!model) return;
      const box = { title: "Continue Session", prompt: "What should the agent do next?", suggestion };
      const question = await this.#ports.drafts.ask(chosen, box);
      if (question) await this.#run(chosen, question, model);
    });
  }

  stop(session: string | null): Promise<void> {
    return this.guard(async () => {
      const { sessions } = this.#ports;
      const running = sessions.runningSessions;
      const chosen =
        session ??
        (running.length > 1 ? await this.#pickSession("Stop Session", running) : (running[0] ?? null));
      if (chosen !== null) return sessions.stop(chosen);
      if (running.length === 0) sessions.stopAll(); // one that has no log yet
    });
  }

  openStored(session: string, handle: Handle): Promise<void> {
    return this.guard(async () => {
      const { sessions, documents } = this.#ports;
      const text = await sessions.reads.content(session, handle);
      const { tool } = await sessions.reads.window(session, handle, 0, 1);
      const uri = documents.put(storedResult(session, handle, tool), text);
      await vscode.window.showTextDocument(await documents.open(uri), { preview: true });
    });
  }

  openTranscript(session: string | null = null): Promise<void> {
    return this.guard(async () => {
      const { sessions, transcripts } = this.#ports;
      const chosen = session ?? sessions.selected ?? (await this.#pickSession("Open Session Transcript"));
      if (chosen !== null) await transcripts.show(chosen);
    });
  }

  setResultLimits(): Promise<void> {
    return this.guard(async () => {
      const config = vscode.workspace.getConfiguration("cloakroom");
      const now = config.get<string>("resultLimits.mode");
      const items = [
        { mode: LimitMode.enum.off, label: "Off", detail: "Tool calls run as the model wrote them." },
        {
          mode: LimitMode.enum.observe,
          label: "Observe",
          detail: "Tool calls run as written; what would have been lowered is shown in the inspector.",
        },
        {
          mode: LimitMode.enum.enforce,
          label: "Enforce",
          detail:
            "Result counts above a contract's ceiling are lowered before the call, and the result says so.",
        },
      ].map((item) => ({ ...item, description: item.mode === now ? "current" : "" }));
      const picked = await vscode.window.showQuickPick(items, {
        title: "Result Limits",
        placeHolder: "Applies to the next run of a session",
      });
      if (!picked) return;
      await config.update("resultLimits.mode", picked.mode, vscode.ConfigurationTarget.Global);
      vscode.window.setStatusBarMessage(`Result limits: ${picked.label}`, STATUS_MESSAGE_MS);
    });
  }

  /** The door. Outcomes that a person chose (a closed picker) never get here. */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#ports.log.error(cause instanceof Error ? cause : String(cause));
      await this.#show(cause);
    }
  }

  async #ready(start: { isNew: boolean }): Promise<void> {
    if (workspaceFolders().length === 0) throw noWorkspace();
    await this.#ports.sessions.check(start);
  }

  async #run(
    session: string | null,
    { text, used }: Draft,
    model: ChatModel,
    mode?: LimitMode,
  ): Promise<void> {
    const { sessions, transcripts } = this.#ports;
    const opensAs = session === null ? "itself" : await sessions.opensAs(session);
    const stop = new AbortController();
    const options = { location: vscode.ProgressLocation.Notification, cancellable: true, title: "Cloakroom" };
    const running = vscode.window.withProgress(options, (progress, token) => {
      token.onCancellationRequested(() => stop.abort());
      const onStarted = (id: string) => {
        void this.guard(() => transcripts.show(id));
        if (session === null) void this.guard(() => this.#ports.started(id));
        if (opensAs !== "itself") void this.guard(() => tellCopy(opensAs));
      };
      const onProgress = (message: string) => progress.report({ message: inNotice(message) });
      const told = { onStarted, onAsked: used, onProgress };
      const start = { session, question: text, model, ...(mode && { mode }), ...told };
      return sessions.run(start, stop);
    });
    const ran = await running.then(null, (cause: unknown) => {
      if (cause instanceof Failure && cause.code === "policy-too-new" && mode === undefined) return cause;
      throw cause;
    });
    if (ran instanceof Failure) return this.#offerToObserve(ran, session, { text, used }, model);
    used();
    const { end, message } = ran.end;
    if (end === "failed" || end === "turn_limit") {
      this.#ports.log.error(message);
      await this.#offerToContinue(ran.session, end, message);
    }
  }

  /** A policy of a later version is never enforced by halves: the session starts without it, or not at all. */
  async #offerToObserve(
    { message }: Failure,
    session: string | null,
    question: Draft,
    model: ChatModel,
  ): Promise<void> {
    const observe = "Continue in Observe";
    this.#ports.log.warn(message);
    const picked = await vscode.window.showWarningMessage(`Cloakroom: ${inNotice(message)}`, observe);
    if (picked === observe) await this.#run(session, question, model, "observe");
  }

  async #offerToContinue(session: string, end: "failed" | "turn_limit", message: string): Promise<void> {
    const show = end === "failed" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const again = "Continue Session…";
    const log = "Show Log";
    const picked = await show(`Cloakroom: ${inNotice(message)}`, again, log);
    if (picked === again) await this.continue(session);
    if (picked === log) this.#ports.log.show();
  }

  /** `title`: of the command that asks. Null: the person closed the picker, or there was nothing to pick. */
  async pick(title: string, among?: readonly string[]): Promise<{ session: string; title: string } | null> {
    const listed = await this.#ports.sessions.list();
    const items = listed
      .filter(({ session }) => among === undefined || among.includes(session))
      .map(({ session, title, startedAt }) => ({
        label: inLabel(title),
        description: new Date(startedAt).toLocaleString(),
        session,
        title,
      }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(
        "Cloakroom: There are no sessions in this workspace yet. Use Start Session… first.",
      );
      return null;
    }
    return (await vscode.window.showQuickPick(items, { title, placeHolder: "Pick a session" })) ?? null;
  }

  async #pickSession(title: string, among?: readonly string[]): Promise<string | null> {
    return (await this.pick(title, among))?.session ?? null;
  }

  async #show(cause: unknown): Promise<void> {
    const message = `Cloakroom: ${inNotice(messageOf(cause))}`;
    const code = cause instanceof Failure ? cause.code : null;
    const field =
      code === "script-invalid"
        ? "scriptedModel.script"
        : cause instanceof Failure
          ? cause.facts.field
          : undefined;
    const actions: Record<string, () => Thenable<unknown>> =
      field !== undefined
        ? { "Open Settings": () => vscode.commands.executeCommand(OPEN_SETTINGS, settingQuery(`${field}`)) }
        : code === "no-workspace"
          ? { "Open Folder": () => vscode.commands.executeCommand("vscode.openFolder") }
          : cause instanceof Failure && cause.facts.needs === "redisPassword"
            ? { "Set Redis Password…": () => vscode.commands.executeCommand(REDIS_PASSWORD_COMMAND) }
            : { "Show Log": async () => this.#ports.log.show() };
    const picked = await vscode.window.showErrorMessage(message, ...Object.keys(actions));
    if (picked) await actions[picked]?.();
  }
}

const OPEN_SETTINGS = "workbench.action.openSettings";

/** Of "claimCheck.perTool.read_file.headChars" only the first two parts name a setting. */
const settingQuery = (field: string): string => `@id:cloakroom.${field.split(".").slice(0, 2).join(".")}`;

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** What a person has to know who goes on with a session and gets another one. */
async function tellCopy(opensAs: "copy" | "sealed copy"): Promise<void> {
  const show = vscode.window.showInformationMessage;
  if (opensAs === "copy")
    return void (await show("Cloakroom: You go on in a copy. An imported session is only read."));
  const words =
    "Cloakroom: You go on in an encrypted copy of this session. The session itself stays as it is, unencrypted, until you delete it.";
  const remove = "Delete Session…";
  if ((await show(words, remove)) === remove) await vscode.commands.executeCommand("cloakroom.deleteSession");
}

const noWorkspace = (): Failure =>
  new Failure("no-workspace", "Open a folder first: the agent's tools work in it.");
