// test/support: what the APIs refuse, as checkers of request bodies. Written from their documentation and from error messages
// that people reported, without the serialisers: nothing of src is imported here.

/** The rules, each with a place: "orphan-result at messages.3". Empty: the body would be taken. */
export type Problems = readonly string[];

type Json = { readonly [key: string]: unknown };
type Report = (rule: Rule, at: string) => void;

export const RULES = [
  "body", // JSON, an object, the fields of the right types, nothing unknown
  "half-character", // a lone surrogate, raw or escaped, also in arguments
  "no-messages",
  "role",
  "first-not-user", // Anthropic
  "alternation", // Anthropic
  "last-not-user", // the model is not to finish its own words
  "empty-text", // blank counts as empty
  "empty-content",
  "unknown-block",
  "field-type",
  "unknown-field",
  "orphan-result",
  "missing-result",
  "not-adjacent", // something between a call and its result
  "duplicate-id",
  "duplicate-result",
  "invalid-id",
  "invalid-name",
  "input-no-object",
  "result-after-text", // Anthropic: results stand first
  "error-with-image", // Anthropic: an error holds text only
  "misplaced-image", // OpenAI: images from the user only
  "image", // type or data
  "too-many-breakpoints", // Anthropic
  "empty-tools",
  "duplicate-tool",
  "tool-schema", // an object with properties, and no choice at the top
] as const;
export type Rule = (typeof RULES)[number];

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isBlank = (value: unknown): boolean => isText(value) && /^\s*$/.test(value);

function problemsOf(body: string, check: (request: Json, report: Report) => void): Problems {
  const problems: string[] = [];
  const report: Report = (rule, at) => problems.push(`${rule} at ${at}`);
  let request: unknown;
  try {
    request = JSON.parse(body);
  } catch {
    return ["body at the top"];
  }
  if (!isObject(request)) return ["body at the top"];
  if (!body.isWellFormed() || (/\\u[dD]/.test(body) && hasHalves(request)))
    report("half-character", "the top");
  if (!isText(request.model) || request.model === "") report("body", "model");
  if (!Array.isArray(request.messages)) return [...problems, "body at messages"];
  if (request.messages.length === 0) report("no-messages", "messages");
  check(request, report);
  return problems;
}

function hasHalves(value: unknown): boolean {
  if (isText(value)) return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasHalves);
  return isObject(value) && Object.entries(value).some(([key, inner]) => hasHalves(key) || hasHalves(inner));
}

/** Fields by name, with what they must be; a name with "?" may be absent. */
function checkFields(
  value: Json,
  fields: Record<string, (value: unknown) => boolean>,
  at: string,
  report: Report,
) {
  const names = new Set(Object.keys(fields).map((name) => name.replace("?", "")));
  for (const key of Object.keys(value)) if (!names.has(key)) report("unknown-field", `${at}.${key}`);
  for (const [name, isRight] of Object.entries(fields)) {
    const key = name.replace("?", "");
    if (value[key] === undefined ? !name.endsWith("?") : !isRight(value[key]))
      report("field-type", `${at}.${key}`);
  }
}

const any = () => true;
const isList = (value: unknown) => Array.isArray(value);
const isFlag = (value: unknown) => typeof value === "boolean";
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
const isOneOf =
  (...texts: string[]) =>
  (value: unknown) =>
    texts.includes(value as string);

function checkNames(names: readonly unknown[], maximum: number, report: Report): void {
  for (const [i, name] of names.entries()) {
    if (!isName(name, maximum)) report("invalid-name", `tools.${i}`);
    if (names.indexOf(name) !== i) report("duplicate-tool", `tools.${i}`);
  }
}
function checkSchema(schema: unknown, at: string, report: Report): void {
  if (schema === undefined) return;
  const choices = ["anyOf", "oneOf", "allOf", "not", "enum"];
  const isTaken = isObject(schema) && schema.type === "object" && isObject(schema.properties);
  if (!isTaken || choices.some((key) => key in schema)) report("tool-schema", at);
}
const isName = (name: unknown, maximum: number) =>
  isText(name) && name.length <= maximum && /^[A-Za-z0-9_-]+$/.test(name);

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const isBase64 = (data: unknown) =>
  isText(data) && data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);

/* OpenAI chat completions. */

const OPENAI_ROLES = ["system", "developer", "user", "assistant", "tool"];

export const openaiProblems = (body: string): Problems => problemsOf(body, checkOpenai);

function checkOpenai(request: Json, report: Report): void {
  checkFields(
    request,
    {
      model: isText,
      messages: isList,
      "tools?": isList,
      "stream?": isFlag,
      "stream_options?": isObject,
      "max_completion_tokens?": isCount,
    },
    "top",
    report,
  );
  const { tools } = request;
  if (Array.isArray(tools)) {
    if (tools.length === 0) report("empty-tools", "tools");
    const functions = tools.map((tool) => (isObject(tool) && isObject(tool.function) ? tool.function : {}));
    for (const [i, tool] of functions.entries())
      checkFields(
        tool,
        { name: isText, "description?": isText, "parameters?": isObject },
        `tools.${i}.function`,
        report,
      );
    for (const [i, { parameters }] of functions.entries()) checkSchema(parameters, `tools.${i}`, report);
    checkNames(
      functions.map(({ name }) => name),
      64,
      report,
    );
  }

  const messages = (request.messages as readonly unknown[]).map((message) =>
    isObject(message) ? message : {},
  );
  const everyId = new Set<string>();
  let open: string[] = []; // calls of the last reply that wait
  let answered = new Set<string>(); // those of its calls that do not
  let isDirect = false; // nothing stood between the last reply and here but its results
  const close = (at: string) => {
    for (const _ of open) report("missing-result", at);
    open = [];
  };
  for (const [i, message] of messages.entries()) {
    const at = `messages.${i}`;
    const { role, content } = message;
    if (!OPENAI_ROLES.includes(role as string)) report("role", at);
    if (role === "tool") {
      checkFields(message, { role: any, content: any, tool_call_id: isText }, at, report);
      checkOpenaiContent(content, ["text"], at, report);
      const id = message.tool_call_id as string;
      if (open.includes(id)) {
        if (!isDirect) report("not-adjacent", at);
        open = open.filter((one) => one !== id);
        answered.add(id);
      } else report(answered.has(id) ? "duplicate-result" : "orphan-result", at);
      continue;
    }
    if (role !== "assistant") {
      checkFields(message, { role: any, content: any }, at, report);
      checkOpenaiContent(content, role === "user" ? ["text", "image_url"] : ["text"], at, report);
      const isLate = messages.slice(i + 1).some((later) => open.includes(later.tool_call_id as string));
      if (open.length > 0 && !isLate) close(at);
      isDirect = false;
      continue;
    }
    close(at);
    answered = new Set();
    isDirect = true;
    checkFields(message, { role: any, content: any, "tool_calls?": isList }, at, report);
    const calls = message.tool_calls;
    if (Array.isArray(calls) && calls.length === 0) report("empty-content", `${at}.tool_calls`);
    if (content !== null || !Array.isArray(calls)) checkOpenaiContent(content, ["text"], at, report);
    for (const [n, call] of (Array.isArray(calls) ? calls : []).entries()) {
      const place = `${at}.tool_calls.${n}`;
      if (!isObject(call) || !isObject(call.function)) {
        report("field-type", place);
        continue;
      }
      checkFields(call, { id: isText, type: isOneOf("function"), function: isObject }, place, report);
      checkFields(call.function, { name: isText, arguments: isText }, place, report);
      if (!isName(call.function.name, 64)) report("invalid-name", place);
      if (!isText(call.id) || call.id === "" || call.id.length > 40) report("invalid-id", place);
      if (everyId.has(`${call.id}`)) report("duplicate-id", place);
      everyId.add(`${call.id}`);
      open.push(`${call.id}`);
      checkArguments(call.function.arguments, place, report);
    }
  }
  close("the end");
  const last = messages.at(-1)?.role;
  if (last !== "user" && last !== "tool") report("last-not-user", "the end");
}

/** Servers that fill a template read them again, and want an object. */
function checkArguments(given: unknown, at: string, report: Report): void {
  try {
    const value: unknown = JSON.parse(String(given));
    if (!isObject(value)) report("input-no-object", at);
    if (hasHalves(value)) report("half-character", at);
  } catch {
    report("input-no-object", at);
  }
}

function checkOpenaiContent(content: unknown, kinds: readonly string[], at: string, report: Report): void {
  if (isText(content)) {
    if (isBlank(content)) report("empty-text", at);
    return;
  }
  if (!Array.isArray(content)) {
    report("field-type", `${at}.content`);
    return;
  }
  if (content.length === 0) report("empty-content", at);
  for (const part of content) {
    const kind = isObject(part) ? part.type : undefined;
    if (kind === "text") {
      checkFields(part, { type: any, text: isText }, at, report);
      if (isBlank(part.text)) report("empty-text", at);
    } else if (kind === "image_url") {
      if (!kinds.includes("image_url")) report("misplaced-image", at);
      const url = isObject(part.image_url) ? part.image_url.url : undefined;
      const [, type = "", data] = /^data:([^;]+);base64,(.*)$/s.exec(String(url)) ?? [];
      if (!IMAGE_TYPES.includes(type) || !isBase64(data)) report("image", at);
    } else report("unknown-block", at);
  }
}

/* Anthropic messages. */

export const anthropicProblems = (body: string): Problems => problemsOf(body, checkAnthropic);

const isMark = (value: unknown) => isObject(value) && value.type === "ephemeral";

function checkAnthropic(request: Json, report: Report): void {
  checkFields(
    request,
    {
      model: isText,
      max_tokens: isCount,
      messages: isList,
      "system?": (value) => isText(value) || isList(value),
      "tools?": isList,
      "stream?": isFlag,
    },
    "top",
    report,
  );
  let marks = 0;
  const countMark = (block: unknown) => {
    if (isObject(block) && block.cache_control !== undefined) marks++;
  };
  if (Array.isArray(request.system)) {
    for (const [i, block] of request.system.entries()) {
      countMark(block);
      checkAnthropicBlock(block, ["text"], `system.${i}`, report);
    }
  }
  if (Array.isArray(request.tools)) {
    for (const [i, tool] of request.tools.entries()) {
      countMark(tool);
      checkSchema(isObject(tool) ? tool.input_schema : null, `tools.${i}`, report);
      checkFields(
        isObject(tool) ? tool : {},
        { name: isText, "description?": isText, input_schema: isObject, "cache_control?": isMark },
        `tools.${i}`,
        report,
      );
    }
    checkNames(
      request.tools.map((tool) => (isObject(tool) ? tool.name : undefined)),
      128,
      report,
    );
  }

  const messages = (request.messages as readonly unknown[]).map((message) =>
    isObject(message) ? message : {},
  );
  const everyId = new Set<string>();
  let asked: string[] = []; // ids of the message before
  const earlier = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const at = `messages.${i}`;
    const { role, content } = message;
    checkFields(message, { role: any, content: (value) => isText(value) || isList(value) }, at, report);
    if (role !== "user" && role !== "assistant") report("role", at);
    if (i === 0 && role !== "user") report("first-not-user", at);
    if (i > 0 && role === messages[i - 1]?.role) report("alternation", at);
    if (isBlank(content)) report("empty-text", at);
    if (Array.isArray(content) && content.length === 0) report("empty-content", at);
    const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
    const uses: string[] = [];
    const results: string[] = [];
    let sawOther = false;
    for (const [n, block] of blocks.entries()) {
      const place = `${at}.content.${n}`;
      countMark(block);
      const kinds = role === "user" ? ["text", "image", "tool_result"] : ["text", "tool_use"];
      checkAnthropicBlock(block, kinds, place, report);
      const { type, id, tool_use_id: answers } = isObject(block) ? block : ({} as Json);
      if (type === "tool_use") {
        if (everyId.has(`${id}`)) report("duplicate-id", place);
        everyId.add(`${id}`);
        uses.push(`${id}`);
      } else if (type === "tool_result") {
        if (sawOther) report("result-after-text", place);
        if (results.includes(`${answers}`)) report("duplicate-result", place);
        else if (!asked.includes(`${answers}`))
          report(earlier.has(`${answers}`) ? "not-adjacent" : "orphan-result", place);
        results.push(`${answers}`);
      } else sawOther = true;
    }
    for (const id of asked) if (!results.includes(id)) report("missing-result", at);
    for (const id of asked) earlier.add(id);
    asked = uses;
  }
  for (const _ of asked) report("missing-result", "the end");
  if (messages.at(-1)?.role !== "user") report("last-not-user", "the end");
  if (marks > 4) report("too-many-breakpoints", "the top");
}

function checkAnthropicBlock(block: unknown, kinds: readonly string[], at: string, report: Report): void {
  const type = isObject(block) ? block.type : undefined;
  if (!isObject(block) || !kinds.includes(type as string)) {
    report("unknown-block", at);
    return;
  }
  const mark = { "cache_control?": isMark };
  if (type === "text") {
    checkFields(block, { type: any, text: isText, ...mark }, at, report);
    if (isBlank(block.text)) report("empty-text", at);
  } else if (type === "image") {
    checkFields(block, { type: any, source: isObject, ...mark }, at, report);
    const { type: how, media_type: media, data } = isObject(block.source) ? block.source : ({} as Json);
    if (how !== "base64" || !IMAGE_TYPES.includes(media as string) || !isBase64(data)) report("image", at);
  } else if (type === "tool_use") {
    checkFields(block, { type: any, id: isText, name: isText, input: any, ...mark }, at, report);
    if (!isName(block.id, Number.POSITIVE_INFINITY)) report("invalid-id", at);
    if (!isName(block.name, 128)) report("invalid-name", at);
    if (!isObject(block.input)) report("input-no-object", at);
  } else {
    const isContent = (value: unknown) => isText(value) || isList(value);
    const fields = { type: any, tool_use_id: isText, "content?": isContent, "is_error?": isFlag, ...mark };
    checkFields(block, fields, at, report);
    if (!isName(block.tool_use_id, Number.POSITIVE_INFINITY)) report("invalid-id", at);
    if (block.content === undefined || isBlank(block.content)) report("empty-text", at);
    const inner: readonly unknown[] = Array.isArray(block.content) ? block.content : [];
    if (Array.isArray(block.content) && inner.length === 0) report("empty-content", at);
    for (const one of inner) {
      if (block.is_error === true && isObject(one) && one.type === "image") report("error-with-image", at);
      checkAnthropicBlock(one, ["text", "image"], at, report);
    }
  }
}
