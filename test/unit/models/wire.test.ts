/** The wire formats: what is sent, byte by byte, and that it can be sent again from the log. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { root } from "../../../scripts/bootstrap.mjs";
import { type LoadedImages, withImages } from "../../../src/agent/images";
import { foldHistory } from "../../../src/history/fold";
import { pair } from "../../../src/history/pair";
import { anthropicBody, type Breakpoint } from "../../../src/models/wire/anthropic";
import { openaiBody } from "../../../src/models/wire/openai";
import type { Digest } from "../../../src/schema/claim";
import type { ChatRequest, SentMessage } from "../../../src/schema/model";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { hash, openHouse, tool, withClaimCheck } from "../../support/house";
import { part, returning, seeing } from "../../support/media";
import { messagesFrom } from "../../support/pictures";
import { sharedTest } from "../../support/sharedData";
import { anthropicProblems, openaiProblems } from "../../support/wireCheckers";

const HALF = String.fromCharCode(0xd83d);
const READ: ChatRequest["tools"][number] = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  class: "read",
  effect: "read",
};

type More = {
  readonly breakpoints?: readonly Breakpoint[];
  readonly system?: string;
  readonly tools?: boolean;
};

const requestOf = (messages: readonly SentMessage[], { system = "Be brief.", tools = true }: More = {}) => ({
  system,
  tools: tools ? [READ] : [],
  messages,
});
const openai = (messages: readonly SentMessage[], more: More = {}) => {
  const body = openaiBody(requestOf(messages, more), { model: "m" });
  assert.deepEqual(openaiProblems(body), []);
  return body;
};
const anthropic = (messages: readonly SentMessage[], more: More = {}) => {
  const { breakpoints = [] } = more;
  const body = anthropicBody(requestOf(messages, more), { model: "m", maxTokens: 100, breakpoints });
  assert.deepEqual(anthropicProblems(body), []);
  return body;
};
const from = (picture: string) => messagesFrom(picture) as SentMessage[];
const openaiMessages = (messages: readonly SentMessage[]) => JSON.parse(openai(messages)).messages.slice(1);
const anthropicMessages = (messages: readonly SentMessage[]) => JSON.parse(anthropic(messages)).messages;

const user = (text: string): SentMessage => ({ role: "user", text });
const model = (text: string, ...calls: { id: string; name?: string; arguments?: string }[]): SentMessage => ({
  role: "assistant",
  text,
  calls: calls.map((one, i) => ({ call: `c${i}`, name: "read", arguments: "{}", ...one })),
});
const result = (id: string, text = "r", more: object = {}): SentMessage => ({
  role: "tool",
  call: "c0",
  id,
  name: "read",
  text,
  isError: false,
  ...more,
});

const CONVERSATION = `
  u: go
  a: I read. · call x read {"path":"a"} · call y read {"path":"b"}
  t: x = first
  t!: y = no such file
  u: and now?
  a: call z
  t: z = third
  a: Done.
  u: thanks`;

test("OpenAI: the bytes of a request", () => {
  assert.equal(
    openai(from(CONVERSATION)),
    [
      '{"model":"m","tools":[{"type":"function","function":{"name":"read","description":"Reads a file.",',
      '"parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],"messages":[',
      '{"role":"system","content":"Be brief."},',
      '{"role":"user","content":"go"},',
      '{"role":"assistant","content":"I read.","tool_calls":[',
      '{"id":"x","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a\\"}"}},',
      '{"id":"y","type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"b\\"}"}}]},',
      '{"role":"tool","tool_call_id":"x","content":"first"},',
      '{"role":"tool","tool_call_id":"y","content":"no such file"},',
      '{"role":"user","content":"and now?"},',
      '{"role":"assistant","content":null,"tool_calls":[',
      '{"id":"z","type":"function","function":{"name":"tool","arguments":"{}"}}]},',
      '{"role":"tool","tool_call_id":"z","content":"third"},',
      '{"role":"assistant","content":"Done."},',
      '{"role":"user","content":"thanks"}]}',
    ].join(""),
  );
});

test("Anthropic: the bytes of a request", () => {
  assert.equal(
    anthropic(from(CONVERSATION), { breakpoints: ["tools", "system", 3, 8] }),
    [
      '{"model":"m","max_tokens":100,"tools":[{"name":"read","description":"Reads a file.",',
      '"input_schema":{"type":"object","properties":{"path":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}],',
      '"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],"messages":[',
      '{"role":"user","content":[{"type":"text","text":"go"}]},',
      '{"role":"assistant","content":[{"type":"text","text":"I read."},',
      '{"type":"tool_use","id":"x","name":"read","input":{"path":"a"}},',
      '{"type":"tool_use","id":"y","name":"read","input":{"path":"b"}}]},',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":[{"type":"text","text":"first"}]},',
      '{"type":"tool_result","tool_use_id":"y","content":[{"type":"text","text":"no such file"}],"is_error":true,',
      '"cache_control":{"type":"ephemeral"}},{"type":"text","text":"and now?"}]},',
      '{"role":"assistant","content":[{"type":"tool_use","id":"z","name":"tool","input":{}}]},',
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"z","content":[{"type":"text","text":"third"}]}]},',
      '{"role":"assistant","content":[{"type":"text","text":"Done."}]},',
      '{"role":"user","content":[{"type":"text","text":"thanks","cache_control":{"type":"ephemeral"}}]}]}',
    ].join(""),
  );
});

test("without tools, system or messages both formats still have something to send", () => {
  assert.equal(
    openaiBody(requestOf([], { system: " ", tools: false }), { model: "m", maxTokens: 5, stream: true }),
    '{"model":"m","max_completion_tokens":5,"stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"(continue)"}]}',
  );
  const options = { model: "m", maxTokens: 5, breakpoints: ["tools", "system", 0] as const, stream: true };
  assert.equal(
    anthropicBody(requestOf([], { system: "", tools: false }), options),
    '{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"(start)"}]}]}',
  );
});

test("nothing blank is sent: what is empty is said in words, and beside calls left out (aliasrobotics/cai#182)", () => {
  const messages = [user(" "), model("\n", { id: "x" }), result("x", " \n "), model(""), user("")];
  assert.deepEqual(
    openaiMessages(messages).map((message: { content: unknown }) => message.content),
    ["(empty)", null, "(no output)", "(no text)", "(empty)"],
  );
  const texts = [...anthropic(messages).matchAll(/"text":"([^"]*)"/g)].map(([, words]) => words);
  assert.deepEqual(texts, ["Be brief.", "(empty)", "(no output)", "(no text)", "(empty)"]);
});

test("Anthropic: roles take turns, whatever the history begins and ends with and however often one speaks", () => {
  const roles = (picture: string) =>
    anthropicMessages(from(picture)).map((message: { role: string; content: { type: string }[] }) =>
      [message.role, ...message.content.map(({ type }) => type)].join(" "),
    );
  assert.deepEqual(roles("a: hello\nu: go"), ["user text", "assistant text", "user text"]);
  assert.deepEqual(roles("u: go\nu: on"), ["user text text"]);
  assert.deepEqual(roles("u: go\na: one\na: two · call x\nt: x = r\nu: on\nu: and on\na: said"), [
    "user text",
    "assistant text text tool_use",
    "user tool_result text text",
    "assistant text",
    "user text",
  ]);
});

test("arguments: an object stays as the model wrote it, digit by digit; what is none becomes one", () => {
  const cases = [
    ['{ "id": 9007199254740993, "b":1, "1":2 }', '{ "id": 9007199254740993, "b":1, "1":2 }'],
    ["", "{}"],
    ["  ", "{}"],
    ['{"path":', '{"invalid_json":"{\\"path\\":"}'],
    ["null", '{"value":null}'],
    ["[1]", '{"value":[1]}'],
    ['"x"', '{"value":"x"}'],
    ["12345678901234567890", '{"value":12345678901234567890}'],
    ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\\\ud83d \\ud83d\\ude00"}', '{"a":"\\\\ud83d \\ud83d\\ude00"}'],
    [`{"a":"${HALF}"}`, '{"a":"\ufffd"}'],
    ['{"\\uDC00":1}', '{"\\ufffd":1}'],
  ] as const;
  for (const [given, sent] of cases) {
    const messages = [user("go"), model("", { id: "x", arguments: given }), result("x")];
    assert.equal(openaiMessages(messages)[1].tool_calls[0].function.arguments, sent);
    assert.ok(anthropic(messages).includes(`"input":${sent}}`), given);
  }
});

test("ids: plain ones stay, others are mapped alike for call and result, and no two calls of a request share one", () => {
  const long = `call_x__thought__${"a".repeat(1400)}`;
  const given = [
    "toolu_01",
    "TaskOutput:79",
    "TaskOutput.79",
    "TaskOutput_79",
    long,
    `${long}b`,
    "größe",
    "toolu_01",
  ];
  const blocks = given.flatMap((id) => [model("", { id }), result(id, `of ${id}`)]);
  const wire = openaiMessages([user("go"), ...blocks]).slice(1);
  const ids = wire.flatMap(
    (message: { tool_calls?: { id: string }[] }) => message.tool_calls?.map(({ id }) => id) ?? [],
  );
  assert.equal(new Set(ids).size, given.length);
  assert.deepEqual([ids[0], ids[3]], ["toolu_01", "TaskOutput_79"]);
  assert.deepEqual(
    wire.flatMap((message: { tool_call_id?: string }) => message.tool_call_id ?? []),
    ids,
  );
  const turns = anthropicMessages([user("go"), ...blocks]).slice(1);
  const uses = turns.flatMap(({ content: [block] }: { content: { id?: string }[] }) => block?.id ?? []);
  const answers = turns.flatMap(
    ({ content: [block] }: { content: { tool_use_id?: string }[] }) => block?.tool_use_id ?? [],
  );
  assert.deepEqual(uses, answers);
  assert.equal(new Set(uses).size, given.length);
  assert.ok(uses[1]?.startsWith("TaskOutput_79_"), uses[1]);
});

test("ids: one that looks like what another is sent as gets another, before it or behind it", () => {
  const idsOf = (...given: string[]): string[] =>
    openaiMessages([user("go"), ...given.flatMap((id) => [model("", { id }), result(id)])]).flatMap(
      (message: { tool_call_id?: string }) => message.tool_call_id ?? [],
    );
  const [mapped = ""] = idsOf("x:1");
  for (const given of [
    ["x:1", mapped],
    [mapped, "x:1"],
  ])
    assert.equal(new Set(idsOf(...given)).size, 2);
});

test("ids: any list of them, once or many times, is sent as valid ids of which no two are alike (property)", () => {
  const odd = fc.oneof(
    fc.constantFrom("x", "x:1", "x_1", "x.1", "é", "1 x", "0 x"),
    fc.string({ minLength: 1, unit: "binary" }),
    fc.string({ minLength: 30, maxLength: 80 }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(odd, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
      (replies) => {
        const messages = replies.flatMap((ids) => [
          model("", ...ids.map((id) => ({ id }))),
          ...ids.toReversed().map((id) => result(id, "r")),
        ]);
        openai([user("go"), ...messages]);
        anthropic([user("go"), ...messages]);
      },
    ),
    { numRuns: 500 },
  );
});

test("names that a provider would refuse are sent as names that it takes, the same every time", () => {
  for (const name of ["", "functions.read", "mcp:server/tool", "x".repeat(65), "lies mich größer"]) {
    const messages = [
      user("go"),
      ...[1, 2].flatMap((n) => [model("", { id: `x${n}`, name }), result(`x${n}`)]),
    ];
    const [, first, , second] = openaiMessages(messages);
    assert.equal(first.tool_calls[0].function.name, second.tool_calls[0].function.name);
    anthropic(messages);
  }
});

test("tools: a schema that both take stays as it is; another becomes an object, and says what was left out", () => {
  const whole = { type: "object", properties: { a: {} }, required: ["a"], $defs: {} };
  const either = [{ required: ["a"] }, { properties: { b: { type: "string" }, a: { type: "null" } } }];
  const cases = [
    [whole, whole],
    [{}, { type: "object", properties: {} }],
    [{ type: ["object", "null"] }, { type: "object", properties: {} }],
    [
      { ...whole, anyOf: either },
      {
        type: "object",
        properties: { a: {}, b: { type: "string" } },
        required: ["a"],
        $defs: {},
        description: `Also: ${JSON.stringify({ anyOf: either })}`,
      },
    ],
    [
      { description: "One.", oneOf: [true, { properties: { ["__proto__"]: {} } }], not: {} },
      {
        description: 'One. Also: {"oneOf":[true,{"properties":{"__proto__":{}}}],"not":{}}',
        type: "object",
        properties: { ["__proto__"]: {} },
      },
    ],
  ];
  for (const [inputSchema = {}, sent] of cases) {
    const request = { system: "", tools: [{ ...READ, inputSchema }], messages: [user("go")] };
    const chat = openaiBody(request, { model: "m" });
    const body = anthropicBody(request, { model: "m", maxTokens: 1, breakpoints: [] });
    assert.deepEqual([...openaiProblems(chat), ...anthropicProblems(body)], []);
    assert.deepEqual(JSON.parse(chat).tools[0].function.parameters, sent);
    assert.deepEqual(JSON.parse(body).tools[0].input_schema, sent);
  }
});

test("no half character is sent, wherever it stands (vertesia/llumiverse#462)", () => {
  const text = `a${HALF}b`;
  const messages = [
    user(text),
    model(text, { id: `x${HALF}`, name: text, arguments: `{"${HALF}":"\\ud83d"}` }),
    result(`x${HALF}`, text),
    user(text),
  ];
  const tools = [{ ...READ, description: text, inputSchema: { [text]: text } }];
  const request = { system: text, tools, messages };
  assert.deepEqual(openaiProblems(openaiBody(request, { model: "m" })), []);
  const body = anthropicBody(request, { model: "m", maxTokens: 1, breakpoints: [] });
  assert.deepEqual(anthropicProblems(body), []);
});

const image = (n: number) => ({ mediaType: "image/png" as never, bytes: new Uint8Array([n, n, n]) });

test("images: in their result for Anthropic, behind all results of the reply for OpenAI; an error keeps its text", () => {
  const messages = [
    user("go"),
    model("", { id: "x" }, { id: "y" }),
    result("x", "", { images: [image(0)] }),
    result("y", "broken", { isError: true, images: [image(1), image(2)] }),
    user("and?"),
  ];
  assert.deepEqual(openaiMessages(messages).slice(2), [
    { role: "tool", tool_call_id: "x", content: "(no output)" },
    { role: "tool", tool_call_id: "y", content: "broken" },
    {
      role: "user",
      content: [
        { type: "text", text: "Image from read:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        { type: "text", text: "Images from read:" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AQEB" } },
        { type: "image_url", image_url: { url: "data:image/png;base64,AgIC" } },
      ],
    },
    { role: "user", content: "and?" },
  ]);
  const source = (data: string) => ({
    type: "image",
    source: { type: "base64", media_type: "image/png", data },
  });
  assert.deepEqual(anthropicMessages(messages)[2].content, [
    { type: "tool_result", tool_use_id: "x", content: [source("AAAA")] },
    { type: "tool_result", tool_use_id: "y", content: [{ type: "text", text: "broken" }], is_error: true },
    source("AQEB"),
    source("AgIC"),
    { type: "text", text: "and?" },
  ]);
  openai(messages.slice(0, -1));
  anthropic(messages.slice(0, -1), { breakpoints: [3] });
});

test("breakpoints: at most four, those that cover most; what is not there has none", () => {
  const marks = (breakpoints: readonly Breakpoint[], more: More = {}) =>
    anthropic(from(CONVERSATION), { ...more, breakpoints }).split('"cache_control":{"type":"ephemeral"}')
      .length - 1;
  assert.equal(marks([]), 0);
  assert.equal(marks(["system", 0, 0, 1]), 3);
  assert.equal(marks(["tools", "system", 0, 1, 2, 4, 7]), 4);
  assert.equal(marks(["tools", "system", 99], { system: "", tools: false }), 0);
  const body = anthropic(from(CONVERSATION), { breakpoints: ["tools", "system", 0, 1, 4, 8] });
  assert.ok(!/"tools":[^\]]*cache_control/.test(body) && !/"system":[^\]]*cache_control/.test(body));
});

const words = fc.constantFrom("", " ", "go", "\ud83d", "a\u0000b", "\ud83d\ude00", '"}]');
const someone = fc.oneof(
  { weight: 2, arbitrary: words.map(user) },
  { weight: 1, arbitrary: words.map((text) => model(text)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        words,
        fc.array(
          fc.record({
            id: fc.constantFrom("", "x", "y", "x:1", "x_1"),
            name: fc.constantFrom("read", "a b", ""),
            arguments: fc.constantFrom("{}", "", '{"a":1}', "[", "3", '{"\\ud800":"\\ud800"}'),
          }),
          { minLength: 1, maxLength: 3 },
        ),
      )
      .map(([text, calls]) => model(text, ...calls)),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom("", "x", "y", "x:1", "x_1", "z"), words, fc.boolean(), fc.boolean())
      .map(([id, text, isError, hasImage]) =>
        result(id, text, { isError, ...(hasImage && { images: [image(7)] }) }),
      ),
  },
);

test("P15 any history, paired, is taken by both providers, and the same request is the same text (property)", () => {
  fc.assert(
    fc.property(
      fc.array(someone, { maxLength: 14 }),
      fc.array(fc.nat(14), { maxLength: 6 }),
      (messages, breakpoints) => {
        const paired = pair(messages as never, () => undefined).messages as readonly SentMessage[];
        assert.equal(openai(paired), openai(structuredClone(paired) as SentMessage[]));
        const more: More = { breakpoints: ["system", ...breakpoints] };
        assert.equal(anthropic(paired, more), anthropic(structuredClone(paired) as SentMessage[], more));
      },
    ),
    { numRuns: 2000 },
  );
});

test("a longer conversation begins with the text of the shorter one, up to the brackets that close it (property)", () => {
  fc.assert(
    fc.property(fc.array(someone, { minLength: 1, maxLength: 10 }), (messages) => {
      const paired = pair(messages as never, () => undefined).messages as readonly SentMessage[];
      for (let end = 1; end < paired.length; end++) {
        if (paired[end]?.role === "tool" || paired[end - 1]?.role === "assistant") continue; // no request ends here
        for (const bodyOf of [openai, anthropic]) {
          const shorter = bodyOf(paired.slice(0, end)).replace(/[\]}]*$/, "");
          assert.ok(bodyOf(paired).startsWith(shorter));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("every request of a log is rendered again byte for byte, images included, and is what the model was sent", async () => {
  const replies = [
    {
      calls: [
        { name: "look", arguments: { b: 1, a: 2 } },
        { name: "long", arguments: '{"n": 12345678901234567890}' },
      ],
    },
    { say: "Again.", calls: [{ name: "look", arguments: {} }] },
    ...Array.from({ length: 4 }, () => ({ calls: [{ name: "wait", arguments: {} }] })),
    { say: "Done." },
  ];
  const house = await openHouse({
    settings: { ...withClaimCheck({ slack: 0 }), ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "age" } },
    tools: [
      returning("look", [[part("image/png", 900)], [part("image/jpeg", 901, 2)]], "seen"),
      tool("long", () => "A line.\n".repeat(2000)),
      tool("wait", () => ""),
    ],
    replies,
    model: seeing(replies),
  });
  assert.equal((await house.ask("Look.")).end, "answered");
  const kinds = new Set(house.events.map(({ type }) => type));
  for (const kind of ["tool_result_stored", "aged", "media_replaced"] as const)
    assert.ok(kinds.has(kind), kind);

  const loaded: LoadedImages = new Map([...house.media].map(([digest, bytes]) => [digest as Digest, bytes]));
  const { system, tools } = house.conversation.request;
  const places = house.events.flatMap(({ type }, at) => (type === "requested" ? [at] : []));
  assert.equal(places.length, house.requests.length);
  const bodies = new Set<string>();
  for (const [n, at] of places.entries()) {
    const rebuilt = () => {
      const { messages } = foldHistory(house.events.slice(0, at));
      return withImages({ system, tools, messages }, loaded);
    };
    const sent = house.requests[n] ?? assert.fail();
    const options = { model: "m", maxTokens: 10, breakpoints: ["system", sent.messages.length - 1] as const };
    for (const bodyOf of [
      (request: ChatRequest) => openaiBody(request, { model: "m" }),
      (request: ChatRequest) => anthropicBody(request, options),
    ]) {
      assert.equal(bodyOf(rebuilt()), bodyOf(rebuilt()));
      assert.equal(bodyOf(rebuilt()), bodyOf(sent));
      bodies.add(hash(bodyOf(sent)));
    }
    assert.deepEqual(openaiProblems(openaiBody(sent, { model: "m" })), []);
    assert.deepEqual(anthropicProblems(anthropicBody(sent, options)), []);
  }
  assert.equal(bodies.size, 2 * places.length);
});

sharedTest("the tools of 30 real servers are taken, each server's in one request", ["schemas"], (folder) => {
  let count = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const { tools: listed } = JSON.parse(readFileSync(path.join(folder, file), "utf8"));
    const tools = listed.map((one: { name: string; inputSchema: object }) => ({
      ...READ,
      name: one.name,
      inputSchema: one.inputSchema,
    }));
    const request: ChatRequest = { system: "", tools, messages: [user("go")] };
    assert.deepEqual(openaiProblems(openaiBody(request, { model: "m" })), [], file);
    const body = anthropicBody(request, { model: "m", maxTokens: 1, breakpoints: ["tools"] });
    assert.deepEqual(anthropicProblems(body), [], file);
    count += tools.length;
  }
  assert.ok(count > 700);
});

test("the wire formats are pure: no clock, no chance, no environment, nothing of Node but Buffer", () => {
  const folder = path.join(root, "src/models/wire");
  const files = readdirSync(folder);
  assert.ok(files.length >= 3);
  for (const file of files) {
    const source = readFileSync(path.join(folder, file), "utf8");
    const found = source.match(
      /\b(Date|performance|Math\.random|crypto|process|fetch|globalThis|setTimeout)\b|"node:|await /,
    );
    assert.equal(found, null, `${file}: ${found?.[0]}`);
  }
});
