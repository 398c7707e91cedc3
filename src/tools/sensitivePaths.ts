/** Which paths may change what an agent or an editor does later: writes there are always asked for (CONFORMANCE §7). */
import { compileGlob } from "./glob";

/** Lower-case globs. A path is sensitive when it, or a folder it lies in, matches one at any depth. */
const SENSITIVE = [
  // version control and what runs on its events
  ".git",
  ".gitmodules",
  ".husky",
  ".githooks",
  ".github/hooks",
  ".github/workflows",
  ".pre-commit-config.yaml",
  "lefthook.y*ml",
  // editor settings, tasks and environments that start things
  ".vscode",
  ".idea",
  ".devcontainer",
  ".devcontainer.json",
  "*.code-workspace",
  ".envrc",
  // agent instructions, hooks and tool servers
  "agents.md",
  "agents.override.md",
  "agent.md",
  "claude.md",
  "claude.local.md",
  "gemini.md",
  "skill.md",
  ".github/copilot-instructions.md",
  ".github/instructions",
  ".github/prompts",
  ".github/agents",
  ".github/chatmodes",
  "*.instructions.md",
  "*.prompt.md",
  "*.agent.md",
  "*.chatmode.md",
  ".agents",
  ".claude",
  ".codex",
  ".continue",
  ".copilot",
  ".cursor",
  ".gemini",
  ".kiro",
  ".opencode",
  ".roo",
  ".windsurf",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules*",
  ".roorules*",
  ".mcp.json",
  "mcp.json",
  "mcp_config.json",
  "opencode.json*",
  // policy files
  "thimble.json",
];

const globs = SENSITIVE.map((pattern) => {
  const glob = compileGlob(`**/${pattern}`);
  if (glob === null) throw new Error(`unreadable pattern ${pattern}`);
  return glob;
});

/** Whether writing to `path` (relative, either slash) must always be asked for. Names are compared as the most forgiving file system would. */
export function isSensitivePath(path: string): boolean {
  const segments = path
    .split(/[\\/]/)
    .map(forgivingName)
    .filter((name) => name !== "");
  return segments.some((_, i) => globs.some((glob) => glob.matches(segments.slice(0, i + 1))));
}

/** Whether a command names a sensitive path. A hint for the person who is asked, not a barrier: a shell can spell names in endless ways. */
export function mentionsSensitivePath(command: string): boolean {
  return command.split(/[^\p{L}\p{N}\p{Cf}._~\-\\/]+/u).some(isSensitivePath);
}

/** Case, invisible characters, alternate streams, trailing dots and spaces do not make another file on every system. */
function forgivingName(name: string): string {
  if (name === "." || name === "..") return "";
  return name
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
