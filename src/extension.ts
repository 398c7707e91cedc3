/** The composition root: the house is built here, in the order data meets it. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { claimPolicyOf } from "./agent/conversation";
import { fetchResult } from "./agent/retrieve";
import { runSession, WATCHED } from "./agent/runSession";
import { readScript } from "./models/readScript";
import { createScriptedModel, SCRIPTED_MODEL_ID } from "./models/scripted";
import { StoreActs } from "./store/acts";
import { StoreCare } from "./store/care";
import { sha256 } from "./store/digest";
import { RedisServers } from "./store/redisFiles";
import { Sessions } from "./store/sessions";
import { Vault } from "./store/vault";
import { builtinPolicy } from "./thimble/builtin";
import { createWorkspaceTools } from "./tools/createWorkspaceTools";
import { nodeClock } from "./tools/nodeClock";
import { nodeEditor } from "./tools/nodeEditor";
import { openNodeWorkspace } from "./tools/nodeWorkspace";
import { findRipgrep } from "./tools/ripgrep";
import { Approver } from "./vscode/approver";
import { ANSWER_COMMAND, Commands, messageOf } from "./vscode/commands";
import { ContentDocuments } from "./vscode/contentDocuments";
import { Disposables } from "./vscode/disposables";
import { documentEditor, withOpenDocuments } from "./vscode/editorPorts";
import { InspectorView } from "./vscode/inspectorView";
import { pickModel } from "./vscode/pickModel";
import { registerPolicyLanguage } from "./vscode/policyLanguage";
import { SessionController, type SessionHost } from "./vscode/sessionController";
import { readCoreSettings, readEditorSettings, readStoreSettings } from "./vscode/settings";
import { editorDialogs, StoreCommands } from "./vscode/storeCommands";
import { StoreSecrets } from "./vscode/storeSecrets";
import { Transcripts, textBehind } from "./vscode/transcripts";
import { workspaceFolders, workspaceIdentity } from "./vscode/workspaceFolders";

const clock = nodeClock;
let sessionsOfWindow: SessionController | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const owned = new Disposables();
  context.subscriptions.push(owned);
  const log = owned.add(vscode.window.createOutputChannel("Cloakroom", { log: true }));
  const documents = owned.add(new ContentDocuments((uri) => textBehind(uri, sessions)));
  const approver = owned.add(new Approver(ANSWER_COMMAND, () => transcripts.settled));
  const secrets = new StoreSecrets(context.secrets);
  const servers = owned.add(new RedisServers(() => secrets.redisPassword()));
  const store: StoreAt = {
    root: context.globalStorageUri.fsPath,
    vault: () => openVault(secrets, servers),
    onFull: () => void storeCommands.askForRoom(),
  };
  const sessions: SessionController = owned.add(new SessionController(createHost(store, approver)));
  sessionsOfWindow = sessions;
  const transcripts: Transcripts = owned.add(new Transcripts(sessions, documents));
  const demo = context.asAbsolutePath("media/demo-script.json");
  const offline = { id: SCRIPTED_MODEL_ID, open: () => openScriptedModel(demo) };
  const commands = new Commands({
    sessions,
    transcripts,
    documents,
    log,
    answer: () => approver.reopen(),
    pickModel: (last) => pickModel(readEditorSettings().model, last, offline),
  });
  owned.add(commands.register());
  owned.add(secrets.register((work) => commands.guard(work)));
  const acts = new StoreActs(() =>
    StoreCare.open(store.root, workspaceIdentity(), clock, readStoreSettings(), { vault: store.vault() }),
  );
  const storeCommands: StoreCommands = new StoreCommands({
    host: acts,
    dialogs: editorDialogs,
    log,
    sessions,
    commands,
  });
  owned.add(storeCommands.register());

  const source = { state: () => sessions.state(), onDidChange: sessions.onDidChange, problemOf: messageOf };
  const nonce = () => randomBytes(16).toString("hex");
  owned.add(new InspectorView(context.extensionUri, source, commands.acts(), nonce).register());
  owned.add(registerPolicyLanguage(context.asAbsolutePath("dist/languageServer.cjs"), log));
}

/** VS Code waits five seconds: what runs is stopped and its log closed in four, whatever hangs. */
export async function deactivate(): Promise<void> {
  await Promise.race([sessionsOfWindow?.close(), clock.sleep(4000)]);
}

/** Where the store is, and how sessions are kept there as the settings are now. */
type StoreAt = { readonly root: string; readonly vault: () => Vault; readonly onFull: () => void };

function openVault(secrets: StoreSecrets, servers: RedisServers): Vault {
  const { encryption, redisUrl } = readStoreSettings();
  const remote = redisUrl === null ? null : servers.at(redisUrl);
  return new Vault({ keys: secrets.keys, remote, sealsNew: encryption });
}

/** Joins store, tools and loop. Settings are read when a run starts, and pinned in its log. */
function createHost({ root, vault, onFull }: StoreAt, approver: Approver): SessionHost {
  const openStore = () =>
    Sessions.open(root, workspaceIdentity(), clock, { ...readStoreSettings().limits, onFull }, vault());
  return {
    check: async () => {
      claimPolicyOf(readCoreSettings(), await openTools());
      await (await openStore()).check();
    },
    list: async () => (await openStore()).list(),
    read: async (session) => {
      const { restored, events } = await (await openStore()).read(session, WATCHED);
      return { before: restored, events };
    },
    content: async (session, handle) => (await openStore()).content(session, handle),
    run: async ({ session: id, question, model, watch, watched, replyText, toolProgress }, signal) => {
      const configuration = { settings: readCoreSettings(), policy: builtinPolicy(sha256), intent: null };
      const watcher = { replyText, toolProgress: (_call: string, text: string) => toolProgress(text) };
      const ports = { model, tools: await openTools(), approver, clock, hash: sha256, watcher };
      const workspace = vscode.workspace.name ?? "workspace";
      const session = id === null ? { kind: "new" as const, workspace } : { kind: "existing" as const, id };
      const store = await openStore();
      return runSession({ store, session, question, configuration, ports, watch, watched }, signal);
    },
  };
}

async function openTools() {
  const workspace = withOpenDocuments(await openNodeWorkspace(workspaceFolders()));
  const ripgrepPath = await findRipgrep(vscode.env.appRoot, process.env.PATH);
  const command = { timeoutMs: readEditorSettings().commandTimeoutSeconds * 1000 };
  const ports = { workspace, editor: documentEditor(nodeEditor, workspace.roots()), clock };
  return [...createWorkspaceTools(ports, { ripgrepPath, command }), fetchResult];
}

async function openScriptedModel(demo: string) {
  const script = await readScript(readEditorSettings().script || demo, "cloakroom.scriptedModel.script");
  return createScriptedModel(script, clock.sleep);
}
