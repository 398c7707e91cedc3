/** The house as the editor runs it: store, tools, policy and loop are joined here, as the settings are when a run starts. */
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { actOnSession } from "./agent/actOnSession";
import { claimPolicyOf } from "./agent/conversation";
import { fetchResult } from "./agent/retrieve";
import { runSession, WATCHED } from "./agent/runSession";
import { SessionActs } from "./agent/sessionActs";
import { faultNote, sessionPolicy } from "./agent/sessionPolicy";
import { DEFAULT_START_TIMEOUT_MS, openServers } from "./mcp/openServers";
import { mcpServersFrom } from "./mcp/settings";
import { openTokens } from "./models/tokenizer";
import type { Logged } from "./schema/event";
import { Failure } from "./schema/failure";
import type { LimitMode } from "./schema/policy";
import { sha256 } from "./store/digest";
import { Sessions } from "./store/sessions";
import type { Vault } from "./store/vault";
import type { PolicySource } from "./thimble/compose";
import { type ReviewRow, reviewFrom } from "./thimble/review";
import { loadSources } from "./thimble/sources";
import { createWorkspaceTools } from "./tools/createWorkspaceTools";
import { nodeClock as clock } from "./tools/nodeClock";
import { nodeEditor } from "./tools/nodeEditor";
import { openNodeWorkspace } from "./tools/nodeWorkspace";
import { endProcessTree } from "./tools/processTree";
import { findRipgrep } from "./tools/ripgrep";
import type { Approver } from "./vscode/approver";
import { documentEditor, withOpenDocuments } from "./vscode/editorPorts";
import type { LimitChoices } from "./vscode/limitChoices";
import { inNotice } from "./vscode/plainText";
import { readPolicyFiles } from "./vscode/policyFiles";
import type { Unapproved, WorkspacePolicies } from "./vscode/reviewCommands";
import type { RunRequest, SessionHost } from "./vscode/sessionHost";
import { readCoreSettings, readEditorSettings, readStoreSettings } from "./vscode/settings";
import { workspaceFolders, workspaceIdentity } from "./vscode/workspaceFolders";

export type HostPorts = {
  readonly store: { readonly root: string; readonly vault: () => Vault; readonly onFull: () => void };
  readonly approver: Approver;
  readonly choices: LimitChoices;
  readonly log: vscode.LogOutputChannel;
  /** Where a file of the extension is. */
  readonly asAbsolutePath: (path: string) => string;
};

export function createHost({ store, approver, choices, log, asAbsolutePath }: HostPorts): SessionHost {
  const openStore = () => openSessions(store);
  const acts = new SessionActs();
  const readPack = (file: string) => readFile(asAbsolutePath(`packs/${file}`), "utf8");
  return {
    check: async (start) => {
      mcpServers();
      claimPolicyOf(readCoreSettings(), await openTools());
      await readPolicyFiles(readEditorSettings().policyFile);
      await (await openStore()).check(start);
    },
    list: async () => (await openStore()).list(),
    read: async (session) => {
      const { restored, ...read } = await (await openStore()).read(session, WATCHED);
      return { before: restored, ...read };
    },
    events: async (session) => (await openStore()).events(session),
    eventsAbout: async (session, needles) => (await openStore()).eventsAbout(session, needles),
    eventsWith: async (session, text) => (await openStore()).eventsWith(session, text),
    content: async (session, handle) => (await openStore()).content(session, handle),
    window: async (session, handle, offset, chars) =>
      (await openStore()).window(session, handle, offset, chars),
    find: async (...what) => (await openStore()).find(...what),
    charOfLine: async (...what) => (await openStore()).charOfLine(...what),
    opensAs: async (session) => (await openStore()).opensAs(session),
    act: (session, act) =>
      acts.act(session, act, async () => {
        const ports = { clock, hash: sha256, tokens: await openTokens((sentence) => log.warn(sentence)) };
        await actOnSession(await openStore(), session, act, ports);
      }),
    run: async (request, signal) => {
      const { session: id, question, model, watched, replyText, toolProgress } = request;
      const settings = withMode(readCoreSettings(), request.mode);
      const watcher = { replyText, toolProgress: (_call: string, text: string) => toolProgress(text) };
      const workspace = vscode.workspace.name ?? "workspace";
      const session = id === null ? { kind: "new" as const, workspace } : { kind: "existing" as const, id };
      const store = await openStore();
      const own = await openTools();
      const tokens = await openTokens((sentence) => log.warn(sentence));
      const servers = await openMcp(log, signal);
      try {
        const tools = [...own, ...servers.tools];
        const policy = await sessionPolicy(
          tools.map(({ spec }) => spec),
          settings.limits.mode,
          {
            texts: await readPolicyFiles(readEditorSettings().policyFile),
            readPack,
            isApproved: (rules) => choices.isApproved(rules),
            reviewed: choices.reviewed(),
            hash: sha256,
          },
        );
        const configuration = { settings, ...choices.of(id), ...policy };
        const ports = { model, tools, approver, clock, hash: sha256, tokens, watcher };
        const run = { store, session, question, configuration, ports, watched };
        return await acts.run((queue, started) => {
          const watch: RunRequest["watch"] = (name, events, before) => {
            started(name);
            request.watch(name, events, before);
          };
          return runSession({ ...run, watch, acts: queue }, signal);
        });
      } finally {
        await servers.close();
      }
    },
  };
}

export const openSessions = ({ root, vault, onFull }: HostPorts["store"]): Promise<Sessions> =>
  Sessions.open(root, workspaceIdentity(), clock, { ...readStoreSettings().limits, onFull }, vault());

const withMode = <T extends { readonly limits: { readonly mode: LimitMode } }>(
  settings: T,
  mode?: LimitMode,
): T => (mode === undefined ? settings : { ...settings, limits: { ...settings.limits, mode } });

const REVIEWED_SESSIONS = 50; // the newest: each log is read whole

/** What the workspace's sessions say of each contract. One whose log cannot be read says nothing. */
export async function reviewOf({ root, vault }: HostPorts["store"]): Promise<readonly ReviewRow[]> {
  const sessions = await Sessions.open(root, workspaceIdentity(), clock, undefined, vault());
  const logs: (readonly Logged[])[] = [];
  for (const { session } of (await sessions.list()).slice(0, REVIEWED_SESSIONS)) {
    try {
      logs.push(await sessions.events(session));
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
    }
  }
  return reviewFrom(logs, sha256);
}

/** The workspace's policies that only observe, because nobody has allowed them more on this machine. */
export async function workspacePolicies(choices: LimitChoices): Promise<WorkspacePolicies> {
  const texts = (await readPolicyFiles("")).filter(({ layer }) => layer === "workspace");
  const { sources, faulty } = loadSources([], texts, (rules) => choices.isApproved(rules), sha256);
  const unapproved = sources.filter(({ mayEnforce }) => !mayEnforce);
  const faults = faulty.map((file) => ({
    path: texts.find(({ label }) => label === file.label)?.path ?? file.label,
    problem: faultNote(file),
  }));
  return { unapproved: unapproved.map(inWords), faults };
}

function inWords({ label, policy: { artifact, identity } }: PolicySource): Unapproved {
  const { contracts, default_budget: budget, on_unshapable_response: larger = "pass" } = artifact;
  return {
    label,
    rulesSha256: identity.rulesSha256,
    contracts: contracts.map(
      ({ tool, argument, maximum = budget.items }) => `${tool} ${argument}: at most ${maximum}`,
    ),
    largerResults: larger === "pass" ? null : larger,
  };
}

async function openTools() {
  const workspace = withOpenDocuments(await openNodeWorkspace(workspaceFolders()));
  const ripgrepPath = await findRipgrep(vscode.env.appRoot, process.env.PATH);
  const command = { timeoutMs: readEditorSettings().commandTimeoutSeconds * 1000 };
  const ports = { workspace, editor: documentEditor(nodeEditor, workspace.roots()), clock };
  return [...createWorkspaceTools(ports, { ripgrepPath, command }), fetchResult];
}

const mcpServers = () => mcpServersFrom(readEditorSettings().mcpServers, "Setting cloakroom.mcp.servers");

/** The servers of one run. None in an untrusted workspace: a command may find its program in the folder it runs in. */
function openMcp(log: vscode.LogOutputChannel, signal: AbortSignal) {
  const ports = {
    endProcessTree,
    folder: workspaceFolders()[0]?.path ?? homedir(),
    startTimeoutMs: DEFAULT_START_TIMEOUT_MS,
    callTimeoutMs: readEditorSettings().commandTimeoutSeconds * 1000,
    hash: sha256,
    onProblem: (sentence: string) => {
      log.warn(sentence);
      void vscode.window.showWarningMessage(inNotice(sentence));
    },
    onPrinted: (server: string, text: string) => log.info(`MCP server ${server} printed:\n${text}`),
  };
  return openServers(vscode.workspace.isTrusted ? mcpServers() : {}, ports, signal);
}
