// test/support: stands between a client and a real server, and writes down every line that went through, both ways.
//   node recordingProxy.mjs LOG COMMAND ARGS…      each line of LOG: {"to":"server"|"client","line":"…"}
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [log, command, ...args] = process.argv.slice(2);
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });

function record(to, from, into) {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) appendFileSync(log, `${JSON.stringify({ to, line })}\n`);
    into.write(text);
  });
  from.on("end", () => into.end());
}

record("server", process.stdin, server.stdin);
record("client", server.stdout, process.stdout);
server.on("exit", (code) => process.exit(code ?? 1));
