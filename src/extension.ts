/** The composition root: the house is built here, in the order data meets it. */
import { userInfo } from "node:os";
import * as vscode from "vscode";
import { safeTexts } from "./agent/safeTexts";
import { createHost, openSessions, reviewOf, workspacePolicies } from "./editorHost";
import { DOCUMENTS } from "./inspector/export/documents";
import { createInspector } from "./inspectorHost";
import { readScript } from "./models/readScript";
import { createScriptedModel, SCRIPTED_MODEL_ID } from "./models/scripted";
import { openTokens } from "./models/tokenizer";
import { StoreActs } from "./store/acts";
import { plainNameOf } from "./store/blobs";
import { StoreCare } from "./store/care";
import { sha256 } from "./store/digest";
import { recordedIn } from "./store/recorded";
import { RedisServers } from "./store/redisFiles";
import { Vault } from "./store/vault";
import { nodeClock as clock } from "./tools/nodeClock";
import { readTranscript } from "./transcripts/readTranscript";
import { Approver } from "./vscode/approver";
import { ANSWER_COMMAND, Commands } from "./vscode/commands";
import { ContentDocuments } from "./vscode/contentDocuments";
import { Disposables } from "./vscode/disposables";
import { Drafts } from "./vscode/drafts";
import { LimitChoices } from "./vscode/limitChoices";
import { LimitCommands } from "./vscode/limitCommands";
import { pickModel } from "./vscode/pickModel";
import { registerPolicyLanguage } from "./vscode/policyLanguage";
import { ReviewCommands } from "./vscode/reviewCommands";
import { SessionController } from "./vscode/sessionController";
import { readEditorSettings, readStoreSettings } from "./vscode/settings";
import { editorDialogs, StoreCommands } from "./vscode/storeCommands";
import { StoreSecrets } from "./vscode/storeSecrets";
import { Transcripts, textBehind } from "./vscode/transcripts";
import { workspaceIdentity } from "./vscode/workspaceFolders";

/** Contents of a session that are replayed at once. */
const REPLAYED_BYTES = 64 * 1024 * 1024;

let sessionsOfWindow: SessionController | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const owned = new Disposables();
  context.subscriptions.push(owned);
  const log = owned.add(vscode.window.createOutputChannel("Cloakroom", { log: true }));
  const documents = owned.add(new ContentDocuments((uri) => textBehind(uri, sessions)));
  const approver = owned.add(new Approver(ANSWER_COMMAND, () => transcripts.settled));
  const secrets = new StoreSecrets(context.secrets);
  const servers = owned.add(new RedisServers(() => secrets.redisPassword()));
  const choices = new LimitChoices(context.globalState, context.workspaceState);
  const store = {
    root: context.globalStorageUri.fsPath,
    vault: () => openVault(secrets, servers),
    onFull: () => void storeCommands.askForRoom(),
  };
  const asAbsolutePath = (path: string) => context.asAbsolutePath(path);
  const host = createHost({ store, approver, choices, log, asAbsolutePath });
  const sessions: SessionController = owned.add(new SessionController(host));
  sessionsOfWindow = sessions;
  const transcripts: Transcripts = owned.add(new Transcripts(sessions, documents));
  const demo = context.asAbsolutePath("media/demo-script.json");
  const offline = { id: SCRIPTED_MODEL_ID, open: () => openScriptedModel(demo) };
  const drafts = new Drafts((options) => vscode.window.showInputBox(options));
  const commands = new Commands({
    sessions,
    drafts,
    transcripts,
    documents,
    log,
    answer: () => approver.reopen(),
    pickModel: (last) => pickModel(readEditorSettings().model, last, offline),
    started: (session) => choices.started(session),
  });
  owned.add(commands.register());
  owned.add(secrets.register((work) => commands.guard(work)));
  const tokens = () => openTokens((sentence) => log.warn(sentence));
  const readTranscripts = async (file: string) =>
    readTranscript(file, {
      hash: sha256,
      now: clock.now,
      tokens: await tokens(),
      nameOf: plainNameOf,
      safe: (salt) => safeTexts(salt, sha256),
    });
  const acts = new StoreActs(() =>
    StoreCare.open(store.root, workspaceIdentity(), clock, readStoreSettings(), {
      vault: store.vault(),
      readTranscripts,
      documents: DOCUMENTS,
    }),
  );
  const storeCommands: StoreCommands = new StoreCommands({
    host: acts,
    dialogs: editorDialogs,
    log,
    sessions,
    commands,
  });
  owned.add(storeCommands.register());
  const guard = (work: () => Promise<void>) => commands.guard(work);
  const asked = { choices, owner: userName(), drafts, guard };
  const limits = new LimitCommands({ ...asked, sessions });
  owned.add(limits.register());
  const reviews = new ReviewCommands({
    ...asked,
    unapproved: () => workspacePolicies(choices),
    review: () => reviewOf(store),
  });
  owned.add(reviews.register());

  createInspector(
    {
      context,
      sessions,
      commands,
      acts: { limits, reviews, drafts, store: storeCommands, answer: () => approver.reopen() },
      tokens,
      recorded: async (session) => recordedIn(await openSessions(store), session, REPLAYED_BYTES),
      readTranscript: async (file) => (await readTranscripts(file)).sessions,
      waiting: { isWaiting: () => approver.isWaiting, onDidChange: approver.onDidChangeWaiting },
    },
    owned,
  );
  owned.add(registerPolicyLanguage(context.asAbsolutePath("dist/languageServer.cjs"), log));
}

/** VS Code waits five seconds: what runs is stopped and its log closed in four, whatever hangs. */
export async function deactivate(): Promise<void> {
  await Promise.race([sessionsOfWindow?.close(), clock.sleep(4000)]);
}

/** Who decides, as receipts show it. Some machines have no name for the user that VS Code runs as. */
function userName(): string {
  try {
    return userInfo().username.slice(0, 100) || "the user";
  } catch {
    return "the user";
  }
}

function openVault(secrets: StoreSecrets, servers: RedisServers): Vault {
  const { encryption, redisUrl } = readStoreSettings();
  const remote = redisUrl === null ? null : servers.at(redisUrl);
  return new Vault({ keys: secrets.keys, remote, sealsNew: encryption });
}

async function openScriptedModel(demo: string) {
  const script = await readScript(readEditorSettings().script || demo, "cloakroom.scriptedModel.script");
  return createScriptedModel(script, clock.sleep);
}
