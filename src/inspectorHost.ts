/** The Context Inspector as the editor has it: its pages, what they are answered, and what they may ask to be done. */
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { analysisReport } from "./inspector/analysisReport";
import { analysisSentence } from "./inspector/analysisSentence";
import { lookedAtFrom } from "./inspector/lookedAt";
import type { AnalysedTranscript } from "./inspector/whatIf/analyseTranscript";
import { analyseTranscript } from "./inspector/whatIf/analyseTranscript";
import { changesFor } from "./inspector/whatIf/knobs";
import type { RecordedSession } from "./inspector/whatIf/wholes";
import type { TokenCounter } from "./schema/tokens";
import type { WhatIfKnobs } from "./schema/whatIf";
import { sha256 } from "./store/digest";
import { findTranscripts } from "./transcripts/find";
import { type Analysed, AnalyzeCommand } from "./vscode/analyzeCommand";
import { Attention } from "./vscode/attention";
import { type Commands, messageOf } from "./vscode/commands";
import type { Disposables } from "./vscode/disposables";
import { type ActPorts, confirmChanges, inspectorActs } from "./vscode/inspectorActs";
import { InspectorAnswers } from "./vscode/inspectorAnswers";
import { InspectorReplays } from "./vscode/inspectorReplays";
import { INSPECTOR_VIEW, InspectorView } from "./vscode/inspectorView";
import { Links } from "./vscode/links";
import type { SessionController } from "./vscode/sessionController";
import { readCoreSettings } from "./vscode/settings";
import { StatusItem } from "./vscode/statusItem";

export type InspectorHostPorts = {
  readonly context: vscode.ExtensionContext;
  readonly sessions: SessionController;
  readonly commands: Commands;
  readonly acts: Pick<ActPorts, "limits" | "reviews" | "drafts" | "store" | "answer">;
  readonly tokens: () => Promise<TokenCounter>;
  /** Of a session on disk. Throws where it is too much to be held. */
  readonly recorded: (session: string) => Promise<RecordedSession>;
  /** Sessions of a file of another agent. Throws `import-unreadable`. */
  readonly readTranscript: (file: string) => Promise<readonly RecordedSession[]>;
  readonly waiting: ConstructorParameters<typeof Attention>[1];
};

const EXPLAINED = "cloakroom.explained.stored";

export function createInspector(ports: InspectorHostPorts, owned: Disposables): void {
  const { context, sessions, commands, tokens } = ports;
  const { globalState, extensionUri } = context;
  const looked = new Map<string, RecordedSession>();
  const replays = new InspectorReplays({
    events: (session) => sessions.reads.events(session),
    recorded: async (session) => looked.get(session) ?? ports.recorded(session),
    tokens,
    hash: sha256,
  });
  owned.add(sessions.onDidAppend(({ session }) => replays.changed(session)));
  owned.add(sessions.onDidChange((session) => replays.changed(session)));

  const analyze = new AnalyzeCommand({
    sessions,
    find: () => findTranscripts(homedir(), process.platform, process.env),
    read: async (file) => {
      const found = await analyseTranscript(file, ports.readTranscript, { tokens: await tokens() });
      return found.map((one, at) => {
        const analysed = analysedFrom(file, at, one);
        looked.set(analysed.session, { ...one.recorded, events: analysed.events });
        return analysed;
      });
    },
    show: async () => void (await vscode.commands.executeCommand(`${INSPECTOR_VIEW}.focus`)),
  });

  const view: InspectorView = new InspectorView(
    extensionUri,
    {
      sessions,
      answers: new InspectorAnswers(sessions, replays, messageOf),
      problemOf: messageOf,
      isFirstStored: () => globalState.get(EXPLAINED) !== true,
      analysisOf: (session) => analyze.analysisOf(session),
      acts: inspectorActs({
        ...ports.acts,
        sessions,
        commands,
        analyze: () => analyze.run(),
        apply: (session, knobs) => applySettings(sessions, session, knobs),
        openInEditor: (session, title) => view.openInEditor(session, title),
        explained: async () => globalState.update(EXPLAINED, true),
      }),
    },
    () => randomBytes(16).toString("hex"),
  );
  owned.add(view.register());
  owned.add(new StatusItem(sessions));
  owned.add(new Attention(sessions, ports.waiting, view));
  const guard = (work: () => Promise<void>) => commands.guard(work);
  owned.add(vscode.window.registerUriHandler(new Links((session, key) => view.reveal(session, key), guard)));
  const offered = {
    "cloakroom.analyzeSession": () => analyze.run(),
    "cloakroom.openInspectorInEditor": () => openInEditor(sessions, commands, view),
  };
  for (const [id, run] of Object.entries(offered))
    owned.add(vscode.commands.registerCommand(id, () => guard(run)));
}

async function openInEditor(
  sessions: SessionController,
  commands: Commands,
  view: InspectorView,
): Promise<void> {
  const session = sessions.selected ?? (await sessions.rows())[0]?.session ?? null;
  const title = session === null ? null : ((await sessions.fold(session))?.head?.title ?? null);
  if (session !== null && title !== null) return view.openInEditor(session, title);
  await commands.pick("Open Context Inspector in Editor");
}

/** An id of its own: the file has one that any number of files may have. */
function analysedFrom(file: string, at: number, { analysis, recorded }: AnalysedTranscript): Analysed {
  const session = `file-${sha256(`${at} ${file}`).slice(0, 16)}`;
  return {
    ...lookedAtFrom(session, recorded),
    title: analysis.title,
    analysis: {
      agent: analysis.format,
      sentence: analysisSentence(analysis),
      lines: analysisReport(analysis),
    },
  };
}

/** The settings of this window, after they were shown; the person may take them back at once. */
async function applySettings(
  sessions: SessionController,
  session: string,
  knobs: WhatIfKnobs,
): Promise<void> {
  const model = (await sessions.fold(session))?.head?.modelId ?? "";
  const changes = changesFor(knobs, readCoreSettings(), model);
  if (changes.length === 0 || !(await confirmChanges(changes))) return;
  const config = vscode.workspace.getConfiguration();
  const before = changes.map(({ setting }) => ({ setting, to: config.inspect(setting)?.globalValue }));
  await write(changes);
  const undo = "Undo";
  const words = "Cloakroom: Settings changed. They apply from the next run of a session on.";
  if ((await vscode.window.showInformationMessage(words, undo)) === undo) await write(before);
}

async function write(changes: readonly { readonly setting: string; readonly to: unknown }[]): Promise<void> {
  const config = vscode.workspace.getConfiguration();
  for (const { setting, to } of changes) await config.update(setting, to, vscode.ConfigurationTarget.Global);
}
