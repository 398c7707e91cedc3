// test: `cloakroom analyze` as a process: the table, JSON, what cannot be read, and sessions of a store.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../../scripts/bootstrap.mjs";
import { runCli } from "../../support/cliProcess";
import { writeSample } from "../../support/sample";

const folder = mkdtempSync(path.join(os.tmpdir(), "clk-analyze-"));

const cloakroom = (...words: string[]) => cloakroomAt(os.homedir(), ...words);
const cloakroomAt = (home: string, ...words: string[]) =>
  runCli(words, { cwd: folder, env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home } });

const call = (id: string, name: string, words: unknown) => ({
  role: "assistant",
  content: "Looking.",
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(words) } }],
});
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const LOG = Array.from({ length: 500 }, (_, n) => `step ${n} went well`).join("\n");
const FILES: Readonly<Record<string, unknown>> = {
  "one.json": {
    model: "gpt-x",
    messages: [
      { role: "system", content: "You are careful." },
      { role: "user", content: "Look at \u001b[31mthe log." },
      call("a", "run_command", {
        command: "cat /var/log/a/very/long/path/that/goes/on/and/on/until/its/end.log",
      }),
      result("a", LOG),
      call("b", "list_files", { path: "." }),
      result("b", "a\nb"),
      call("c", "list_files", { path: "lost" }),
      { role: "assistant", content: "All went well." },
    ],
  },
  "two.json": [
    { role: "user", content: "Hello." },
    { role: "assistant", content: "Hello." },
  ],
  "broken.json": '{"messages": [',
};

suiteSetup(() => {
  for (const [name, content] of Object.entries(FILES))
    writeFileSync(path.join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  mkdirSync(path.join(folder, "folder.json"));
});
suiteTeardown(() => rmSync(folder, { recursive: true, force: true }));

test("analyze: the table of a session", async () => {
  const { code, out, err } = await cloakroom("analyze", "one.json");
  assert.deepEqual([code, err], [0, ""]);
  assert.equal(out, TABLE);
});

test("analyze: several files are a block each and a total; what cannot be read is named, the rest goes on", async () => {
  const { code, out, err } = await cloakroom(
    ...["analyze", "absent.json", "one.json", "broken.json", "folder.json", "two.json"],
  );
  assert.equal(code, 1);
  const next =
    "Name a session file as its agent wrote it; an archive of Cloakroom is imported first, and analysed with --workspace.";
  assert.deepEqual(err.trimEnd().split("\n"), [
    `absent.json is left out: there is no such file. ${next}`,
    `broken.json is left out: it is no JSON, or nested too deep. ${next}`,
    `folder.json is left out: it is no file. ${next}`,
  ]);
  assert.ok(out.startsWith(TABLE));
  assert.match(out, /\n\ntwo\.json\n"Hello\."\n/);
  assert.match(
    out,
    /\n\nTotal: 2 sessions, 5 requests; cost [\d,]+, with Cloakroom [\d,]+ \(−\d+\.\d %\)\n$/,
  );
});

test("analyze: arguments nested however deep, and names that would turn the terminal's writing, are a report like any other", async () => {
  const depth = 100_000;
  const deep = `${'{"a":'.repeat(depth)}"leaf"${"}".repeat(depth)}`;
  const turning = "r\u202eead\u2028\u009b31m";
  const messages = [
    { role: "user", content: "Look." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: turning, arguments: deep } }],
    },
    result("a", LOG),
    { role: "assistant", content: "Done." },
  ];
  writeFileSync(path.join(folder, "deep.json"), JSON.stringify(messages));
  const { code, out, err } = await cloakroom("analyze", "broken.json", "deep.json", "two.json");
  assert.equal(code, 1);
  assert.match(err, /^broken\.json is left out[^\n]*\n$/);
  assert.match(out, /results: r\\u202eead\\u2028\\x9b31m \(1\)/);
  assert.match(out, /\nTotal: 2 sessions/);
  assert.ok(!/[\u2028\u202e]|[^\P{Cc}\n]/u.test(out));
});

test("analyze --json is one object, whatever could not be read; --profile chooses the prices", async () => {
  const words = ["analyze", "--json", "--profile", "uncached", "one.json", "absent.json", "two.json"];
  const { code, out, err } = await cloakroom(...words);
  assert.equal(code, 1);
  assert.match(err, /^absent\.json is left out/);
  const { sessions, total } = JSON.parse(out);
  assert.deepEqual(
    sessions.map((one: { source: string; profile: { name: string; by: string } }) => [
      one.source,
      one.profile.name,
      one.profile.by,
    ]),
    [
      ["one.json", "uncached", "choice"],
      ["two.json", "uncached", "choice"],
    ],
  );
  assert.deepEqual(total, {
    sessions: 2,
    requests: 5,
    everything: { cost: sessions[0].everything.cost + sessions[1].everything.cost },
    cloakroom: { cost: sessions[0].cloakroom.cost + sessions[1].cloakroom.cost },
  });
  assert.equal(sessions[0].everything.cost, sessions[0].everything.tokens);
});

test("analyze: wrong words are exit 2 with the next step", async () => {
  const unknown = await cloakroom("analyze", "one.json", "--profile", "free");
  assert.deepEqual(
    [unknown.code, unknown.out, unknown.err],
    [2, "", "--profile takes anthropic-5m, openai-auto, uncached.\n"],
  );
  const none = await cloakroom("analyze");
  assert.deepEqual([none.code, /^Name session files: analyze FILE\.\.\./.test(none.err)], [2, true]);
});

test("analyze: sessions of a store, with what was really sent beside it", async () => {
  const workspace = path.join(folder, "work");
  writeSample(workspace);
  const at = ["--workspace", workspace, "--store", path.join(folder, "store")];
  const demo = path.join(root, "media", "demo-script.json");
  const ran = await cloakroom("run", "--script", demo, ...at);
  const session = /^(\S+):/.exec(ran.out)?.[1] ?? "";
  const { code, out } = await cloakroom("analyze", session, "--json", ...at);
  assert.equal(code, 0);
  const [one] = JSON.parse(out).sessions;
  assert.deepEqual([one.source, one.format, one.recorded.requests], [session, null, one.requests]);
  assert.ok(one.recorded.peakTokens < one.everything.peakTokens);
  assert.equal(one.cloakroom.storedOnArrival.results, 2);
  assert.ok(one.everything.last.fills.some(({ kind }: { kind: string }) => kind === "tools"));
  assert.ok(!out.includes('"assumed"'));
  for (const window of [one.everything.last, one.cloakroom.largest, one.cloakroom.last]) {
    const sum = window.fills.reduce((all: number, { tokens }: { tokens: number }) => all + tokens, 0);
    assert.equal(window.tokens, sum); // what stands before the conversation is what the log says, not assumed
  }
  const all = await cloakroom("analyze", "--workspace-sessions", ...at);
  assert.match(all.out, /a session of Cloakroom, scripted; \d requests\n/);
  assert.match(all.out, /as it was sent/);
  const blobs = path.join(folder, "store", "tenants");
  for (const file of readdirSync(blobs, { recursive: true, encoding: "utf8" }))
    if (/[0-9a-f]{64}$/.test(file)) rmSync(path.join(blobs, file));
  const gone = await cloakroom("analyze", session, ...at);
  assert.equal(gone.code, 0);
  assert.match(
    gone.out,
    /\n {2}2 stored result\(s\) are deleted or cannot be read: counted by their size\n$/,
  );
  const absent = await cloakroom("analyze", "20260101-000000-00000000", session, ...at);
  assert.equal(absent.code, 1);
  assert.match(
    absent.err,
    /^20260101-000000-00000000 is left out: There is no such session in this workspace/,
  );
  assert.ok(absent.out.startsWith(session));
});

const TABLE = `one.json
"Look at �[31mthe log."
OpenAI messages, gpt-x; 4 requests
Waits between requests: 0 longer than 10 min
Prices: openai-auto (by the model's name), to the cache ×1, from it ×0.1, kept 10 min
Tokens: counted with o200k_base

                                        sending everything       with Cloakroom           difference
cost, as tokens of uncached input                   19,266               16,341              −15.2 %
tokens sent, all requests                           57,154               49,843              −12.8 %
largest request, tokens                             15,056               12,619              −16.2 %
requests                                                 4                    4                 ±0 %

What fills the window, tokens           everything, at end   Cloakroom, at peak    Cloakroom, at end
                                            request 4            request 4            request 4
system prompt                                       4  <1%               4  <1%               4  <1%
tools, assumed                                 11,996  80%          11,996  95%          11,996  95%
your words                                         10  <1%              10  <1%              10  <1%
replies                                             6  <1%               6  <1%               6  <1%
arguments of calls                                 38  <1%              38  <1%              38  <1%
results: run_command (1)                        2,999  20%             562   4%             562   4%
results: list_files (1)                             3  <1%               3  <1%               3  <1%
all                                            15,056               12,619               12,619

What Cloakroom would have hidden                   results               tokens
stored on arrival                                        1               −2,437
shortened later                                          0                    0
hidden at the end                                        1               −2,437
read back, because it was needed                         0                    0

  turn   The largest items                                          tokens        share   at the end
     1   result of run_command cat /va…d/on/until/its/end.log        2,999          20%          562
     1   arguments of run_command cat …d/on/until/its/end.log           28          <1%           28
     1   your words: Look at \\x1b[31mthe log.                           10          <1%           10
     2   arguments of list_files .                                       5          <1%            5
     3   arguments of list_files lost                                    5          <1%            5
     2   result of list_files .                                          3          <1%            3
     1   reply: Looking.                                                 2          <1%            2
     2   reply: Looking.                                                 2          <1%            2
     3   reply: Looking.                                                 2          <1%            2

Repairs needed: 1 × call without a result
What was not read, or not as it stands in the file:
  1 call(s) without a result
`;

test("analyze --find lists session files of other agents, as lines or as JSON, and analyses none", async () => {
  const home = path.join(folder, "home");
  const none = await cloakroomAt(home, "analyze", "--find");
  assert.deepEqual([none.code, none.out], [1, ""]);
  const file = path.join(home, ".pi", "agent", "sessions", "--r--", "1.jsonl");
  mkdirSync(path.dirname(file), { recursive: true });
  const message = { role: "user", content: [{ type: "text", text: "See \u001b[31mthe issue" }] };
  writeFileSync(file, JSON.stringify({ type: "message", message }));
  const { code, out } = await cloakroomAt(home, "analyze", "--find");
  assert.deepEqual([code, out], [0, `pi  0 h  1 kB  ${file}  See [31mthe issue\n`]);
  const json = await cloakroomAt(home, "analyze", "--find", "--json");
  const [found] = JSON.parse(json.out) as Record<string, unknown>[];
  assert.deepEqual([json.code, found?.agent, found?.file], [0, "pi", file]);
});
