/** The composition root: the house is built here, in the order data meets it. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { fetchResult } from "./agent/retrieve";
import { runSession } from "./agent/runSession";
import { parseScript } from "./models/script";
import { createScriptedModel, SCRIPTED_MODEL_ID } from "./models/scripted";
import { StoreActs } from "./store/acts";
import { StoreCare } from "./store/care";
import { sha256 } from "./store/digest";
import { Sessions } from "./store/sessions";
import { builtinPolicy } from "./thimble/builtin";
import { createWorkspaceTools } from "./tools/createWorkspaceTools";
import { openNodeWorkspace } from "./tools/nodeWorkspace";
import { findRipgrep } from "./tools/ripgrep";
import { Approver } from "./vscode/approver";
import { Commands, messageOf } from "./vscode/commands";
import { ContentDocuments } from "./vscode/contentDocuments";
import { Disposables } from "./vscode/disposables";
import { documentEditor, withOpenDocuments } from "./vscode/editorPorts";
import { INSPECTOR_VIEW, InspectorView } from "./vscode/inspectorView";
import { pickModel } from "./vscode/pickModel";
import { registerPolicyLanguage } from "./vscode/policyLanguage";
import { SessionController, type SessionHost } from "./vscode/sessionController";
import { readCoreSettings, readEditorSettings, readStoreSettings } from "./vscode/settings";
import { editorDialogs, StoreCommands } from "./vscode/storeCommands";
import { Transcripts, transcriptSession } from "./vscode/transcripts";
import { workspaceFolders, workspaceIdentity } from "./vscode/workspaceFolders";

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
};

export function activate(context: vscode.ExtensionContext): void {
  const owned = new Disposables();
  context.subscriptions.push(owned);
  const log = owned.add(vscode.window.createOutputChannel("Cloakroom", { log: true }));

  const documents = owned.add(
    new ContentDocuments(async (uri) => sessions.transcript(transcriptSession(uri) ?? "")),
  );
  const host = createHost(context, new Approver(documents));
  const sessions = owned.add(new SessionController(host));
  const transcripts = owned.add(new Transcripts(sessions, documents));
  const offline = { id: SCRIPTED_MODEL_ID, open: () => openScriptedModel(context) };
  const commands = new Commands({
    sessions,
    transcripts,
    documents,
    log,
    pickModel: (last) => pickModel(readEditorSettings().model || (last ?? ""), offline),
  });
  owned.add(commands.register());
  const acts = new StoreActs(() => StoreCare.open(...storeOf(context), readStoreSettings()));
  const storeCommands = new StoreCommands({ host: acts, dialogs: editorDialogs, log, sessions, commands });
  owned.add(storeCommands.register());

  const source = { state: () => sessions.state(), onDidChange: sessions.onDidChange, problemOf: messageOf };
  const nonce = () => randomBytes(16).toString("hex");
  const inspector = owned.add(new InspectorView(context.extensionUri, source, commands.acts(), nonce));
  owned.add(vscode.window.registerWebviewViewProvider(INSPECTOR_VIEW, inspector));
  const onServerFailure = (cause: unknown) =>
    log.error(`The policy language server failed: ${messageOf(cause)}`);
  owned.add(registerPolicyLanguage(context.asAbsolutePath("dist/languageServer.cjs"), onServerFailure));
}

/** Which store, for which workspace. */
const storeOf = (context: vscode.ExtensionContext) =>
  [context.globalStorageUri.fsPath, workspaceIdentity(), clock] as const;

/** Joins store, tools and loop. Settings are read when a run starts, and pinned in its log. */
function createHost(context: vscode.ExtensionContext, approver: Approver): SessionHost {
  const openStore = () => Sessions.open(...storeOf(context), readStoreSettings().limits);
  return {
    list: async () => (await openStore()).list(),
    events: async (session) => (await openStore()).events(session),
    content: async (session, handle) => (await openStore()).content(session, handle),
    run: async ({ session, question, model, watch, replyText, toolProgress }, signal) => {
      const configuration = { settings: readCoreSettings(), policy: builtinPolicy(sha256), intent: null };
      const tools = [...(await openTools()), fetchResult];
      const watcher = { replyText, toolProgress: (_call: string, text: string) => toolProgress(text) };
      const ports = { model, tools, approver, clock, hash: sha256, watcher };
      const workspace = vscode.workspace.name ?? "workspace";
      const which =
        session === null ? { kind: "new" as const, workspace } : { kind: "existing" as const, id: session };
      return runSession(
        { store: await openStore(), session: which, question, configuration, ports, watch },
        signal,
      );
    },
  };
}

async function openTools() {
  const workspace = withOpenDocuments(await openNodeWorkspace(workspaceFolders()));
  const ripgrepPath = await findRipgrep(vscode.env.appRoot, process.env.PATH);
  const command = { timeoutMs: readEditorSettings().commandTimeoutSeconds * 1000 };
  return createWorkspaceTools({ workspace, editor: documentEditor, clock }, { ripgrepPath, command });
}

async function openScriptedModel(context: vscode.ExtensionContext) {
  const file = readEditorSettings().script || context.asAbsolutePath("media/demo-script.json");
  return createScriptedModel(parseScript(await readFile(file, "utf8"), file), clock.sleep);
}
