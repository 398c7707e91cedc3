/** Read this first in this room: the servers of one run, their tools, and their end. Nothing outlives `close`. */
import type { Hash } from "../schema/claim";
import type { Tool } from "../schema/tool";
import { canonicalise } from "../thimble/identity";
import { Connection, type ConnectionPorts, ListedTool } from "./connection";
import { plainWords } from "./plainWords";
import { createServerTool, type ServerInfo, specOf } from "./serverTool";
import type { McpServers, ServerSettings } from "./settings";

export type McpPorts = ConnectionPorts & {
  readonly hash: Hash;
  /** A server or a tool of it is not there: one sentence that names the server. The run goes on. */
  readonly onProblem: (sentence: string) => void;
  /** What a server printed beside the protocol: for the log of a person, never for the model. */
  readonly onPrinted: (server: string, text: string) => void;
};

export type OpenServers = { readonly tools: readonly Tool[]; close(): Promise<void> };

export const DEFAULT_START_TIMEOUT_MS = 30_000;
const MAXIMUM_TOOLS = 128; // of one server: each is in every request
const MAXIMUM_TOOL_CHARS = 65_536; // of a description with its schema
const DEEPEST_SCHEMA = 32;

/** Starts all servers at once. Never throws: what does not work is a problem that is told. */
export async function openServers(
  servers: McpServers,
  given: McpPorts,
  signal: AbortSignal,
): Promise<OpenServers> {
  const ports: McpPorts = {
    ...given,
    onProblem: (sentence) => given.onProblem(plainWords(sentence)),
    onPrinted: (server, text) => given.onPrinted(server, plainWords(text)),
  };
  const connections: Connection[] = [];
  const opening = Object.entries(servers).map(async ([name, settings]) => {
    const connection = connect(name, settings, ports);
    if (connection === null) return [];
    connections.push(connection);
    return toolsOf(connection, ports, signal);
  });
  const tools = unique((await Promise.all(opening)).flat(), ports);
  return {
    tools,
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
      for (const { name, printed } of connections) if (printed !== "") ports.onPrinted(name, printed);
    },
  };
}

function connect(name: string, settings: ServerSettings, ports: McpPorts): Connection | null {
  try {
    return new Connection(name, settings, ports);
  } catch (cause) {
    ports.onProblem(problemWith(name, `could not be started: ${(cause as Error).message}`));
    return null;
  }
}

const problemWith = (server: string, why: string): string =>
  `The MCP server ${server} ${why}. Its tools are not available in this run.`;

async function toolsOf(
  connection: Connection,
  ports: McpPorts,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  const fail = async (why: string) => {
    ports.onProblem(problemWith(connection.name, why));
    await connection.close();
    return [];
  };
  const info = await connection.introduce(signal);
  if (typeof info === "string") return fail(info);
  const listing = await connection.list(signal);
  if (typeof listing === "string") return fail(listing);
  const problems = [...listing.problems];
  const tools: Tool[] = [];
  for (const value of listing.tools) {
    if (tools.length >= MAXIMUM_TOOLS) {
      problems.push(`it has more than ${MAXIMUM_TOOLS} tools: the rest is left out`);
      break;
    }
    const made = toolOf(value, connection, info, ports.hash);
    if (typeof made === "string") problems.push(made);
    else tools.push(made);
  }
  if (problems.length > 0)
    ports.onProblem(`The MCP server ${connection.name}: ${problems.slice(0, 5).join("; ")}.`);
  return tools;
}

/** As text: why it is left out. */
function toolOf(value: unknown, connection: Connection, info: ServerInfo, hash: Hash): Tool | string {
  const parsed = ListedTool.safeParse(value);
  if (!parsed.success) return "a tool without a name or a schema for an object is left out";
  const listed = parsed.data;
  const label = `the tool ${JSON.stringify(connection.hideEnv(listed.name).slice(0, 60))}`;
  if (listed.execution?.taskSupport === "required")
    return `${label} runs only as a task of the server's, which Cloakroom does not offer`;
  const reason = unusable(listed);
  if (reason !== null) return `${label} is left out: ${reason}`;
  const spec = specOf(connection.name, info, withoutEnv(listed, connection.hideEnv), hash);
  return createServerTool(connection, spec, listed.name);
}

function withoutEnv(listed: ListedTool, hideEnv: (text: string) => string): ListedTool {
  const hidden = (_key: string, value: unknown) => (typeof value === "string" ? hideEnv(value) : value);
  return JSON.parse(JSON.stringify(listed, hidden));
}

/** What would overflow a reader or the context, or has no canonical form to compare it by. */
function unusable({ name, title = "", description = "", inputSchema }: ListedTool): string | null {
  if (depthOf(inputSchema) > DEEPEST_SCHEMA) return `its schema is more than ${DEEPEST_SCHEMA} levels deep`;
  const schema = JSON.stringify(inputSchema);
  if (schema.length + description.length + title.length > MAXIMUM_TOOL_CHARS)
    return `its description and schema have more than ${MAXIMUM_TOOL_CHARS} characters`;
  try {
    canonicalise({ name, title, description, inputSchema });
    return null;
  } catch {
    return "its name, description or schema has half of a surrogate pair";
  }
}

function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  for (let depth = 0; ; depth++) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0 || depth > DEEPEST_SCHEMA) return depth;
  }
}

/** The first of a name keeps it. */
function unique(tools: readonly Tool[], { onProblem }: McpPorts): readonly Tool[] {
  const names = new Set<string>();
  return tools.filter(({ spec: { name, origin } }) => {
    if (!names.has(name)) return names.add(name);
    onProblem(`The MCP server ${origin?.configured} has two tools called ${name}: the second is left out.`);
    return false;
  });
}
