/**
 * Contract packs: the policy files in `packs/`, by the name with which a server introduces itself (`initialize`,
 * serverInfo.name). One is read when a session meets its server, never at activation. Reading is a port.
 */
import type { Hash } from "../schema/claim";
import { type Loading, loadPolicy } from "./load";

/** The text of one file of `packs/`. */
export type ReadPack = (file: string) => Promise<string>;

/** Server to file. Servers that share a name share a file: a host cannot tell them apart. */
const PACKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "Atlassian MCP": "atlassian",
    "Azure DevOps MCP Server": "azure-devops",
    "brave-search-mcp-server": "brave-search",
    chrome_devtools: "chrome-devtools",
    "desktop-commander": "desktop-commander",
    "exa-search-server": "exa",
    "firecrawl-fastmcp": "firecrawl",
    "github-mcp-server": "github",
    "gitlab-mcp-server": "gitlab",
    linear: "linear",
    "mcp-servers/everything": "everything",
    "MongoDB MCP Server": "mongodb",
    "Notion API": "notion",
    "Sentry MCP": "sentry",
    "Slack MCP Server": "slack",
    Stripe: "stripe",
    "tavily-mcp": "tavily",
  }).map(([server, name]) => [server, `${name}.thimble.json`]),
);

/** Every pack, as server and file. */
export const packFiles = (): readonly (readonly [server: string, file: string])[] => [...PACKS];

/** The pack of a server, or null: names are compared whole, never guessed (CONFORMANCE §5). */
export async function loadPack(server: string, read: ReadPack, hash: Hash): Promise<Loading | null> {
  const file = PACKS.get(server);
  return file === undefined ? null : loadPolicy(await read(file), hash);
}
