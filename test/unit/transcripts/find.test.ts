/** Where other agents keep their sessions: on every system, newest first, nothing through links, bounded, whatever is there. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findTranscripts, MOST_FOUND } from "../../../src/transcripts/find";
import { canUnpack } from "../../../src/transcripts/packed";
import { readTranscript } from "../../../src/transcripts/readTranscript";
import {
  CODEX_PACKED,
  COPILOT_CHAT_LOG,
  GEMINI_LOG,
  GEMINI_RECORDING,
  KIMI_CONTEXT,
} from "../../support/recordings";
import { linesOf, transcriptPorts } from "../../support/transcripts";

let home = "";
setup(() => {
  home = mkdtempSync(path.join(os.tmpdir(), "clk-home-"));
});
teardown(() => rmSync(home, { recursive: true, force: true }));

let changed = 1_700_000_000;
function write(name: string, content: unknown): string {
  const file = path.join(home, ...name.split("/"));
  mkdirSync(path.dirname(file), { recursive: true });
  const isWritten = typeof content === "string" || Buffer.isBuffer(content);
  writeFileSync(file, isWritten ? content : JSON.stringify(content));
  utimesSync(file, ++changed, changed);
  return file;
}

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const said = { role: "assistant", content: [{ type: "text", text: "Done." }] };
const CLAUDE = linesOf(
  { type: "user", sessionId: "s", uuid: "u", isMeta: true, message: user("Caveat: said by a program") },
  { type: "user", sessionId: "s", uuid: "u", message: user("<command-name>/clear</command-name>") },
  { type: "user", sessionId: "s", uuid: "u", message: user("Fix the   parser\nplease") },
  { type: "assistant", sessionId: "s", uuid: "u", message: { id: "m", ...said } },
);
const CODEX = linesOf(
  { type: "session_meta", payload: { id: "c", cwd: "/r" } },
  {
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ text: "<environment_context>" }] },
  },
  { type: "event_msg", payload: { type: "user_message", message: "List the files" } },
  {
    type: "response_item",
    payload: { type: "message", role: "user", content: [{ type: "input_text", text: "List the files" }] },
  },
  {
    type: "response_item",
    payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "a" }] },
  },
);
const COPILOT = linesOf(
  { type: "session.start", data: { sessionId: "x" } },
  { type: "user.message", data: { content: "Explain it" } },
  { type: "assistant.message", data: { content: "So.", toolRequests: [] } },
);
const CHAT = {
  version: 3,
  customTitle: "Retry loop",
  requests: [{ requestId: "r", message: { text: "Fix the retry" }, response: [{ value: "Done." }] }],
};
const TASK = [
  {
    role: "user",
    content: [
      { type: "text", text: "<task>\nWrite tests\n</task>" },
      { type: "text", text: "<environment_details>\n</environment_details>" },
    ],
  },
  said,
];
const KIMI = linesOf(
  { type: "config.update", systemPrompt: "You are." },
  { type: "turn.prompt", input: [{ type: "text", text: "Count lines" }] },
  { type: "context.append_message", message: user("Count lines") },
  { type: "context.append_loop_event", event: { type: "step.begin" } },
  {
    type: "context.append_loop_event",
    event: { type: "content.part", part: { type: "text", text: "Ten." } },
  },
  { type: "context.append_loop_event", event: { type: "step.end" } },
);
const PI = linesOf(
  { type: "session", id: "p", cwd: "/r" },
  { type: "message", message: user("See the issue") },
  { type: "message", message: said },
);
const GEMINI = {
  history: [
    { role: "user", parts: [{ text: "Hello." }] },
    { role: "model", parts: [{ text: "Hello." }] },
  ],
};
const CONTINUE = {
  sessionId: "k",
  title: "A refactoring",
  history: [
    { message: { role: "user", content: "Do." } },
    { message: { role: "assistant", content: "Done." } },
  ],
};
const CLINE = {
  version: 1,
  sessionId: "1_a",
  messages: [user('<user_input mode="act">Move it</user_input>'), said],
};

/** Everywhere the same. */
const AT_HOME: readonly [file: string, content: unknown, agent: string, title: string][] = [
  [".claude/projects/-home-me-r/a.jsonl", CLAUDE, "Claude Code", "Fix the parser"],
  [".codex/sessions/2026/08/03/rollout-1.jsonl", CODEX, "Codex", "List the files"],
  [".codex/archived_sessions/rollout-2.jsonl", CODEX, "Codex", "List the files"],
  [".copilot/session-state/id/events.jsonl", COPILOT, "Copilot CLI", "Explain it"],
  [".copilot/session-state/old.jsonl", COPILOT, "Copilot CLI", "Explain it"],
  [".cline/data/sessions/1_a/1_a.messages.json", CLINE, "Cline", "Move it"],
  [".gemini/tmp/abc/checkpoint-before%20lunch.json", GEMINI, "Gemini CLI", "before lunch"],
  [".gemini/tmp/abc/chats/session-1.json", GEMINI_RECORDING, "Gemini CLI", "A look around"],
  [".gemini/tmp/tug/chats/session-2.jsonl", GEMINI_LOG, "Gemini CLI", "A look around"],
  [".gemini/tmp/tug/chats/5ea70013/sub.jsonl", GEMINI_LOG, "Gemini CLI", "A look around"],
  [".kimi/sessions/ab12/s/context.jsonl", KIMI_CONTEXT, "Kimi", "Look."],
  [".kimi/sessions/ab12/old.jsonl", KIMI_CONTEXT, "Kimi", "Look."],
  [".kimi-code/sessions/w/s/agents/main/wire.jsonl", KIMI, "Kimi", "Count lines"],
  [".continue/sessions/k.json", CONTINUE, "Continue", "A refactoring"],
  [".pi/agent/sessions/--r--/1_p.jsonl", PI, "pi", "See the issue"],
];
/** Below a folder `User` of an editor. */
const IN_EDITOR: typeof AT_HOME = [
  ["workspaceStorage/h/chatSessions/c.json", CHAT, "Copilot Chat", "Retry loop"],
  ["workspaceStorage/h/chatSessions/d.jsonl", COPILOT_CHAT_LOG, "Copilot Chat", "Two looks"],
  ["workspaceStorage/h/GitHub.copilot-chat/transcripts/t.jsonl", COPILOT, "Copilot Chat", "Explain it"],
  ["globalStorage/emptyWindowChatSessions/e.json", CHAT, "Copilot Chat", "Retry loop"],
  ["globalStorage/emptyWindowChatSessions/f.jsonl", COPILOT_CHAT_LOG, "Copilot Chat", "Two looks"],
  [
    "globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
    TASK,
    "Cline",
    "Write tests",
  ],
  [
    "globalStorage/rooveterinaryinc.roo-cline/tasks/2/api_conversation_history.json",
    TASK,
    "Roo Code",
    "Write tests",
  ],
];
/** Only where they can be read. */
const PACKED: typeof AT_HOME = [
  [".codex/sessions/2026/08/03/rollout-3.jsonl.zst", CODEX_PACKED, "Codex", "List the files"],
  [".codex/archived_sessions/rollout-4.jsonl.zst", CODEX_PACKED, "Codex", "List the files"],
];
/** What lies beside them and is no session, or none that is read here. */
const BESIDE = [
  ".claude/projects/-home-me-r/s/subagents/agent-1.jsonl",
  ".claude/history.jsonl",
  ".kimi/sessions/ab12/s/wire.jsonl",
  ".continue/sessions/sessions.json",
  ".gemini/tmp/abc/logs.json",
  ".gemini/tmp/abc/chats/notes.json",
  ".kimi-code/sessions/w/s/state.json",
  ".cline/data/sessions/1_a/1_a.json",
];

for (const [platform, users] of [
  ["linux", [".config/Code/User", ".config/VSCodium/User", ".vscode-server/data/User"]],
  ["darwin", ["Library/Application Support/Code - Insiders/User"]],
  ["win32", ["AppData/Roaming/Code/User"]],
] as const)
  test(`${platform}: sessions of every agent, newest first, and every one of them is read`, async () => {
    const all = [
      ...AT_HOME,
      ...(canUnpack ? PACKED : []),
      ...users.flatMap((folder) =>
        IN_EDITOR.map(([file, ...rest]): (typeof AT_HOME)[number] => [`${folder}/${file}`, ...rest]),
      ),
    ];
    for (const name of BESIDE) write(name, "{}");
    if (!canUnpack) for (const [name, content] of PACKED) write(name, content);
    const files = all.map(([name, content]) => write(name, content));
    const found = await findTranscripts(home, platform, {});
    assert.deepEqual(
      found.map(({ file, agent, title }) => [file, agent, title]),
      all.map(([, , agent, title], n) => [files[n], agent, title]).reverse(),
    );
    assert.deepEqual([found[0]?.changedAt, found.every(({ bytes }) => bytes > 10)], [changed * 1000, true]);
    for (const { file } of found)
      assert.ok((await readTranscript(file, transcriptPorts)).sessions.length > 0);
  });

test("folders that an agent was told to use are looked in; a relative one is not believed", async () => {
  const own = (name: string) => path.join(home, "own", name);
  const files = [
    write("own/claude/projects/p/a.jsonl", CLAUDE),
    write("own/codex/sessions/2026/01/02/rollout-1.jsonl", CODEX),
    write("own/cline/data/tasks/1/api_conversation_history.json", TASK),
    write("own/config/Code/User/globalStorage/emptyWindowChatSessions/e.json", CHAT),
    write("own/gemini/.gemini/tmp/tug/chats/session-1.jsonl", GEMINI_LOG),
    write("own/kimi/sessions/ab12/s/context.jsonl", KIMI_CONTEXT),
  ];
  const env = { CLAUDE_CONFIG_DIR: own("claude"), CODEX_HOME: own("codex"), CLINE_DIR: own("cline") };
  const set = {
    ...env,
    XDG_CONFIG_HOME: own("config"),
    GEMINI_CLI_HOME: own("gemini"),
    KIMI_SHARE_DIR: own("kimi"),
  };
  const fileOf = ({ file }: { file: string }) => file;
  assert.deepEqual((await findTranscripts(home, "linux", set)).map(fileOf), files.reverse());
  assert.deepEqual(
    await findTranscripts(home, "linux", { CODEX_HOME: "own/codex", CLINE_DIR: "own/cline" }),
    [],
  );
});

test("no link is followed: neither a file nor a folder", async () => {
  const outside = write("outside/secret.jsonl", CLAUDE);
  const inside = write(".claude/projects/p/a.jsonl", CLAUDE);
  symlinkSync(outside, path.join(home, ".claude/projects/p/b.jsonl"));
  symlinkSync(path.dirname(outside), path.join(home, ".claude/projects/q"));
  symlinkSync(home, path.join(home, ".claude/projects/p/loop"));
  assert.deepEqual(
    (await findTranscripts(home, "linux", {})).map(({ file }) => file),
    [inside],
  );
});

test("what may not be read is left out, and a file of anything has no title", async () => {
  const locked = path.dirname(write(".claude/projects/locked/a.jsonl", CLAUDE));
  const broken = write(".claude/projects/p/b.jsonl", `{"type":"user","message":"${"x".repeat(90_000)}`);
  write(".claude/projects/p/empty.jsonl", "");
  write(".codex", "a file where a folder should be");
  write(".continue/sessions/n.json", `{"title":"\\u001b[31m red \\ud800 ${"long ".repeat(99)}"}`);
  mkdirSync(path.join(home, ".claude/projects/p/folder.jsonl"));
  chmodSync(locked, 0);
  const found = await findTranscripts(home, "linux", {});
  chmodSync(locked, 0o700);
  const isRoot = process.getuid?.() === 0; // who may read everything
  assert.deepEqual(
    found.filter(({ file }) => !isRoot || !file.startsWith(locked)).map(({ agent, title }) => [agent, title]),
    [
      ["Continue", `[31m red \ufffd ${"long ".repeat(99)}`.slice(0, 100)],
      ["Claude Code", null],
    ],
  );
  assert.equal(found[1]?.file, broken);
});

test("however many there are: so many entries are looked at, the newest days first, and so many sessions are told", async () => {
  for (let n = 0; n < MOST_FOUND + 20; n++) write(`.claude/projects/p/${n}.jsonl`, "{}\n");
  for (const day of ["01", "02", "03"])
    for (let n = 0; n < 5; n++) write(`.codex/sessions/2026/08/${day}/rollout-${n}.jsonl`, CODEX);
  const found = await findTranscripts(home, "linux", {});
  assert.equal(found.length, MOST_FOUND);
  assert.ok(found.slice(0, 15).every(({ agent }) => agent === "Codex"));
  const few = await findTranscripts(home, "linux", {}, 1 + 1 + 3 + 5);
  assert.deepEqual(
    few.filter(({ agent }) => agent === "Codex").map(({ file }) => path.basename(path.dirname(file))),
    ["03", "03", "03", "03", "03"],
  );
});

test("a session that its agent went on with in another file is listed once", async () => {
  const chats = ".config/Code/User/workspaceStorage/h/chatSessions";
  write(`${chats}/c.json`, CHAT);
  write(".gemini/tmp/tug/chats/session-1.json", GEMINI_RECORDING);
  write(".codex/archived_sessions/rollout-1.jsonl.zst", CODEX_PACKED);
  const gone = [
    write(`${chats}/c.jsonl`, COPILOT_CHAT_LOG),
    write(".gemini/tmp/tug/chats/session-1.jsonl", GEMINI_LOG),
    write(".codex/archived_sessions/rollout-1.jsonl", CODEX),
  ];
  assert.deepEqual(
    (await findTranscripts(home, "linux", {})).map(({ file }) => file),
    gone.reverse(),
  );
});

const TITLES: readonly (readonly [what: string, file: string, content: string, title: string | null])[] = [
  [
    "Copilot Chat: a first state that is longer than what is read of it",
    ".config/Code/User/workspaceStorage/h/chatSessions/c.jsonl",
    JSON.stringify({
      kind: 0,
      v: {
        requests: [
          { message: { text: "Mend the sail" }, response: [] },
          { result: { node: { text: "x".repeat(90_000) } } },
        ],
      },
    }),
    "Mend the sail",
  ],
  [
    "Copilot Chat: the words of the person, not what a tool said before them in the file",
    ".config/Code/User/workspaceStorage/h/chatSessions/c.jsonl",
    JSON.stringify({
      kind: 0,
      v: { requests: [{ result: { node: { text: "A result" } }, message: { text: "Mend the sail" } }] },
    }),
    "Mend the sail",
  ],
  [
    "Gemini CLI: the person's words where there is no summary, and what a call is told is none",
    ".gemini/tmp/tug/chats/session-1.json",
    JSON.stringify(
      {
        sessionId: "s",
        projectHash: "h",
        messages: [
          { id: "i", type: "info", content: "An update" },
          { id: "u", type: "user", content: "Mend the sail" },
          { id: "g", type: "gemini", content: "", toolCalls: [{ args: { summary: "Torn" } }] },
        ],
      },
      null,
      2,
    ),
    "Mend the sail",
  ],
  [
    "Gemini CLI: words in parts",
    ".gemini/tmp/tug/chats/session-1.json",
    JSON.stringify({ messages: [{ type: "user", content: [{ text: "Mend the sail" }] }] }, null, 2),
    "Mend the sail",
  ],
];
for (const [what, file, content, title] of TITLES)
  test(`title of ${what}`, async () => {
    write(file, content);
    const [found] = await findTranscripts(home, "linux", {});
    assert.equal(found?.title, title);
  });
