/** Every other format in a few lines of our own, with what real ones do (QUIRKS): who said what, and which key a result has. */
import assert from "node:assert/strict";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import {
  COPILOT_CHAT_LOG,
  GEMINI_LOG,
  GEMINI_RECORDING,
  KIMI_CONTEXT,
  OPENCODE_EXPORT,
} from "../../support/recordings";
import { linesOf, notesOf, pictureOf, readOne, readText } from "../../support/transcripts";

type Case = {
  readonly format: string;
  readonly what: string;
  readonly text: string;
  readonly picture: readonly string[];
  readonly notes?: readonly string[];
};

const json = (value: unknown, space?: number) => JSON.stringify(value, null, space);
const payload = (type: string, more: object) => ({ timestamp: "2026-01-02T03:04:05Z", type, payload: more });
const item = (type: string, more: object) => payload("response_item", { type, ...more });
const REASONED = "part(s) of the model's reasoning were left out";

const loop = (event: object) => ({ type: "context.append_loop_event", event, time: 1_780_000_000_000 });
const told = (role: string, content: unknown, more = {}) => ({
  type: "message",
  timestamp: "2026-01-02T03:04:05Z",
  message: { role, content, ...more },
});
const oaiCall = (id: string, name: string, words: string) => ({
  id,
  type: "function",
  function: { name, arguments: words },
});
const png = "iVBORw0KGgoAAAANSUhEUg==";

const GEMINI_PICTURE = [
  "u: Look.",
  'a: I look. [t1c0 list_directory {"p":1}] [t1c1 read_file {}] [t1c2 run_shell_command {}]',
  "t: t1c0 a\nb",
  "t: t1c1 failed No such file.",
  "a: Done.",
];

const CASES: readonly Case[] = [
  {
    format: "Gemini CLI",
    what: "calls with their results; what the model was not shown is counted",
    text: GEMINI_RECORDING,
    picture: GEMINI_PICTURE,
    notes: [
      "1 message(s) of the kind “info” were not read",
      `1 ${REASONED}`,
      "1 error(s) of the other agent",
      "1 call(s) without a result",
    ],
  },
  {
    format: "Gemini CLI",
    what: "a record per line: the last writing of a message counts, what was taken back is gone",
    text: GEMINI_LOG,
    picture: GEMINI_PICTURE,
    notes: [
      "2 message(s) were taken back by the person",
      "1 message(s) of the kind “info” were not read",
      `1 ${REASONED}`,
      "1 error(s) of the other agent",
      "1 call(s) without a result",
    ],
  },
  {
    format: "Gemini CLI",
    what: "written again from the model's history: what a compaction left out stays, its summary is new, nothing is told twice",
    text: linesOf(GEMINI_LOG, {
      $set: {
        messages: [
          { id: "s", type: "user", content: [{ text: "So far: looked." }] },
          {
            id: "x",
            type: "gemini",
            content: [{ functionCall: { id: "ls-1", name: "list_directory", args: {} } }],
          },
          {
            id: "y",
            type: "user",
            content: [
              { functionResponse: { id: "ls-1", name: "list_directory", response: { output: "(cut)" } } },
            ],
          },
          { id: "g2", type: "gemini", content: "Cut." },
          { type: "user", content: "Nameless." },
        ],
      },
    }),
    picture: [...GEMINI_PICTURE, "u: So far: looked."],
    notes: [
      "2 message(s) were taken back by the person",
      "1 compaction(s): what stood before them was shortened by the other agent",
      "1 message(s) had no id, and were not read",
      "1 message(s) of the kind “info” were not read",
      `1 ${REASONED}`,
      "1 error(s) of the other agent",
      "1 call(s) without a result",
    ],
  },
  {
    format: "opencode export",
    what: "a reply for each step, with its calls; what was stopped says so",
    text: OPENCODE_EXPORT,
    picture: [
      "u: Look.\n\nCalled by @file",
      'a: I look. [t1c0 list {"path":"."}] [t1c1 read {}]',
      "t: t1c0 a\nb",
      "t: t1c1 failed No such file.",
      'a: [t2c0 bash {"command":"sleep"}]',
      "a: So far:  stopped",
    ],
    notes: [
      "1 part(s) that the model was not shown were left out",
      `1 ${REASONED}`,
      "1 compaction(s): what stood before them was shortened by the other agent",
      "1 call(s) without a result",
    ],
  },
  {
    format: "Kimi CLI",
    what: "messages between marks of its own; a result that says it failed did",
    text: KIMI_CONTEXT,
    picture: [
      "u: <system>CHECKPOINT 0</system>\n\nLook.",
      'a: I look. [t1c0 Shell {"command":"ls"}] [t1c1 ReadFile {}]',
      "t: t1c0 <system>Command executed successfully.</system>\na\nb\n",
      "t: t1c1 failed <system>ERROR: no such file</system>",
      "a: Done.",
    ],
    notes: [`1 ${REASONED}`],
  },
  {
    format: "Codex",
    what: "calls between two outputs are one reply; a compaction's summary is asked again; the view's events repeat nothing",
    text: linesOf(
      payload("session_meta", { id: "s", cwd: "C:\\boats\\tug", base_instructions: { text: "Be brief." } }),
      payload("event_msg", { type: "user_message", message: "Look." }),
      item("message", { role: "developer", content: [{ type: "input_text", text: "Rules." }] }),
      item("message", { role: "user", content: [{ type: "input_text", text: "Look." }] }),
      item("reasoning", { summary: [] }),
      item("message", { role: "assistant", content: [{ type: "output_text", text: "I look." }] }),
      item("function_call", { call_id: "c1", name: "shell", arguments: '{"command":["ls"]}' }),
      item("custom_tool_call", { call_id: "c2", name: "patch", input: "*** Begin" }),
      item("web_search_call", { status: "completed", action: { type: "search", query: "knots" } }),
      item("function_call_output", { call_id: "c1", output: "a\r\nb" }),
      item("custom_tool_call_output", { call_id: "c2", output: [{ type: "input_text", text: "done" }] }),
      payload("compacted", { message: "So far: looked." }),
      item("message", { role: "assistant", content: "Done." }),
    ),
    picture: [
      "u: Look.",
      'a: I look. [t1c0 shell {"command":["ls"]}] [t1c1 patch *** Begin]',
      "t: t1c0 a\r\nb",
      "t: t1c1 done",
      "u: So far: looked.",
      "a: Done.",
    ],
    notes: [
      "1 instruction(s) of the program were left out",
      `1 ${REASONED}`,
      "1 part(s) of calls that the provider ran itself were left out",
      "1 compaction(s): what stood before them was shortened by the other agent",
    ],
  },
  {
    format: "Copilot CLI",
    what: "requests of tools and their ends, by id; a failed one says so",
    text: linesOf(
      { type: "session.start", data: { sessionId: "s", context: { cwd: "/x/tug" } } },
      { type: "user.message", data: { content: "Look." } },
      {
        type: "assistant.message",
        data: {
          content: "",
          reasoningText: "Hm.",
          toolRequests: [{ toolCallId: "c", name: "shell", arguments: { command: "ls" } }],
        },
      },
      {
        type: "tool.execution_complete",
        data: { toolCallId: "c", success: false, error: { message: "No such thing." } },
      },
    ),
    picture: ["u: Look.", 'a: [t1c0 shell {"command":"ls"}]', "t: t1c0 failed No such thing."],
    notes: [`1 ${REASONED}`],
  },
  {
    format: "Kimi",
    what: "a step is a reply; ids begin anew in every session",
    text: linesOf(
      { type: "config.update", systemPrompt: "You are Kimi." },
      { type: "turn.prompt", input: [{ type: "text", text: "Look." }] },
      {
        type: "context.append_message",
        message: { role: "user", content: [{ type: "text", text: "Look." }] },
      },
      loop({ type: "step.begin", uuid: "s1" }),
      loop({ type: "content.part", stepUuid: "s1", part: { type: "think", think: "Hm." } }),
      loop({ type: "content.part", stepUuid: "s1", part: { type: "text", text: "I look." } }),
      loop({
        type: "tool.call",
        stepUuid: "s1",
        toolCallId: "Bash_0",
        name: "Bash",
        args: { command: "ls" },
      }),
      loop({ type: "tool.result", toolCallId: "Bash_0", result: { output: "a", isError: true } }),
      loop({ type: "step.end", uuid: "s1", usage: { inputOther: 1, output: 2, inputCacheRead: 3 } }),
      { type: "context.apply_compaction", summary: "Looked." },
    ),
    picture: ["u: Look.", 'a: I look. [t1c0 Bash {"command":"ls"}]', "t: t1c0 failed a", "u: Looked."],
    notes: [`1 ${REASONED}`, "1 compaction(s): what stood before them was shortened by the other agent"],
  },
  {
    format: "pi",
    what: "records fused on one line are both read; a torn one is counted; an image is stored beside the text",
    text: [
      linesOf(
        { type: "session", id: "s", cwd: "/x/tug", timestamp: "2026-01-02T03:04:05Z" },
        told("user", [{ type: "text", text: "Look." }]),
      ),
      json(told("assistant", [{ type: "toolCall", id: "c", name: "read", arguments: { path: "a.png" } }])) +
        json(
          told(
            "toolResult",
            [
              { type: "text", text: "An image." },
              { type: "image", data: png, mimeType: "image/png" },
            ],
            {
              toolCallId: "c",
              toolName: "read",
              isError: false,
            },
          ),
        ),
      `{"type":"message","message":{"role":"assis${json(told("assistant", [], { stopReason: "aborted", errorMessage: "Stopped." }))}`,
      json(told("bashExecution", undefined, { command: "ls", output: "a" })),
    ].join("\n"),
    picture: [
      "u: Look.",
      'a: [t1c0 read {"path":"a.png"}]',
      "t: t1c0 An image. +1",
      "a: stopped",
      "u: Ran `ls`\na",
    ],
    notes: [
      "1 line(s) had several records in one, which were read",
      "1 line(s) were torn: what is whole in them was read",
    ],
  },
  {
    format: "OpenAI messages",
    what: "an id that is used again for another call: each result belongs to the call before it (QUIRKS 1)",
    text: json([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Find." },
          { type: "image_url", image_url: { url: "https://x/y.png" } },
        ],
      },
      { role: "assistant", content: null, tool_calls: [oaiCall("c", "direct", '{"a":1}')] },
      { role: "tool", tool_call_id: "c", content: "" },
      { role: "assistant", content: "Again.", tool_calls: [oaiCall("c", "onestop", '{ "a": 1 }')] },
      { role: "tool", tool_call_id: "c", content: "two" },
      { role: "tool", tool_call_id: "nobody", content: "three" },
      { role: "assistant", content: null, function_call: { name: "old", arguments: "{" } },
      { role: "function", name: "old", content: "four" },
      { role: "system", content: "Later." },
    ]),
    picture: [
      "u: Find.",
      'a: [t1c0 direct {"a":1}]',
      "t: t1c0 (no output)",
      'a: Again. [t2c0 onestop { "a": 1 }]',
      "t: t2c0 two",
      "t: t2c1001 three",
      "a: [t3c0 old {]",
      "t: t3c0 four",
    ],
    notes: [
      "1 part(s) of the kind “image_url” were not read",
      "1 result(s) without a call: kept in the log, shown nowhere",
      "1 instruction(s) of the program were left out",
    ],
  },
  {
    format: "OpenAI messages",
    what: "calls and results in words, and the reply to a logged request",
    text: json(
      {
        messages: [
          { role: "user", content: "Look." },
          {
            role: "assistant",
            content: "I look.\n<function=run>\n<parameter=command>ls</parameter>\n</function>",
          },
          { role: "user", content: "EXECUTION RESULT of [run]:\na" },
        ],
        response: { id: "r", model: "m", choices: [{ message: { role: "assistant", content: "Done." } }] },
      },
      2,
    ),
    picture: ["u: Look.", 'a: I look. [t1c0 run {"command":"ls"}]', "t: t1c0 a", "a: Done."],
  },
  {
    format: "mini-swe-agent",
    what: "messages with what they cost; the last call has no result",
    text: json({
      trajectory_format: "mini-swe-agent-1.1",
      instance_id: "tug-1",
      info: { config: { model: { model_name: "m" } } },
      messages: [
        { role: "system", content: "S" },
        { role: "user", content: "Fix." },
        {
          role: "assistant",
          content: "",
          tool_calls: [oaiCall("c", "bash", "{}")],
          extra: { response: { usage: { prompt_tokens: 1e300 } } },
        },
        { role: "exit", content: "diff" },
      ],
    }),
    picture: ["u: Fix.", "a: [t1c0 bash {}]"],
    notes: ["1 message(s) of the role “exit” were not read", "1 call(s) without a result"],
  },
  {
    format: "LangChain messages",
    what: "constructors; parts of calls repeat them",
    text: json([
      { lc: 1, type: "constructor", id: ["HumanMessage"], kwargs: { type: "human", content: "Look." } },
      {
        lc: 1,
        type: "constructor",
        id: ["AIMessage"],
        kwargs: {
          type: "ai",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "c" },
          ],
          tool_calls: [{ id: "c", name: "read", args: { p: 1 } }],
        },
      },
      {
        lc: 1,
        type: "constructor",
        id: ["ToolMessage"],
        kwargs: { type: "tool", content: "a", tool_call_id: "c", status: "error" },
      },
    ]),
    picture: ["u: Look.", 'a: I look. [t1c0 read {"p":1}]', "t: t1c0 failed a"],
  },
  {
    format: "Anthropic messages",
    what: "blocks; a result before its words; an image in a result",
    text: json({
      system: [{ type: "text", text: "S" }],
      messages: [
        { role: "user", content: "Look." },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm." },
            { type: "tool_use", id: "c", name: "shot", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            { type: "text", text: "And?" },
            {
              type: "tool_result",
              tool_use_id: "c",
              content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
            },
          ],
        },
      ],
    }),
    picture: ["u: Look.", "a: [t1c0 shot {}]", "t: t1c0 +1", "u: And?"],
    notes: [`1 ${REASONED}`],
  },
  {
    format: "Anthropic messages",
    what: "a Cline session: results are records of its own",
    text: json({
      version: 1,
      agent: "lead",
      sessionId: "s",
      system_prompt: "S",
      messages: [
        { role: "user", content: [{ type: "text", text: "Look." }], ts: 1_780_000_000_000 },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "c", name: "read_files", input: {} }],
          modelInfo: { id: "m" },
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c", content: [{ query: "a", result: "b", success: true }] },
          ],
        },
      ],
    }),
    picture: ["u: Look.", "a: [t1c0 read_files {}]", 't: t1c0 [{"query":"a","result":"b","success":true}]'],
  },
  {
    format: "Cline or Roo history",
    what: "results are texts without ids, of the calls in their order; one that did not run is a failed one (QUIRKS 3)",
    text: json([
      {
        role: "user",
        content: [
          { type: "text", text: "<task>\nLook.\n</task>" },
          { type: "text", text: "<environment_details>x</environment_details>" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look.\n<read_file>\n<path>a</path>\n</read_file>" },
          { type: "tool_use", id: "n", name: "list_files", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "[read_file for 'a [b]'] Result:" },
          { type: "text", text: "A" },
          { type: "text", text: "Tool [list_files] was not executed because a tool has already been used." },
          { type: "text", text: "<environment_details>x</environment_details>" },
        ],
      },
      { role: "assistant", content: "<attempt_completion>\n<result>Done.</result>\n</attempt_completion>" },
    ]),
    picture: [
      "u: <task>\nLook.\n</task>",
      "a: I look. [t1c0 read_file <path>a</path>] [t1c1 list_files {}]",
      "t: t1c0 A",
      "t: t1c1 failed Tool [list_files] was not executed because a tool has already been used.",
      "a: [t2c0 attempt_completion <result>Done.</result>]",
    ],
    notes: ["2 description(s) of the editor's state were left out", "1 call(s) without a result"],
  },
  {
    format: "Gemini contents",
    what: "calls without ids, results with: by name and order (QUIRKS 4)",
    text: json([
      { role: "user", parts: [{ text: "Look." }] },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true },
          { functionCall: { name: "glob", args: { p: 1 } } },
          { executableCode: { language: "PYTHON", code: "1 + 1" } },
          { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
          { functionCall: { name: "read", args: {} }, thoughtSignature: "x" },
          { functionCall: { name: "glob", args: { p: 2 } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "read-1", name: "read", response: { output: "R" } } },
          { functionResponse: { id: "glob-1", name: "glob", response: { output: "G1" } } },
          { functionResponse: { id: "glob-2", name: "glob", response: { error: "G2" } } },
          { functionResponse: { id: "write-1", name: "write", response: { lines: 1 } } },
        ],
      },
    ]),
    picture: [
      "u: Look.",
      'a: [t1c0 glob {"p":1}] [t1c1 read {}] [t1c2 glob {"p":2}]',
      "t: t1c1 R",
      "t: t1c0 G1",
      "t: t1c2 failed G2",
      't: t1c1003 {"lines":1}',
    ],
    notes: [
      `1 ${REASONED}`,
      "2 part(s) of calls that the provider ran itself were left out",
      "1 result(s) without a call: kept in the log, shown nowhere",
    ],
  },
  {
    format: "Copilot chat export",
    what: "rounds and their results by id, texts at the ends of trees; a stopped request has only what the view had (QUIRKS 10)",
    text: json({
      responderUsername: "GitHub Copilot",
      requests: [
        {
          message: { text: "Look." },
          response: [{ value: "I look." }],
          modelId: "m",
          timestamp: 1_780_000_000_000,
          result: {
            metadata: {
              toolCallRounds: [
                {
                  response: "I look.",
                  toolCalls: [{ id: "c__vscode-1", name: "read", arguments: '{"p":1}' }],
                },
                { response: "Done.", toolCalls: [], summary: "Looked." },
              ],
              toolCallResults: {
                "c__vscode-1": {
                  content: [
                    { value: "A" },
                    { value: { node: { children: [{ text: "B" }, { children: [{ text: "C" }] }] } } },
                  ],
                },
              },
            },
          },
        },
        {
          message: { text: "Again." },
          isCanceled: true,
          response: [
            { value: "I do." },
            {
              kind: "toolInvocationSerialized",
              toolCallId: "d",
              toolId: "read",
              resultDetails: { input: "{}", output: [] },
            },
          ],
          result: {},
        },
      ],
    }),
    picture: [
      "u: Look.",
      'a: I look. [t1c0 read {"p":1}]',
      "t: t1c0 A\nB\nC",
      "a: Done.",
      "u: Again.",
      "a: I do. [t3c0 read {}] stopped",
    ],
    notes: [
      "1 compaction(s): what stood before them was shortened by the other agent",
      "1 result(s) were only in the view, not in the conversation",
      "1 call(s) without a result",
    ],
  },
  {
    format: "Copilot chat session",
    what: "patches become the document that they were made of; what was cancelled, or not over, is a stopped reply",
    text: COPILOT_CHAT_LOG,
    picture: [
      "u: Look at a.",
      "a:",
      "u: Look again.",
      'a: I look. [t2c0 read_file {"p":1}]',
      "t: t2c0 RESULT 1",
      "a: Done.",
      "u: Wait.",
      "a: I look. Turn 2 stopped",
    ],
    notes: ["1 request(s) failed there"],
  },
  {
    format: "Copilot chat replay",
    what: "a call belongs to the request before it, which may stand under another prompt",
    text: json({
      prompts: [
        {
          prompt: "Make it.",
          logs: [
            { kind: "element" },
            { kind: "request", response: { type: "success", message: ["I make it."] } },
          ],
        },
        {
          prompt: "Make it.",
          logs: [
            { kind: "toolCall", id: "c", tool: "create", args: "{}", response: ["made"] },
            { kind: "request", response: { type: "success", message: "Done." } },
          ],
        },
      ],
    }),
    picture: ["u: Make it.", "a: I make it. [t1c0 create {}]", "t: t1c0 made", "a: Done."],
  },
  {
    format: "SWE-agent",
    what: "actions in words, demonstrations counted",
    text: json({
      environment: "swe_main",
      history: [
        { role: "system", content: "S" },
        { role: "user", content: "Look how.", is_demo: true },
        { role: "user", content: "Fix." },
        { role: "assistant", content: "I open.", action: "open a\n" },
      ],
      trajectory: [
        { action: "open a\n", observation: "A", thought: "I open.", response: "I open." },
        { action: "submit\n", observation: null, response: "Done." },
      ],
    }),
    picture: [
      "u: Look how.\n\nFix.",
      "a: I open. [t1c0 open open a\n]",
      "t: t1c0 A",
      "a: Done. [t2c0 submit submit\n]",
    ],
    notes: ["1 message(s) were a demonstration", "1 call(s) without a result"],
  },
  {
    format: "SWE-agent",
    what: "calls of functions, with tool_call_ids",
    text: json({
      trajectory: [],
      history: [
        { role: "user", content: "Fix." },
        { role: "assistant", content: "I list.", action: "ls", tool_calls: [oaiCall("c", "bash", "{}")] },
        { role: "tool", content: "a", tool_call_ids: ["c"] },
      ],
    }),
    picture: ["u: Fix.", "a: I list. [t1c0 bash {}]", "t: t1c0 a"],
  },
  {
    format: "Continue",
    what: "messages, and outputs that stand beside the call",
    text: json({
      sessionId: "s",
      title: "Tug",
      workspaceDirectory: "/x/tug",
      history: [
        { message: { role: "user", content: [{ type: "text", text: "Look." }] }, contextItems: [{}] },
        {
          message: { role: "assistant", content: "", toolCalls: [oaiCall("c", "read", "{}")] },
          toolCallStates: [{ toolCallId: "c", status: "errored", output: [{ content: "A" }] }],
        },
      ],
    }),
    picture: ["u: Look.", "a: [t1c0 read {}]", "t: t1c0 failed A"],
    notes: ["1 part(s) that the person put beside the words were left out"],
  },
];

for (const { format, what, text, picture, notes = [] } of CASES) {
  test(`${format}: ${what}`, async () => {
    const session = await readOne(text, format);
    assert.deepEqual(pictureOf(session), picture);
    assert.deepEqual(notesOf(session), notes);
  });
}

test("tau-bench: a session for each run", async () => {
  const run = (n: number) => ({
    task_id: n,
    trial: 0,
    traj: [
      { role: "user", content: `Task ${n}` },
      { role: "assistant", content: "Done." },
    ],
  });
  const { sessions } = await readText(json([run(0), run(1), 7]));
  assert.deepEqual(
    sessions.map(({ title }) => title),
    ["Task 0-0", "Task 1-0"],
  );
});

test("calls of a format without ids get one each, so that going on with the session keeps them and their results", async () => {
  const said = (role: string, text: string) => ({ role, content: [{ type: "text", text }], ts: 1 });
  const { events } = await readOne(
    JSON.stringify([
      said("user", "<task>\nLook.\n</task>"),
      said("assistant", "I look.\n<read_file>\n<path>a.ts</path>\n</read_file>"),
      said("user", "[read_file for 'a.ts'] Result:\nA"),
      said("assistant", "And there.\n<read_file>\n<path>b.ts</path>\n</read_file>"),
      said("user", "[read_file for 'b.ts'] Result:\nB"),
    ]),
  );
  const { messages } = foldHistory(events);
  const paired = pair(messages, () => undefined);
  assert.deepEqual(paired.repairs, []);
  assert.deepEqual(
    messages.flatMap((message) => (message.role === "assistant" ? message.calls.map(({ id }) => id) : [])),
    ["t1c0", "t2c0"],
  );
});

test("Copilot chat: the title that the person sees is the session's", async () => {
  assert.equal((await readOne(COPILOT_CHAT_LOG)).title, "Two looks");
});

test("Copilot chat: tokens are those of the reply where there was one, and of nobody where there were several", async () => {
  const request = (...rounds: readonly object[]) => ({
    message: { text: "Look." },
    response: [],
    result: { metadata: { toolCallRounds: rounds } },
    promptTokens: 900,
    completionTokens: 12,
  });
  const one = { response: "Done.", toolCalls: [] };
  const { events } = await readOne(json({ requests: [request(one), request(one, one)] }));
  assert.deepEqual(
    events.flatMap((event) => (event.type === "replied" ? [event.usage] : [])),
    [{ inputTokens: 900, outputTokens: 12, cachedTokens: null }, null, null],
  );
});

test("Copilot chat: a reply that was being written when the chat was is a stopped one", async () => {
  const ends = [0, 1, 2].map((value) => ({
    message: { text: "Wait." },
    response: [{ value: "I lo" }],
    modelState: { value },
  }));
  const { events } = await readOne(json({ requests: ends }));
  assert.deepEqual(
    events.flatMap((event) => (event.type === "replied" ? [event.end] : [])),
    ["stopped", "answered", "stopped"],
  );
});

test("Copilot chat session: what leads nowhere is counted, lines that are none as in every other format", async () => {
  const session = await readOne(
    `${COPILOT_CHAT_LOG}\n${linesOf(
      { kind: 1, k: ["requests", 9, "response"], v: [] },
      { kind: 2, k: ["requests"], v: [1], i: 1e9 },
      { kind: 1, k: ["__proto__", "requests"], v: [] },
      { kind: 7 },
    )}\n{"kind":1,"k":["requests",2,"mod`,
  );
  assert.equal(pictureOf(session).length, 8);
  assert.deepEqual(notesOf(session), [
    "3 patch(es) led nowhere, and were not read",
    "1 patch(es) of a kind that is not known were not read",
    "1 line(s) were no JSON, and not read",
    "1 request(s) failed there",
  ]);
});

test("Gemini CLI: what the provider counted is the reply's, thinking with what came out, cached with what went in", async () => {
  for (const text of [GEMINI_RECORDING, GEMINI_LOG]) {
    const { events, title } = await readOne(text);
    const usages = events.flatMap((event) => (event.type === "replied" ? [event.usage] : []));
    assert.deepEqual(usages, [{ inputTokens: 100, outputTokens: 12, cachedTokens: 60 }, null]);
    assert.equal(title, "A look around");
  }
});

test("Kimi CLI: the title is what the person said first, not a mark of the program", async () => {
  assert.equal((await readOne(KIMI_CONTEXT)).title, "Look.");
});

test("Kimi CLI: a compaction is counted, and its summary is asked", async () => {
  const session = await readOne(
    linesOf(
      { role: "_checkpoint", id: 0 },
      {
        role: "user",
        content: [
          { type: "text", text: "<system>Previous context has been compacted. Here it is:</system>" },
          { type: "text", text: "Looked." },
        ],
      },
      { role: "assistant", content: "I go on." },
    ),
  );
  assert.equal(pictureOf(session).length, 2);
  assert.deepEqual(notesOf(session), [
    "1 compaction(s): what stood before them was shortened by the other agent",
  ]);
});

test("opencode: what a step took, cached with what went in, thinking with what came out", async () => {
  const { events, title } = await readOne(OPENCODE_EXPORT);
  assert.equal(title, "A look around");
  assert.deepEqual(
    events.flatMap((event) => (event.type === "replied" ? [event.usage] : [])),
    [
      { inputTokens: 130, outputTokens: 30, cachedTokens: 60 },
      { inputTokens: 5, outputTokens: 2, cachedTokens: 0 },
      null,
    ],
  );
});

test("opencode: a step that was broken off took nothing that is known, and the one after it what it says itself", async () => {
  const parts = [
    ...[{ type: "step-start" }, { type: "text", text: "I lo" }],
    ...[{ type: "step-start" }, { type: "text", text: "I look." }],
    { type: "step-finish", tokens: { input: 70, output: 7 } },
  ];
  const { events } = await readOne(json({ info: {}, messages: [{ info: { role: "assistant" }, parts }] }));
  assert.deepEqual(
    events.flatMap((event) => (event.type === "replied" ? [event.usage] : [])),
    [null, { inputTokens: 70, outputTokens: 7, cachedTokens: null }],
  );
});

test("opencode: an image that a tool attached is stored beside its text; what was cut later is told", async () => {
  const state = {
    ...{ status: "completed", input: {}, output: "An image.", time: { start: 1, end: 2, compacted: 3 } },
    attachments: [
      { type: "file", mime: "image/png", url: `data:image/png;base64,${png}` },
      { type: "file", url: "file:///x" },
    ],
  };
  const parts = [{ type: "step-start" }, { type: "tool", callID: "c", tool: "shot", state }];
  const session = await readOne(json({ info: {}, messages: [{ info: { role: "assistant" }, parts }] }));
  assert.deepEqual(pictureOf(session), ["a: [t1c0 shot {}]", "t: t1c0 An image. +1"]);
  assert.deepEqual(notesOf(session), ["1 result(s) were left out of later requests by the other agent"]);
});
