/**
 * Where other agents keep their sessions, as far as a format here reads them. Not here: databases (Cursor, opencode, of which an
 * export is read where it is picked), the `wire.jsonl` beside Kimi CLI's contexts, which tells a view what they say, and rollouts of
 * Codex that this Node cannot unpack.
 */
import path from "node:path";
import { canUnpack } from "./packed";

export type Agent =
  | "Claude Code"
  | "Codex"
  | "Copilot CLI"
  | "Copilot Chat"
  | "Cline"
  | "Roo Code"
  | "Gemini CLI"
  | "Kimi"
  | "Continue"
  | "pi";

/** Below `folder`, one pattern for each folder's name down to the file's. */
export type Place = { readonly agent: Agent; readonly folder: string; readonly names: readonly RegExp[] };

export type Environment = Readonly<Record<string, string | undefined>>;

const ANY = /^[^.]/; // not hidden
const JSONL = /\.jsonl$/;
const CHAT = /\.jsonl?$/;
const RECORDING = /^session-.*\.jsonl?$/;
const ROLLOUT = canUnpack ? /^rollout-.*\.jsonl(\.zst)?$/ : /^rollout-.*\.jsonl$/;
const TASK = [ANY, /^api_conversation_history\.json$/];
const EDITORS = ["Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"];
const SERVERS = [".vscode-server", ".vscode-server-insiders"];

/** `platform` as Node names it. A variable counts where it is an absolute path. */
export function placesOf(home: string, platform: string, env: Environment): readonly Place[] {
  const own = (variable: string, ...below: string[]): string => {
    const set = env[variable];
    return set !== undefined && path.isAbsolute(set) ? set : path.join(home, ...below);
  };
  const codex = own("CODEX_HOME", ".codex");
  const claude = [own("CLAUDE_CONFIG_DIR", ".claude"), path.join(home, ".config", "claude")];
  const copilot = path.join(own("COPILOT_HOME", ".copilot"), "session-state");
  const gemini = path.join(own("GEMINI_CLI_HOME"), ".gemini", "tmp");
  const kimi = path.join(own("KIMI_SHARE_DIR", ".kimi"), "sessions");
  const place = (agent: Agent, folder: string, ...names: RegExp[]): Place => ({ agent, folder, names });
  return [
    ...claude.map((folder) => place("Claude Code", path.join(folder, "projects"), /^/, JSONL)),
    place("Codex", path.join(codex, "sessions"), /^\d{4}$/, /^\d\d$/, /^\d\d$/, ROLLOUT),
    place("Codex", path.join(codex, "archived_sessions"), ROLLOUT),
    place("Copilot CLI", copilot, ANY, /^events\.jsonl$/),
    place("Copilot CLI", copilot, JSONL),
    ...clinePlaces(home, env),
    place("Gemini CLI", gemini, ANY, /^checkpoint-.*\.json$/),
    place("Gemini CLI", gemini, ANY, /^chats$/, RECORDING),
    place("Gemini CLI", gemini, ANY, /^chats$/, ANY, JSONL),
    place(
      "Kimi",
      path.join(own("KIMI_CODE_HOME", ".kimi-code"), "sessions"),
      ...[ANY, ANY, /^agents$/, /^main$/, /^wire\.jsonl$/],
    ),
    place("Kimi", kimi, ANY, ANY, /^context\.jsonl$/),
    place("Kimi", kimi, ANY, JSONL),
    place(
      "Continue",
      path.join(own("CONTINUE_GLOBAL_DIR", ".continue"), "sessions"),
      /^(?!sessions\.json$).*\.json$/,
    ),
    place("pi", path.join(own("PI_CODING_AGENT_DIR", ".pi", "agent"), "sessions"), ANY, JSONL),
    ...userFolders(home, platform, own).flatMap(editorPlaces),
  ];
}

/** Its sessions since version 4, which all its hosts share, and the tasks from before. */
function clinePlaces(home: string, env: Environment): readonly Place[] {
  const data =
    env.CLINE_DATA_DIR ??
    (env.CLINE_DIR === undefined ? path.join(home, ".cline", "data") : path.join(env.CLINE_DIR, "data"));
  const sessions = env.CLINE_SESSION_DATA_DIR ?? path.join(data, "sessions");
  const places: readonly Place[] = [
    { agent: "Cline", folder: sessions, names: [ANY, /\.messages\.json$/] },
    { agent: "Cline", folder: path.join(data, "tasks"), names: TASK },
  ];
  return places.filter(({ folder }) => path.isAbsolute(folder));
}

/** The user folders of VS Code and its kin, here and where it serves others. */
function userFolders(
  home: string,
  platform: string,
  own: (variable: string, ...below: string[]) => string,
): readonly string[] {
  const settings =
    platform === "win32"
      ? own("APPDATA", "AppData", "Roaming")
      : platform === "darwin"
        ? path.join(home, "Library", "Application Support")
        : own("XDG_CONFIG_HOME", ".config");
  return [
    ...EDITORS.map((editor) => path.join(settings, editor, "User")),
    ...SERVERS.map((server) => path.join(home, server, "data", "User")),
  ];
}

function editorPlaces(user: string): readonly Place[] {
  const workspaces = path.join(user, "workspaceStorage");
  const global = path.join(user, "globalStorage");
  return [
    { agent: "Copilot Chat", folder: workspaces, names: [ANY, /^chatSessions$/, CHAT] },
    {
      agent: "Copilot Chat",
      folder: workspaces,
      names: [ANY, /^github\.copilot-chat$/i, /^transcripts$/, JSONL],
    },
    { agent: "Copilot Chat", folder: path.join(global, "emptyWindowChatSessions"), names: [CHAT] },
    { agent: "Cline", folder: path.join(global, "saoudrizwan.claude-dev", "tasks"), names: TASK },
    { agent: "Roo Code", folder: path.join(global, "rooveterinaryinc.roo-cline", "tasks"), names: TASK },
  ];
}
