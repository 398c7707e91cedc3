/** Which MCP servers to start: the setting `cloakroom.mcp.servers`, or the `servers` of a file that says the same. */
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { Failure } from "../schema/failure";

/** One server over stdio. `env` is added to a few of our own variables (serverProcess.ts); its values are never logged. */
export const ServerSettings = z.strictObject({
  type: z.literal("stdio").optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().min(1).optional(),
});
export type ServerSettings = z.infer<typeof ServerSettings>;

const ServerName = z
  .string()
  .regex(/^[\w .@/-]{1,64}$/, "a server's name has 1 to 64 letters, digits or _-.@/");
const Servers = z.record(ServerName, ServerSettings);

/** By the names that the user gave them, in their order. */
export type McpServers = z.infer<typeof Servers>;

/** Throws `Failure("settings-invalid")` that names `source` and the place in it, never a value: it may be a secret. */
export function mcpServersFrom(value: unknown, source: string): McpServers {
  const parsed = Servers.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = [source, ...(issue?.path ?? [])].map(String).join(".");
  const expected = `${issue?.message ?? "is not valid"}. Expected { "NAME": { "command", "args", "env", "cwd" } }`;
  throw new Failure("settings-invalid", `${place}: ${expected}. Correct it, then start again.`, {
    field: source,
  });
}

/** Reads a file of the usual form, { "servers": { … } }. */
export async function readMcpFile(path: string): Promise<McpServers> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(
      "settings-invalid",
      `--mcp ${path} cannot be read (${cause.code ?? "unknown error"}). Name a file of servers.`,
    );
  });
  const file = z.object({ servers: z.unknown() }).safeParse(jsonOf(text));
  if (file.success && file.data.servers !== undefined) return mcpServersFrom(file.data.servers, "servers");
  throw new Failure("settings-invalid", `--mcp ${path} is not JSON with "servers": { … }.`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // said by the caller, without the text
  }
}
