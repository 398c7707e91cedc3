// test/support: a Redis of the test's own, on loopback, with nothing on disk. It stops with the test.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";

export type RedisServer = { readonly url: string; stop(): Promise<void> };

const START_MS = 10_000;

/** Null where the machine has no `redis-server`; with `CI` set that is a failure. */
export async function startRedis(password?: string): Promise<RedisServer | null> {
  if (spawnSync("redis-server", ["--version"]).error) {
    if (process.env.CI) throw new Error("redis-server is not installed: the contract suite needs it");
    return null;
  }
  const port = await freePort();
  const options = ["--port", `${port}`, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const secret = password === undefined ? [] : ["--requirepass", password];
  const server = spawn("redis-server", [...options, ...secret], { stdio: ["ignore", "pipe", "inherit"] });
  await ready(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, "exit");
      server.kill();
      await ended;
    },
  };
}

async function ready(server: ChildProcess): Promise<void> {
  const timer = setTimeout(() => server.kill(), START_MS);
  try {
    for await (const chunk of server.stdout ?? []) if (String(chunk).includes("Ready to accept")) break;
    if (server.exitCode !== null) throw new Error("redis-server did not start");
    server.stdout?.resume();
  } finally {
    clearTimeout(timer);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
