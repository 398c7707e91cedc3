/** The checkers of wire formats refuse what the APIs refuse: one body for each rule, and bodies that are taken. */
import assert from "node:assert/strict";
import {
  anthropicProblems,
  openaiProblems,
  type Problems,
  RULES,
  type Rule,
} from "../../support/wireCheckers";

const text = (words: string) => ({ type: "text", text: words });
const user = (...content: object[]) => ({ role: "user", content });
const use = (id: string, input: unknown = {}, name = "read") => ({ type: "tool_use", id, name, input });
const result = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "r",
  ...more,
});
const model = (...content: object[]) => ({ role: "assistant", content });
const image = (media = "image/png", data = "AAAA") => ({
  type: "image",
  source: { type: "base64", media_type: media, data },
});
const mark = { cache_control: { type: "ephemeral" } };
const anthropic = (messages: unknown, more: object = {}) =>
  JSON.stringify({ model: "m", max_tokens: 10, messages, ...more });
const GO = user(text("go"));

const call = (id: string, given = "{}", name = "read") => ({
  id,
  type: "function",
  function: { name, arguments: given },
});
const asks = (...calls: object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const tells = (id: string, content: unknown = "r") => ({ role: "tool", tool_call_id: id, content });
const says = (role: string, content: unknown = "go") => ({ role, content });
const picture = (url = "data:image/png;base64,AAAA") => ({ type: "image_url", image_url: { url } });
const openai = (messages: unknown, more: object = {}) => JSON.stringify({ model: "m", messages, ...more });
const Q = says("user");

const HALF = String.fromCharCode(0xd83d);

type Case = readonly [rule: Rule, body: string];

const ANTHROPIC: Case[] = [
  ["body", "{"],
  ["body", "[]"],
  ["body", anthropic("go")],
  ["body", anthropic([GO], { model: "" })],
  ["half-character", anthropic([user(text(`a${HALF}`))])],
  ["half-character", anthropic([GO, model(use("a", { [HALF]: 1 })), user(result("a"))])],
  ["no-messages", anthropic([])],
  ["role", anthropic([GO, { role: "system", content: "s" }, GO])],
  ["first-not-user", anthropic([model(text("hi")), GO])],
  ["alternation", anthropic([GO, GO])],
  ["last-not-user", anthropic([GO, model(text("hi"))])],
  ["empty-text", anthropic([user(text(""))])],
  ["empty-text", anthropic([user(text(" \n"))])],
  ["empty-text", anthropic([{ role: "user", content: "" }])],
  ["empty-text", anthropic([GO, model(use("a")), user(result("a", { content: "" }))])],
  ["empty-text", anthropic([GO, model(use("a")), user(result("a", { content: [text(" ")] }))])],
  ["empty-text", anthropic([GO, model(text(""), use("a")), user(result("a"))])],
  ["empty-content", anthropic([user()])],
  ["empty-content", anthropic([GO, model(use("a")), user(result("a", { content: [] }))])],
  ["unknown-block", anthropic([user({ type: "words", text: "x" })])],
  ["unknown-block", anthropic([GO, model(result("a")), GO])],
  ["unknown-block", anthropic([user(use("a"))])],
  ["field-type", anthropic([GO], { max_tokens: "10" })],
  ["field-type", anthropic([GO], { max_tokens: 0 })],
  ["field-type", anthropic([GO, model(use("a")), user(result("a", { is_error: "yes" }))])],
  ["unknown-field", anthropic([GO], { messagess: [] })],
  ["unknown-field", anthropic([user({ ...text("x"), call: "t1c0" })])],
  ["orphan-result", anthropic([user(result("a"))])],
  ["orphan-result", anthropic([GO, model(use("a")), user(result("a"), result("b"))])],
  ["missing-result", anthropic([GO, model(use("a"), use("b")), user(result("a"))])],
  ["missing-result", anthropic([GO, model(use("a"))])],
  ["not-adjacent", anthropic([GO, model(use("a")), GO, model(text("x")), user(result("a"))])],
  ["duplicate-id", anthropic([GO, model(use("a"), use("a")), user(result("a"))])],
  ["duplicate-id", anthropic([GO, model(use("a")), user(result("a")), model(use("a")), user(result("a"))])],
  ["duplicate-result", anthropic([GO, model(use("a")), user(result("a"), result("a"))])],
  ["invalid-id", anthropic([GO, model(use("a:1")), user(result("a:1"))])],
  ["invalid-id", anthropic([GO, model(use("")), user(result(""))])],
  ["invalid-name", anthropic([GO, model(use("a", {}, "read file")), user(result("a"))])],
  ["invalid-name", anthropic([GO], { tools: [{ name: "a.b", input_schema: {} }] })],
  ["input-no-object", anthropic([GO, model(use("a", "x")), user(result("a"))])],
  ["input-no-object", anthropic([GO, model(use("a", [])), user(result("a"))])],
  ["result-after-text", anthropic([GO, model(use("a")), user(text("hm"), result("a"))])],
  [
    "error-with-image",
    anthropic([GO, model(use("a")), user(result("a", { is_error: true, content: [image()] }))]),
  ],
  ["image", anthropic([user(image("image/bmp"))])],
  ["image", anthropic([user(image("image/png", "A"))])],
  ["image", anthropic([user(image("image/png", ""))])],
  [
    "too-many-breakpoints",
    anthropic([user(...Array.from({ length: 5 }, () => ({ ...text("x"), ...mark })))]),
  ],
  [
    "too-many-breakpoints",
    anthropic([user(...Array.from({ length: 3 }, () => ({ ...text("x"), ...mark })))], {
      system: [{ ...text("s"), ...mark }],
      tools: [{ name: "a", input_schema: {}, ...mark }],
    }),
  ],
  ["duplicate-tool", anthropic([GO], { tools: ["a", "a"].map((name) => ({ name, input_schema: {} })) })],
];

const SCHEMAS = [
  {},
  { type: "object" },
  { type: ["object", "null"], properties: {} },
  { type: "object", properties: {}, anyOf: [{ required: ["a"] }] },
  { type: "object", properties: {}, enum: [] },
];
for (const schema of SCHEMAS)
  ANTHROPIC.push(["tool-schema", anthropic([GO], { tools: [{ name: "a", input_schema: schema }] })]);

const OPENAI: Case[] = [
  ["body", "null"],
  ["body", openai(null)],
  ["half-character", openai([says("user", `a${HALF}`)])],
  ["half-character", openai([Q, asks(call("a", '{"x":"\\ud83d"}')), tells("a")])],
  ["no-messages", openai([])],
  ["role", openai([says("model"), Q])],
  ["last-not-user", openai([Q, says("assistant", "hi")])],
  ["empty-text", openai([says("user", "")])],
  ["empty-text", openai([Q, asks(call("a")), tells("a", " ")])],
  ["empty-text", openai([Q, says("assistant", ""), Q])],
  ["empty-text", openai([says("user", [text("")])])],
  ["empty-content", openai([says("user", [])])],
  ["empty-content", openai([Q, { role: "assistant", content: "x", tool_calls: [] }, Q])],
  ["unknown-block", openai([says("user", [{ type: "image", source: {} }])])],
  ["field-type", openai([Q, says("assistant", null), Q])],
  ["field-type", openai([Q, asks({ id: "a", type: "function", function: "read" }), tells("a")])],
  ["field-type", openai([Q], { max_completion_tokens: 1.5 })],
  ["unknown-field", openai([Q, asks(call("a")), { ...tells("a"), is_error: true }])],
  ["orphan-result", openai([Q, tells("a")])],
  ["orphan-result", openai([Q, asks(call("a")), tells("a"), tells("b")])],
  ["missing-result", openai([Q, asks(call("a"), call("b")), tells("a"), Q])],
  ["missing-result", openai([Q, asks(call("a"))])],
  ["missing-result", openai([Q, asks(call("a")), says("assistant", "x"), Q])],
  ["not-adjacent", openai([Q, asks(call("a")), Q, tells("a")])],
  ["duplicate-id", openai([Q, asks(call("a"), call("a")), tells("a")])],
  ["duplicate-result", openai([Q, asks(call("a")), tells("a"), tells("a")])],
  ["invalid-id", openai([Q, asks(call("a".repeat(41))), tells("a".repeat(41))])],
  ["invalid-id", openai([Q, asks(call("")), tells("")])],
  ["invalid-name", openai([Q, asks(call("a", "{}", "functions.read")), tells("a")])],
  ["invalid-name", openai([Q], { tools: [{ type: "function", function: { name: "a b" } }] })],
  ["input-no-object", openai([Q, asks(call("a", "{")), tells("a")])],
  ["input-no-object", openai([Q, asks(call("a", "")), tells("a")])],
  ["input-no-object", openai([Q, asks(call("a", "[1]")), tells("a")])],
  ["misplaced-image", openai([Q, asks(call("a")), tells("a", [picture()])])],
  ["image", openai([says("user", [picture("data:image/png;base64,!")])])],
  ["image", openai([says("user", [picture("data:image/tiff;base64,AAAA")])])],
  ["empty-tools", openai([Q], { tools: [] })],
  [
    "duplicate-tool",
    openai([Q], { tools: ["a", "a"].map((name) => ({ type: "function", function: { name } })) }),
  ],
];

for (const schema of SCHEMAS) {
  const tools = [{ type: "function", function: { name: "a", parameters: schema } }];
  OPENAI.push(["tool-schema", openai([Q], { tools })]);
}

const rulesOf = (problems: Problems) => problems.map((problem) => problem.split(" at ")[0]);

for (const [name, problemsOf, cases] of [
  ["Anthropic", anthropicProblems, ANTHROPIC],
  ["OpenAI", openaiProblems, OPENAI],
] as const) {
  for (const [at, [rule, body]] of cases.entries()) {
    test(`${name} refuses ${rule} (case ${at})`, () => {
      assert.ok(rulesOf(problemsOf(body)).includes(rule), problemsOf(body).join("; "));
    });
  }
}

test("every rule of the wire checkers has a body that breaks it", () => {
  const broken = new Set([...ANTHROPIC, ...OPENAI].map(([rule]) => rule));
  assert.deepEqual(
    RULES.filter((rule) => !broken.has(rule)),
    [],
  );
});

test("bodies with every kind of content are taken", () => {
  const tools = [
    { name: "read", description: "Reads.", input_schema: { type: "object", properties: {} }, ...mark },
  ];
  const whole = anthropic(
    [
      user(text("go"), image()),
      model(text("I read."), use("a-1_B"), { ...use("b", { x: [1, { y: null }] }), ...mark }),
      user(
        { ...result("b", { is_error: true }), ...mark },
        result("a-1_B", { content: [text("r"), image()] }),
        text("and?"),
      ),
    ],
    { tools, system: [{ ...text("s"), ...mark }] },
  );
  assert.deepEqual(anthropicProblems(whole), []);
  const chat = openai(
    [
      says("system"),
      says("user", [text("go"), picture()]),
      asks(call("a:1", '{"x":[1]}'), call("b")),
      tells("b"),
      tells("a:1", [text("r")]),
      says("user", [picture()]),
      says("assistant", "So."),
      Q,
    ],
    {
      tools: [
        { type: "function", function: { name: "read", parameters: { type: "object", properties: {} } } },
      ],
      stream: true,
    },
  );
  assert.deepEqual(openaiProblems(chat), []);
});
