/** Analyze Session…: another agent's session file, found or picked, in the same page as our own sessions. Nothing is written. */
import * as vscode from "vscode";
import type { LookedAt } from "../inspector/lookedAt";
import type { AnalysisSummary } from "../schema/inspector";
import { inLabel } from "./plainText";
import type { SessionController } from "./sessionController";

export type FoundFile = {
  readonly file: string;
  readonly agent: string;
  readonly title: string | null;
  readonly changedAt: number;
  readonly bytes: number;
};

/** One session of a file, and what was found of it. */
export type Analysed = LookedAt & { readonly title: string; readonly analysis: AnalysisSummary };

export type AnalyzePorts = {
  readonly sessions: SessionController;
  readonly find: () => Promise<readonly FoundFile[]>;
  /** Throws `import-unreadable`. */
  readonly read: (file: string) => Promise<readonly Analysed[]>;
  readonly show: () => Promise<void>;
};

const FILES = { "Session files": ["jsonl", "json", "traj", "zst"], "All files": ["*"] };

export class AnalyzeCommand {
  readonly #ports: AnalyzePorts;
  readonly #analyses = new Map<string, AnalysisSummary>();

  constructor(ports: AnalyzePorts) {
    this.#ports = ports;
  }

  analysisOf(session: string): AnalysisSummary | null {
    return this.#analyses.get(session) ?? null;
  }

  async run(): Promise<void> {
    const file = await this.#pickFile();
    if (file === null) return;
    const options = { location: vscode.ProgressLocation.Notification, title: "Analyzing session…" };
    const found = await vscode.window.withProgress(options, () => this.#ports.read(file));
    const chosen = await pickSession(found);
    if (!chosen) return;
    this.#analyses.set(chosen.session, chosen.analysis);
    this.#ports.sessions.lookAt(chosen);
    await this.#ports.show();
  }

  async #pickFile(): Promise<string | null> {
    const found = await this.#ports.find();
    const browse = { label: "$(folder-opened) Browse…", file: null, alwaysShow: true };
    const items = found.map(({ file, agent, title, changedAt, bytes }) => ({
      file,
      label: inLabel(title ?? agent),
      description: `${agent} · ${new Date(changedAt).toLocaleString()} · ${sizeOf(bytes)}`,
      detail: file,
    }));
    const picked =
      items.length === 0
        ? browse
        : await vscode.window.showQuickPick([...items, browse], {
            title: "Analyze Session",
            placeHolder: "A session of another agent on this machine",
            matchOnDescription: true,
            matchOnDetail: true,
          });
    if (!picked) return null;
    if (picked.file !== null) return picked.file;
    const [opened] =
      (await vscode.window.showOpenDialog({
        title: "Analyze Session",
        filters: FILES,
        openLabel: "Analyze",
      })) ?? [];
    return opened?.fsPath ?? null;
  }
}

/** A file may hold several. */
async function pickSession(found: readonly Analysed[]): Promise<Analysed | undefined> {
  if (found.length <= 1) return found[0];
  const items = found.map((session) => ({ session, label: inLabel(session.title) }));
  const picked = await vscode.window.showQuickPick(items, {
    title: "Analyze Session",
    placeHolder: "The file holds several sessions",
  });
  return picked?.session;
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
