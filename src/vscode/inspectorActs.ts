/** What the inspector may ask to be done. Each act is a door: what goes wrong behind it is shown once, with the next step. */
import * as vscode from "vscode";
import { turnOfCall } from "../history/fold";
import { askAgain } from "../inspector/askAgain";
import { placeOfTurn, turnAt } from "../inspector/turnPages";
import type { Handle } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { CallView, TurnView } from "../schema/view";
import type { WhatIfKnobs } from "../schema/whatIf";
import type { Commands } from "./commands";
import type { Drafts } from "./drafts";
import type { InspectorActs } from "./inspectorPage";
import { type LimitCommands, reasonProblem } from "./limitCommands";
import { linkTo } from "./links";
import { inLabel, inNotice } from "./plainText";
import type { ReviewCommands } from "./reviewCommands";
import type { SessionController } from "./sessionController";
import type { StoreCommands } from "./storeCommands";

export type ActPorts = {
  readonly sessions: SessionController;
  readonly commands: Commands;
  readonly limits: LimitCommands;
  readonly reviews: ReviewCommands;
  readonly drafts: Drafts;
  readonly store: StoreCommands;
  readonly answer: () => void;
  readonly analyze: () => Promise<void>;
  readonly apply: (session: string, knobs: WhatIfKnobs) => Promise<void>;
  readonly openInEditor: (session: string, title: string) => void;
  readonly explained: () => Promise<void>;
};

const STATUS_MS = 4000;

export function inspectorActs(ports: ActPorts): InspectorActs {
  const { sessions, commands, limits, reviews, store } = ports;
  const guard = (work: () => Promise<void>) => commands.guard(work);
  return {
    startSession: () => commands.start(),
    analyzeSession: () => guard(ports.analyze),
    continueSession: ({ session }) => commands.continue(session),
    stopSession: ({ session }) => commands.stop(session),
    answerQuestion: async () => ports.answer(),
    openStored: ({ session, handle }) => commands.openStored(session, handle),
    copyHandle: ({ handle }) => guard(() => copied(handle, "Handle copied")),
    copyLink: ({ key }) => guard(async () => copied(await linkTo(key), "Link copied")),
    pin: ({ session, call, isPinned }) => guard(() => sessions.act(session, { kind: "pin", call, isPinned })),
    shorten: ({ session, call }) => guard(() => sessions.act(session, { kind: "shorten", call })),
    forget: ({ session, handle }) => guard(() => forget(sessions, session, handle)),
    runAgain: ({ session, call }) => guard(() => runAgain(ports, session, call)),
    forkSession: ({ session, turn }) => guard(() => store.forkSession(session, turn)),
    exportSession: ({ session }) => guard(() => store.exportSession(session)),
    verifySession: ({ session }) => guard(() => store.verify(session)),
    setIntent: ({ session }) => guard(() => limits.setIntent(session)),
    setResultLimits: () => commands.setResultLimits(),
    reviewResultLimits: () => guard(() => reviews.reviewLimits()),
    openSetting: ({ setting }) => guard(() => openSetting(setting)),
    applySettings: ({ session, knobs }) => guard(() => ports.apply(session, knobs)),
    openInEditor: ({ session }) =>
      guard(async () => {
        const title = (await sessions.fold(session))?.head?.title;
        if (title !== undefined) ports.openInEditor(session, inLabel(title));
      }),
    openTranscript: ({ session }) => commands.openTranscript(session),
    explained: () => guard(ports.explained),
  };
}

async function copied(text: string, words: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(words, STATUS_MS);
}

/** A name that is no setting of ours opens nothing. */
async function openSetting(setting: string): Promise<void> {
  if (vscode.workspace.getConfiguration().inspect(setting)?.defaultValue === undefined) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", `@id:${setting}`);
}

async function forget(sessions: SessionController, session: string, handle: Handle): Promise<void> {
  const remove = "Delete";
  const picked = await vscode.window.showWarningMessage(
    "Delete this stored result?",
    {
      modal: true,
      detail:
        "This cannot be undone. The whole result is deleted from disk; what the model was shown of it stays in the session's log.",
    },
    remove,
  );
  if (picked === remove) await sessions.act(session, { kind: "forget", handle });
}

/** The call's tool is exempt once, with a reason, and the model is asked for the same call again. */
async function runAgain(
  { sessions, limits, drafts, commands }: ActPorts,
  session: string,
  call: string,
): Promise<void> {
  const fold = await sessions.fold(session);
  const turn = fold ? turnAt(fold.turns, placeOfTurn(fold.turns, turnOfCall(call))) : undefined;
  const found = callIn(turn, call);
  if (!found)
    throw new Failure("session-missing", "This call is no longer in the session. Open the session again.");
  const reason = await drafts.ask(session, {
    title: `Run ${inLabel(found.tool)} Again Without Limit: Reason`,
    prompt: "Its next call is exempt from result limits. The reason is shown in its receipt.",
    validateInput: reasonProblem,
  });
  if (!reason) return;
  await limits.exemptOnce(session, found.tool, reason.text);
  reason.used();
  const events = await sessions.reads.eventsAbout(session, [JSON.stringify(call)]);
  await commands.continue(session, askAgain(found.tool, call, events));
}

const callIn = (turn: TurnView | undefined, call: string): CallView | undefined =>
  turn?.calls.find((candidate) => candidate.call === call);

/** "from 4096 to 8192", as people read settings. */
export async function confirmChanges(
  changes: readonly { readonly setting: string; readonly from: unknown; readonly to: unknown }[],
): Promise<boolean> {
  const lines = changes.map(({ setting, from, to }) => `${setting}: ${worded(from)} → ${worded(to)}`);
  const apply = "Apply";
  const picked = await vscode.window.showInformationMessage(
    "Apply these settings?",
    { modal: true, detail: inNotice(lines.join("\n")) },
    apply,
  );
  return picked === apply;
}

const worded = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
