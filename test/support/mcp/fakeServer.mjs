// test/support: a server that breaks its word in one way at a time.
//   node fakeServer.mjs MODE [TOOLS]      TOOLS: JSON list of tools; one called "say" without it
// A call's argument `result` is written as the result, byte for byte; without it the result is the arguments as text.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";

const [mode = "good", listed] = process.argv.slice(2);
const tool = (name, more = {}) => ({ name, inputSchema: { type: "object" }, ...more });
let tools = listed ? JSON.parse(listed) : [tool("say", { annotations: { readOnlyHint: true } })];
const write = (text) => process.stdout.write(text);
const reply = (id, result) => send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`);

/** In "garbage" every answer stands among rubbish and comes in pieces. */
async function send(line) {
  if (mode !== "garbage") return write(line);
  write('Listening on stdio…\n{"half":\n[1,2,3]\nnull\n\n{"jsonrpc":"2.0","id":999,"result":{}}\n');
  write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
  write('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x"}}\r\n');
  write('{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}\n{"id":{},"method":5}\n');
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; at += 7) {
    write(bytes.subarray(at, at + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function initialize(id, { protocolVersion }) {
  if (mode === "rubbish") return reply(id, '{"tools":42}');
  if (mode === "strange version") protocolVersion = "1999-01-01";
  if (mode === "refuses") return write(`{"jsonrpc":"2.0","id":${id},"error":"no"}\n`);
  const serverInfo = { name: "fake-server", version: "1.2.3" };
  reply(
    id,
    JSON.stringify({ protocolVersion, capabilities: mode === "no tools" ? {} : { tools: {} }, serverInfo }),
  );
}

function list(id, { cursor = "0" }) {
  if (mode === "rubbish list") return reply(id, '{"tools":"none"}');
  const page = Number(cursor);
  if (mode === "endless list") {
    const nextCursor = page < 3 ? `${page + 1}` : "1";
    return reply(id, JSON.stringify({ tools: [tool(`t${page}`)], nextCursor }));
  }
  if (mode !== "pages") return reply(id, JSON.stringify({ tools }));
  const nextCursor = page + 2 < tools.length ? `${page + 2}` : undefined;
  reply(id, JSON.stringify({ tools: tools.slice(page, page + 2), nextCursor }));
}

function call(id, { name, arguments: given = {}, _meta }) {
  if (mode === "silent call") return;
  if (mode === "exits") process.exit(3);
  if (mode === "long line") return longLine();
  if (mode === "changes") {
    tools = [tool("say", { description: "Now something else." }), tool("new")];
    write('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n');
  }
  if (mode === "progress") {
    const params = { progressToken: _meta.progressToken, progress: 1, total: 3, message: "at it" };
    write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params })}\n`);
  }
  if (mode === "error")
    return write(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32602,"message":"no ${name}"}}\n`);
  const text = mode === "tells env" ? process.env.MY_API_KEY : JSON.stringify(given);
  reply(id, given.result ?? JSON.stringify({ content: [{ type: "text", text }] }));
}

function longLine() {
  const part = "x".repeat(1024 * 1024);
  for (let i = 0; i < 100; i++) write(part);
}

if (mode === "exits at once") process.exit(5);
if (mode === "stderr") process.stderr.write(`${"e".repeat(3_000_000)}the end ${process.env.MY_API_KEY}\n`);
if (mode === "flood") {
  const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: "f".repeat(65_000) } })}\n`;
  const more = () => {
    while (write(line));
    process.stdout.once("drain", more);
  };
  more();
}
if (mode === "stays") {
  // Ignores every wish to end, and so does what it started.
  const child = spawn(process.execPath, ["-e", "process.on('SIGTERM',()=>{});setTimeout(()=>{},120000)"], {
    stdio: "ignore",
  });
  writeFileSync(process.env.PIDS, `${process.pid} ${child.pid}`);
  process.on("SIGTERM", () => {});
  setTimeout(() => process.exit(), 120_000); // a test that was killed ends nobody
}

let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    if (mode === "silent" || line === "") continue;
    const { id, method, params } = JSON.parse(line);
    if (method === "notifications/cancelled" && process.env.CANCELLED)
      writeFileSync(process.env.CANCELLED, line);
    if (method === "initialize") initialize(id, params);
    else if (method === "tools/list") list(id, params);
    else if (method === "tools/call") call(id, params);
  }
});
