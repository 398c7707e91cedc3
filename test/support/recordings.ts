// test/support: sessions as other agents keep them, in a few lines of our own.

const lines = (...records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join("\n");

const request = (text: string, more: object) => ({
  requestId: `request_${text}`,
  timestamp: 1_796_032_374_848,
  modelId: "fixture/one",
  message: { text, parts: [{ text, kind: "text" }] },
  ...more,
});
const round = (response: string, ...toolCalls: readonly object[]) => ({ response, toolCalls });
const read = (n: number) => ({ id: `call_${n}__vscode-1`, name: "read_file", arguments: `{"p":${n}}` });
const rounds = (n: number) => ({
  metadata: {
    toolCallRounds: [round("I look.", read(n)), round("Done.")],
    toolCallResults: { [read(n).id]: { content: [{ $mid: 21, value: `RESULT ${n}` }] } },
  },
});

/** As VS Code 1.139 wrote it for a participant of ours, and then left out what nobody reads. */
export const COPILOT_CHAT_LOG = lines(
  {
    kind: 0,
    v: {
      version: 3,
      responderUsername: "Probe",
      sessionId: "c041a1fa",
      requests: [
        request("Look at a.", {
          result: { errorDetails: { message: "Language model unavailable" } },
          modelState: { value: 3 },
          response: [{ kind: "mcpServersStarting", didStartServerIds: [] }],
        }),
      ],
      pendingRequests: [],
      inputState: { attachments: [], inputText: "" },
    },
  },
  {
    kind: 2,
    k: ["requests"],
    v: [
      request("Look again.", {
        result: rounds(1),
        modelState: { value: 1 },
        response: [{ value: "I look." }],
      }),
      request("Wait.", { modelState: { value: 0 }, response: [{ value: "I lo" }] }),
    ],
  },
  { kind: 2, k: ["requests", 2, "response"], v: [{ value: "I look. Turn 2" }], i: 0 },
  { kind: 1, k: ["requests", 2, "modelState"], v: { value: 2 } },
  { kind: 1, k: ["responderUsername"], v: "" },
  { kind: 3, k: ["pendingRequests"] },
  { kind: 1, k: ["customTitle"], v: "Two looks" },
);

const at = "2026-01-02T03:04:05.000Z";
const gemini = (type: string, id: string, content: unknown, more: object = {}) => ({
  id,
  timestamp: at,
  type,
  content,
  ...more,
});
const responded = (id: string, name: string, response: object) => [
  { functionResponse: { id, name, response } },
];
const listed = {
  id: "ls-1",
  name: "list_directory",
  args: { p: 1 },
  result: responded("ls-1", "list_directory", { output: "a\nb" }),
  status: "success",
  timestamp: at,
};
const GEMINI_HEAD = { sessionId: "5ea70013", projectHash: "ab12", startTime: at, lastUpdated: at };
const THOUGHTS = [{ subject: "Hm", description: "A folder.", timestamp: at }];
const GEMINI_MESSAGES = [
  gemini("info", "i", "An update is there."),
  gemini("user", "u1", [{ text: "Look." }]),
  gemini("gemini", "g1", "I look.", {
    model: "gemini-3-pro",
    thoughts: THOUGHTS,
    tokens: { input: 100, output: 7, cached: 60, thoughts: 5, tool: 0, total: 112 },
    toolCalls: [
      listed,
      {
        ...{ id: "cat-1", name: "read_file", args: {}, status: "error", timestamp: at },
        result: responded("cat-1", "read_file", { error: "No such file." }),
      },
      { id: "rm-1", name: "run_shell_command", args: {}, result: null, status: "cancelled", timestamp: at },
    ],
  }),
  gemini("gemini", "g2", "Done.", { tokens: { input: 0, output: 0, cached: 0, total: 0 } }),
  gemini("error", "e", "[API Error]"),
];

/** As Gemini CLI wrote recordings until 2026: one value, indented. */
export const GEMINI_RECORDING = JSON.stringify(
  { ...GEMINI_HEAD, messages: GEMINI_MESSAGES, summary: "A look around" },
  null,
  2,
);

const [info, user, first, done, error] = GEMINI_MESSAGES;

/** As it appends to them since: a message again when it has more, what is known of the session between. */
export const GEMINI_LOG = lines(
  { ...GEMINI_HEAD, kind: "main" },
  info,
  user,
  { $set: { lastUpdated: at } },
  { ...first, toolCalls: undefined, tokens: null },
  first,
  gemini("user", "u2", "Never mind."),
  gemini("gemini", "g9", "I do not mind."),
  { $rewindTo: "u2" },
  done,
  error,
  { $set: { summary: "A look around", lastUpdated: at } },
);

/** As Kimi CLI keeps what its model is sent. */
export const KIMI_CONTEXT = lines(
  { role: "_system_prompt", content: "You are Kimi." },
  { role: "_checkpoint", id: 0 },
  { role: "user", content: "<system>CHECKPOINT 0</system>" },
  { role: "user", content: "Look." },
  { role: "_checkpoint", id: 1 },
  {
    role: "assistant",
    content: [
      { type: "think", think: "Hm.", encrypted: null },
      { type: "text", text: "I look." },
    ],
    tool_calls: [
      { type: "function", id: "Shell_0", function: { name: "Shell", arguments: '{"command":"ls"}' } },
      { type: "function", id: "ReadFile_1", function: { name: "ReadFile", arguments: "{}" } },
    ],
  },
  { role: "_usage", token_count: 1234 },
  {
    role: "tool",
    content: [
      { type: "text", text: "<system>Command executed successfully.</system>" },
      { type: "text", text: "a\nb\n" },
    ],
    tool_call_id: "Shell_0",
  },
  { role: "tool", content: "<system>ERROR: no such file</system>", tool_call_id: "ReadFile_1" },
  { role: "assistant", content: "Done." },
);

/** What Codex makes of a rollout that rests: Zstandard. Packed with `zstd -19`. */
export const CODEX_PACKED = Buffer.from(
  [
    "KLUv/WQ8As0IAJaQMh5Qb3OTn21hZ0nkE0LJljvyNYgMej7o8wbP3Uw6rAEqACoAKQB/EkKWjK6era8tdMzKZ9fI0ldnHBYz",
    "LFZYC8IKDFYAQViEs0cvm/W5/iWsEivkIIxKmml2irOraySZ9TVJOUb4tV6dKGCaHoktkAQU5+rO2R/3CwurL0akVAm/3KsP",
    "2tUhKJ12NkIQjqt3Rbt1jNY12Hu1F0JQetquKS+MAoBpckx/MM8mk73Z7Jgz8dgmzzpGHWH75HjD0JsGe/NsvgedN5ezcwcc",
    "ICBCRszpAdE4SLYAtL7bctKNQKRWF7DwzLaEeaEeCcsqi1eZ2dyWymRIkiJSAlr4zjr3ABonc78BPL4v3Lj0pILE+nDIRK2j",
    "rvcMkhAKyw==",
  ].join(""),
  "base64",
);

const step = (tokens: object) => ({ type: "step-finish", reason: "stop", cost: 0, tokens });
const ran = (callID: string, tool: string, state: object) => ({ type: "tool", callID, tool, state });
const time = { start: 1_780_000_000_000, end: 1_780_000_001_000 };

/** As `opencode export` writes a session. */
export const OPENCODE_EXPORT = JSON.stringify(
  {
    info: { id: "ses_1", title: "A look around", directory: "/x/tug", time: { created: time.start } },
    messages: [
      {
        info: { id: "msg_1", role: "user", time: { created: time.start }, model: { modelID: "m" } },
        parts: [
          { type: "text", text: "Look." },
          { type: "text", text: "Shown to the person alone.", ignored: true },
          { type: "text", text: "Called by @file", synthetic: true },
        ],
      },
      {
        info: { id: "msg_2", role: "assistant", time: { created: time.start }, modelID: "m" },
        parts: [
          { type: "step-start", snapshot: "ab12" },
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "I look." },
          ran("c1", "list", { status: "completed", input: { path: "." }, output: "a\nb", time }),
          ran("c2", "read", { status: "error", input: {}, error: "No such file.", time }),
          step({ total: 160, input: 40, output: 10, reasoning: 20, cache: { read: 60, write: 30 } }),
          { type: "step-start" },
          ran("c3", "bash", { status: "running", input: { command: "sleep" }, time: { start: time.start } }),
          step({ input: 5, output: 2, reasoning: 0, cache: { read: 0, write: 0 } }),
          { type: "patch", hash: "cd34", files: [] },
        ],
      },
      {
        info: { id: "msg_3", role: "user", time: { created: time.end } },
        parts: [{ type: "compaction", auto: true }],
      },
      {
        info: {
          ...{ id: "msg_4", role: "assistant", time: { created: time.end } },
          error: { name: "MessageAbortedError", data: { message: "Aborted" } },
        },
        parts: [{ type: "step-start" }, { type: "text", text: "So far: " }],
      },
    ],
    todos: [],
  },
  null,
  2,
);
