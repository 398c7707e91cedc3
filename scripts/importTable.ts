// scripts: who may import whom, as data: the table of docs/architecture.md. checkImports.ts enforces it.

export type Room = {
  /** Rooms whose values and types it may import. Its own files need no mention. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** May it import `node:` modules? */
  readonly node: boolean;
  /** No clock, no randomness, no way round the linter's list of forbidden globals. */
  readonly pure: boolean;
  /** Rooms of which it may import types only. */
  readonly typesOf?: readonly string[];
};

const pureLibraries = ["canonicalize", "jsonc-parser"];
const judges = ["schema", "thimble", "claims", "coverage", "history"];

const pure = (rooms: readonly string[], packages: readonly string[]): Room => ({
  rooms,
  packages,
  node: false,
  pure: true,
});
const edge = (...packages: string[]): Room => ({
  rooms: judges,
  packages: ["zod", ...packages],
  node: true,
  pure: false,
});

/** The rooms below `src/`. A folder that is not here is a violation itself. */
export const ROOMS: Readonly<Record<string, Room>> = {
  schema: pure([], ["zod"]),
  thimble: pure(["schema"], pureLibraries),
  claims: pure(["schema"], pureLibraries),
  coverage: pure(["schema"], pureLibraries),
  history: pure(["schema"], pureLibraries),
  inspector: pure(judges, []),
  agent: pure(judges, []),
  store: edge("lowdb", "yauzl", "yazl", "@redis/client"),
  models: edge("openai", "@anthropic-ai/sdk", "gpt-tokenizer"),
  tools: edge(),
  mcp: edge(),
  transcripts: edge(),
  /** Parts of the command line; what they work on arrives from cli.ts. */
  cli: { rooms: [...judges, "agent", "inspector"], packages: [], node: true, pure: false },
  language: {
    rooms: ["schema", "thimble"],
    packages: ["vscode-languageserver", "vscode-languageserver-textdocument", "jsonc-parser"],
    node: false,
    pure: false,
  },
  vscode: {
    rooms: [...judges, "inspector"],
    packages: ["vscode", "vscode-languageclient"],
    node: false,
    pure: false,
  },
};

const allRooms = Object.keys(ROOMS).filter((room) => room !== "cli");
const allPackages = [...new Set(Object.values(ROOMS).flatMap((room) => room.packages))];

/** Files where the rooms meet, and the browser side. */
export const ENTRANCES: Readonly<Record<string, Room>> = {
  "src/extension.ts": {
    rooms: [...allRooms, "src/editorHost.ts", "src/inspectorHost.ts"],
    packages: allPackages,
    node: true,
    pure: false,
  },
  "src/editorHost.ts": { rooms: allRooms, packages: allPackages, node: true, pure: false },
  "src/inspectorHost.ts": { rooms: allRooms, packages: allPackages, node: true, pure: false },
  "src/cli.ts": {
    rooms: [...allRooms.filter((room) => room !== "vscode"), "cli"],
    packages: allPackages.filter((name) => !["vscode", "vscode-languageclient"].includes(name)),
    node: true,
    pure: false,
  },
  "webview-ui": {
    rooms: [],
    typesOf: ["schema", "inspector"],
    packages: ["lit", "@vscode/codicons", "@vscode-elements/elements"],
    node: false,
    pure: false,
  },
};
