/** The palette's commands for who may lower what on this machine: a workspace's rules are allowed, contracts reviewed. */
import * as vscode from "vscode";
import type { Digest } from "../schema/claim";
import type { Rollout } from "../schema/policy";
import type { ReviewRow } from "../thimble/review";
import type { Drafts } from "./drafts";
import type { LimitChoices } from "./limitChoices";
import { inLabel, inNotice } from "./plainText";

/** A workspace's policy that has not been allowed to enforce here. `contracts`: in words. */
export type Unapproved = {
  readonly label: string;
  readonly rulesSha256: Digest;
  readonly contracts: readonly string[];
  /** What becomes of larger results than these; null: nothing. */
  readonly largerResults: "project" | "micro_context" | null;
};

/** `faults`: files that are no policy now, and what is wrong with them. */
export type WorkspacePolicies = {
  readonly unapproved: readonly Unapproved[];
  readonly faults: readonly { readonly path: string; readonly problem: string }[];
};

export type ReviewPorts = {
  readonly choices: LimitChoices;
  readonly owner: string; // who decides
  readonly drafts: Drafts;
  readonly unapproved: () => Promise<WorkspacePolicies>;
  /** What this workspace's sessions say of each contract. */
  readonly review: () => Promise<readonly ReviewRow[]>;
  readonly guard: (work: () => Promise<void>) => Promise<void>;
};

const SHOWN_CONTRACTS = 12;
const STATUS_MS = 5000;

export class ReviewCommands {
  readonly #ports: ReviewPorts;

  constructor(ports: ReviewPorts) {
    this.#ports = ports;
  }

  register(): vscode.Disposable {
    const { guard } = this.#ports;
    return vscode.Disposable.from(
      vscode.commands.registerCommand("cloakroom.approvePolicy", () => guard(() => this.approvePolicy())),
      vscode.commands.registerCommand("cloakroom.reviewLimits", () => guard(() => this.reviewLimits())),
    );
  }

  async approvePolicy(): Promise<void> {
    const { unapproved: found, faults } = await this.#ports.unapproved();
    for (const fault of faults) void this.#ports.guard(() => tellFault(fault));
    if (found.length + faults.length === 0)
      return void vscode.window.showInformationMessage(
        "Cloakroom: There is no policy in this workspace that only observes.",
      );
    for (const { label, rulesSha256, contracts, largerResults } of found) {
      const more =
        contracts.length > SHOWN_CONTRACTS ? `\n… and ${contracts.length - SHOWN_CONTRACTS} more` : "";
      const larger = largerResults === null ? "" : `\n${LARGER[largerResults]}`;
      const detail = `${contracts.slice(0, SHOWN_CONTRACTS).join("\n")}${more}${larger}\n\nIt comes before your own policy and the built-in one. A change of its rules asks again. Rules ${rulesSha256.slice(0, 12)}.`;
      const question = `Let ${inNotice(label)} lower result counts on this machine?`;
      const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, "Allow");
      if (answer !== "Allow") continue;
      await this.#ports.choices.approve(rulesSha256);
      told(`Allowed: ${label}`);
    }
  }

  /** Who decides, when and why is kept; the next run of a session decides by it. */
  async reviewLimits(): Promise<void> {
    const { choices, owner, review } = this.#ports;
    const rows = await review();
    if (rows.length === 0)
      return void vscode.window.showInformationMessage(
        "Cloakroom: No session of this workspace has a tool with a contract yet.",
      );
    const decided = new Map(choices.reviewed().map((decision) => [decision.id, decision]));
    const picked = await vscode.window.showQuickPick(
      rows.map((row) => ({ row, ...itemOf(row, decided.get(row.check.id)) })),
      { title: "Review Result Limits", placeHolder: "Pick a contract", matchOnDetail: true },
    );
    if (!picked) return;
    const { id, tool, argument } = picked.row.check;
    const last = decided.get(id);
    const now = last?.mode ?? picked.row.check.mode;
    const enforce = {
      mode: "enforce" as const,
      label: "Enforce",
      detail: "Counts above its ceiling are lowered, when result limits are set to Enforce.",
    };
    const observe = {
      mode: "observe" as const,
      label: "Observe",
      detail: "Calls run as written; what would have been lowered is recorded.",
    };
    const mode = await vscode.window.showQuickPick(
      [enforce, observe].map((item) => ({ ...item, description: item.mode === now ? "current" : "" })),
      {
        title: `Review Result Limits: ${tool} ${argument}`,
        placeHolder: last ? decisionIn(last) : "Nobody has decided yet",
      },
    );
    if (!mode) return;
    const why = await this.#ports.drafts.ask(id, {
      title: `${mode.label} ${tool} ${argument}: Reason`,
      prompt: "Kept with your name and the date.",
      validateInput: (text) => (text.trim() === "" ? "Say why." : null),
    });
    if (!why) return;
    await choices.review({ id, tool, argument, mode: mode.mode, by: owner, at: Date.now(), why: why.text });
    why.used();
    told(`${mode.label}: ${tool} ${argument}`);
  }
}

/** Counts from the next run of a session on. */
const told = (words: string): void =>
  void vscode.window.setStatusBarMessage(`${words}, from the next run on`, STATUS_MS);

const LARGER = {
  project: "Larger results: their first whole records are shown",
  micro_context: "Larger results: the model may be asked about them, where your settings allow it",
} as const;

const MODE_NAMES = { off: "Off", observe: "Observe", enforce: "Enforce" } as const;

/** The mode is what the newest session had; a decision that came after counts from the next run on. */
function itemOf(row: ReviewRow, decision: Rollout | undefined) {
  const { tool, argument, source, mode } = row.check;
  const isDue = decision !== undefined && decision.mode !== mode;
  const modes = isDue ? `${MODE_NAMES[mode]}, decided: ${MODE_NAMES[decision.mode]}` : MODE_NAMES[mode];
  return {
    label: inLabel(`${tool} ${argument}`),
    description: inLabel(`${modes} · ${source}`),
    detail: countsOf(row),
  };
}

const decisionIn = ({ mode, by, at, why }: Rollout): string =>
  inNotice(`${MODE_NAMES[mode]} since ${new Date(at).toLocaleDateString()}, by ${by}: ${why}`);

/** Short enough to be read whole in a picker. */
function countsOf({ sessions, calls, proposed, lowered, requested, effective, marks }: ReviewRow): string {
  const seen = `${calls === 0 ? "No calls" : counted(calls, "call")}, ${counted(sessions, "session")}`;
  if (calls === 0) return seen;
  if (proposed + lowered === 0) return `${seen}, none above its ceiling`;
  const changed = [
    proposed === 0 ? "" : `${proposed} proposed`,
    lowered === 0 ? "" : `${lowered} lowered`,
  ].filter((part) => part !== "");
  const items = `${BigInt(requested).toLocaleString()} → ${counted(effective, "item")}`;
  const kinds = [...new Set(marks.map((mark) => mark.replace(/ by .*$/, "").replaceAll("_", " ")))];
  const against =
    marks.length === 0 ? "no false clamp" : `${counted(marks.length, "false clamp")} (${kinds.join(", ")})`;
  return `${seen} · ${changed.join(", ")} · ${items} · ${against}`;
}

const counted = (count: number | string, noun: string): string =>
  `${BigInt(count).toLocaleString()} ${noun}${String(count) === "1" ? "" : "s"}`;

async function tellFault({ path, problem }: WorkspacePolicies["faults"][number]): Promise<void> {
  const open = "Open File";
  const picked = await vscode.window.showWarningMessage(`Cloakroom: ${inNotice(problem)}`, open);
  if (picked === open) await vscode.window.showTextDocument(vscode.Uri.file(path));
}
