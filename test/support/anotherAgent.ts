// test/support: a session of another agent where that agent keeps it, below a home folder of its own. Small and of our own.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { linesOf } from "./transcripts";

export const AGENT_TASK = "Mend the boat";

const said = (role: "user" | "assistant", id: string, ...content: object[]) => ({
  ...{ type: role, sessionId: "s1", uuid: id, cwd: "/home/me/boat", timestamp: "2026-01-02T03:04:05Z" },
  message: { id, role, model: "claude-x", content, usage: { input_tokens: 50, output_tokens: 7 } },
});
const TRANSCRIPT = linesOf(
  said("user", "u1", { type: "text", text: AGENT_TASK }),
  said("assistant", "m1", { type: "tool_use", id: "a", name: "Read", input: { path: "hull.md" } }),
  said("user", "u2", { type: "tool_result", tool_use_id: "a", content: "A plank of oak.\n".repeat(1000) }),
  said("assistant", "m2", { type: "text", text: "Mended." }),
);

export type AgentSession = {
  /** For the environment's HOME. */
  readonly home: string;
  readonly file: string;
  readonly text: string;
  remove(): void;
};

export function anotherAgentsSession(): AgentSession {
  const home = mkdtempSync(path.join(os.tmpdir(), "clk-home-"));
  const file = path.join(home, ".claude", "projects", "boat", "s1.jsonl");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, TRANSCRIPT);
  return { home, file, text: TRANSCRIPT, remove: () => rmSync(home, { recursive: true, force: true }) };
}
