/** The same core without an editor: sessions run, shown, kept and judged. Results on standard output, problems on standard error. */
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fetchResult } from "./agent/retrieve";
import { runSession } from "./agent/runSession";
import { safeTexts } from "./agent/safeTexts";
import { sessionPolicy } from "./agent/sessionPolicy";
import { actOnResult, isAboutResult } from "./cli/actOnResult";
import { analyze, foundLines } from "./cli/analyze";
import { exportOptions } from "./cli/exportOptions";
import { type Judged, replay, scorecard } from "./cli/judge";
import { listRecords } from "./cli/listRecords";
import { usage } from "./cli/usage";
import { parseProblem, wrongWords } from "./cli/words";
import { harmlessLines } from "./inspector/columns";
import { DOCUMENTS } from "./inspector/export/documents";
import { projectSession } from "./inspector/project";
import { reportOf } from "./inspector/report";
import type { ReadRecorded } from "./inspector/whatIf/analyseTranscript";
import { DEFAULT_START_TIMEOUT_MS, openServers } from "./mcp/openServers";
import { readMcpFile } from "./mcp/settings";
import { readScript } from "./models/readScript";
import { createScriptedModel } from "./models/scripted";
import { openTokens } from "./models/tokenizer";
import { Failure } from "./schema/failure";
import { Intent, LimitMode, NamedIntent } from "./schema/policy";
import { DEFAULT_SETTINGS } from "./schema/settings";
import type { TokenCounter } from "./schema/tokens";
import { type Made, StoreActs, type Told } from "./store/acts";
import { plainNameOf } from "./store/blobs";
import { DEFAULT_STORE_SETTINGS, StoreCare } from "./store/care";
import { sha256 } from "./store/digest";
import { recordedIn } from "./store/recorded";
import { RedisContents } from "./store/redisFiles";
import { Sessions } from "./store/sessions";
import { Vault } from "./store/vault";
import type { PolicyText } from "./thimble/sources";
import { DEFAULT_COMMAND_LIMITS } from "./tools/createRunCommand";
import { createWorkspaceTools } from "./tools/createWorkspaceTools";
import { nodeClock } from "./tools/nodeClock";
import { nodeEditor } from "./tools/nodeEditor";
import { openNodeWorkspace } from "./tools/nodeWorkspace";
import { endProcessTree } from "./tools/processTree";
import { findRipgrep } from "./tools/ripgrep";
import { findTranscripts } from "./transcripts/find";
import { FORMAT_NAMES } from "./transcripts/formats";
import { readTranscript } from "./transcripts/readTranscript";

/** Never a word of the command line: others can read those. */
const redisPassword = (): string | null => process.env.CLOAKROOM_REDIS_PASSWORD ?? null;

function isRedisAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && ["redis:", "rediss:"].includes(url.protocol) && url.password === "";
}

const ACTS = ["verify", "fork", "export", "import", "forget", "sweep"];

const clock = nodeClock;

/** Resolves with the exit code: 0 answered, 1 failed, 2 wrong words, 130 stopped. */
async function main(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      script: { type: "string" },
      workspace: { type: "string" },
      question: { type: "string", default: "Go on." },
      limits: { type: "string", default: DEFAULT_SETTINGS.limits.mode },
      allow: { type: "boolean", default: false },
      mcp: { type: "string" },
      policy: { type: "string" },
      intent: { type: "string" },
      session: { type: "string" },
      store: { type: "string" },
      redis: { type: "string" },
      ephemeral: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
      no: { type: "boolean", default: false },
      turn: { type: "string" },
      "workspace-sessions": { type: "boolean", default: false },
      everything: { type: "boolean", default: false },
      format: { type: "string" },
      contents: { type: "boolean", default: false },
      control: { type: "string" },
      candidate: { type: "string" },
      json: { type: "boolean", default: false },
      profile: { type: "string" },
      find: { type: "boolean", default: false },
      "keep-days": { type: "string", default: String(DEFAULT_STORE_SETTINGS.keepSessionsDays) },
      help: { type: "boolean", short: "h", default: false },
      version: { type: "boolean", default: false },
    },
  });
  const [command, name] = positionals;
  if (values.help) return print(usage(FORMAT_NAMES), 0);
  if (values.version) return print(await version(), 0);
  if (command === undefined) return complain(usage(FORMAT_NAMES), 2);
  const wrong = wrongWords(command, positionals.slice(1));
  if (wrong !== null) return complain(wrong, 2);
  const isOfResult = isAboutResult(positionals);
  const isAct = ACTS.includes(command) && !isOfResult;
  if (command === "analyze" && values.find) return listFound(values.json);
  if (command === "analyze" && values.workspace === undefined) {
    if (name === undefined)
      return complain(
        "Name session files: analyze FILE... (--find lists those on this machine; --workspace DIR: sessions there).",
        2,
      );
    return analyzed(
      positionals.slice(1),
      values,
      async (file, tokens) => (await readTranscripts(file, tokens)).sessions,
    );
  }
  if (values.workspace === undefined) return complain("Name the workspace: --workspace DIR.", 2);

  if (values.redis !== undefined && !isRedisAddress(values.redis))
    return complain("--redis takes an address without a password, such as redis://localhost:6379.", 2);

  const workspace = resolve(values.workspace);
  if (await isFile(workspace))
    return complain(`--workspace takes a folder: ${values.workspace} is a file.`, 2);
  const server =
    values.redis === undefined ? null : new RedisContents(values.redis, async () => redisPassword());
  const vault = new Vault({ remote: server });
  const root = values.ephemeral
    ? await mkdtemp(join(tmpdir(), "cloakroom-"))
    : resolve(values.store ?? join(homedir(), ".cloakroom"));
  if (isAct) {
    const scope = values.everything ? "everything" : values["workspace-sessions"] ? "workspace" : "session";
    const keepSessionsDays = Number(values["keep-days"]);
    if (!Number.isSafeInteger(keepSessionsDays) || keepSessionsDays < 0)
      return complain("--keep-days takes a whole number from 0 up.", 2);
    const turn = values.turn === undefined ? undefined : Number(values.turn);
    if (turn !== undefined && !Number.isSafeInteger(turn))
      return complain("--turn takes a turn's number.", 2);
    const settings = { ...DEFAULT_STORE_SETTINGS, keepSessionsDays };
    const acts = new StoreActs(() =>
      StoreCare.open(root, workspace, clock, settings, { vault, readTranscripts, documents: DOCUMENTS }),
    );
    const given = { ...values, scope, keepSessionsDays, turn } as const;
    try {
      const told = await act(acts, command, positionals.slice(1), given);
      return typeof told === "string" ? complain(told, 2) : tell(told);
    } finally {
      await server?.close();
    }
  }
  try {
    const store = await Sessions.open(root, workspace, clock, DEFAULT_STORE_SETTINGS.limits, vault);
    if (command === "run") return await run(store, workspace, values);
    if (isOfResult) {
      const ports = { clock, hash: sha256, tokens: await openCounter() };
      return judged(await actOnResult(store, positionals, values, ports));
    }
    if (command === "analyze") {
      const listed = values["workspace-sessions"] ? (await store.list()).map(({ session }) => session) : [];
      const named = [...new Set([...positionals.slice(1), ...listed])];
      if (named.length === 0)
        return complain("Name sessions: analyze SESSION... or --workspace-sessions.", 2);
      return await analyzed(named, values, async (session) => [await recordedIn(store, session)]);
    }
    if (command === "sessions") return await listSessions(store, values.json);
    if (command === "list")
      return judged(await listRecords(store, name, positionals[2], values.json, sha256));
    if (command === "replay") return judged(await replay(store, name, values.policy, sha256));
    if (command === "scorecard") {
      const { control, candidate, json, "workspace-sessions": all } = values;
      return judged(
        await scorecard(store, { sessions: positionals.slice(1), all, control, candidate, json }, sha256),
      );
    }
    return await show(store, name ?? (await store.list())[0]?.session);
  } finally {
    await server?.close();
    if (values.ephemeral) await rm(root, { recursive: true, force: true });
  }
}

type RunOptions = {
  readonly script?: string | undefined;
  readonly question: string;
  readonly limits: string;
  readonly allow: boolean;
  readonly mcp?: string | undefined;
  readonly policy?: string | undefined;
  readonly intent?: string | undefined;
  readonly session?: string | undefined;
};

async function run(store: Sessions, workspace: string, values: RunOptions): Promise<number> {
  if (values.script === undefined) return complain("Name the script: --script FILE.", 2);
  const mode = LimitMode.safeParse(values.limits);
  if (!mode.success) return complain("--limits takes off, observe or enforce.", 2);
  const folder = await openNodeWorkspace([{ name: basename(workspace), path: workspace }]);
  const tools = createWorkspaceTools(
    { workspace: folder, editor: nodeEditor, clock },
    { ripgrepPath: await findRipgrep(undefined, process.env.PATH) },
  );
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort()); // ends commands too
  const reason = values.allow
    ? "allowed with --allow"
    : "Nobody can be asked here; start again with --allow to permit it.";
  const model = createScriptedModel(await readScript(values.script, "--script"), clock.sleep);
  const intent = values.intent === undefined ? null : Intent.safeParse(values.intent).data;
  if (intent === undefined)
    return complain(`--intent takes ${NamedIntent.options.join(", ")}, or such as "all 37".`, 2);
  const texts = await policyTexts(values.policy);
  const servers = await openMcp(values.mcp, workspace, stop.signal);
  const all = [...tools, fetchResult, ...servers.tools];
  const running = async () => {
    const policy = await sessionPolicy(
      all.map(({ spec }) => spec),
      mode.data,
      { texts, readPack, isApproved: () => false, reviewed: [], hash: sha256 },
    );
    const settings = { ...DEFAULT_SETTINGS, limits: { mode: mode.data, hardMaximum: null } };
    return runSession({ ...request, configuration: { settings, intent, ...policy } }, stop.signal);
  };
  const request = {
    store,
    session: values.session
      ? { kind: "existing" as const, id: values.session }
      : { kind: "new" as const, workspace: basename(workspace) },
    question: values.question,
    ports: {
      model,
      tools: all,
      approver: {
        isTrusted: () => true,
        ask: async () => ({ granted: values.allow, by: "rule" as const, reason }),
      },
      clock,
      hash: sha256,
      tokens: await openCounter(),
      watcher: { replyText: () => undefined, toolProgress: () => undefined },
    },
    watch: () => undefined,
  };
  const { session, end } = await running().finally(() => servers.close());
  await show(store, session);
  if (end.end === "answered") return 0;
  return complain(end.message, end.end === "stopped" ? 130 : 1);
}

/** The policy of whoever calls, before the built-in ones. */
async function policyTexts(file: string | undefined): Promise<readonly PolicyText[]> {
  if (file === undefined) return [];
  const text = await readFile(resolve(file), "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(
      "settings-invalid",
      `--policy: ${file} cannot be read (${cause.code}). Name a policy file.`,
    );
  });
  return [{ layer: "user", label: file, text }];
}

const openCounter = () => openTokens((sentence) => void complain(sentence, 0));

const analyzed = async (
  sources: readonly string[],
  { profile, json }: { readonly profile?: string | undefined; readonly json: boolean },
  read: ReadRecorded,
): Promise<number> =>
  analyze({ sources, profile, json }, read, await openCounter(), {
    line: (text) => print(text, 0),
    problem: (text) => complain(text, 0),
  });

/** Session files of other agents on this machine. None is analysed. */
async function listFound(json: boolean): Promise<number> {
  const found = await findTranscripts(homedir(), process.platform, process.env);
  if (found.length === 0 && !json)
    return complain("No session files of other agents were found. Name one: cloakroom analyze FILE.", 1);
  return print(foundLines(found, clock.now(), json).join("\n"), 0);
}

/** What other agents wrote. */
const readTranscripts = async (file: string, tokens?: TokenCounter) =>
  readTranscript(file, {
    hash: sha256,
    now: clock.now,
    tokens: tokens ?? (await openCounter()),
    nameOf: plainNameOf,
    safe: (salt) => safeTexts(salt, sha256),
  });

async function version(): Promise<string> {
  const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
  return JSON.parse(manifest).version;
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isFile() === true;

/** Contract packs lie beside the bundle's folder. */
const readPack = (file: string) => readFile(new URL(`../packs/${file}`, import.meta.url), "utf8");

/** Problems with servers, and what they print, on standard error: the run goes on without them. */
async function openMcp(file: string | undefined, folder: string, signal: AbortSignal) {
  const ports = {
    endProcessTree,
    folder,
    startTimeoutMs: DEFAULT_START_TIMEOUT_MS,
    callTimeoutMs: DEFAULT_COMMAND_LIMITS.timeoutMs,
    hash: sha256,
    onProblem: (sentence: string) => void complain(sentence, 0),
    onPrinted: (server: string, text: string) =>
      void complain(text.trimEnd().replace(/^/gm, `[${server}] `), 0),
  };
  return openServers(file === undefined ? {} : await readMcpFile(resolve(file)), ports, signal);
}

type Given = {
  readonly format?: string | undefined;
  readonly contents: boolean;
  readonly all: boolean;
  readonly yes: boolean;
  readonly scope: "session" | "workspace" | "everything";
  readonly keepSessionsDays: number;
  readonly turn: number | undefined;
};

/** The outcome; or, as text, which word is missing. */
async function act(
  acts: StoreActs,
  command: string,
  [first, second]: readonly string[],
  { all, yes, scope, keepSessionsDays, turn, ...form }: Given,
): Promise<Told | Made | string> {
  if (command === "verify") return acts.verify({ session: first, everywhere: all });
  if (command === "sweep")
    return (await acts.sweep(keepSessionsDays)) ?? { ok: true, summary: "Nothing to remove.", lines: [] };
  if (command === "import")
    return first ? acts.import(resolve(first)) : "Name the archive or transcript: import FILE.";
  if (command === "export" && scope === "workspace" && (form.contents || form.format !== undefined))
    return "All sessions of a workspace are exported as an archive: leave --format and --contents out.";
  if (command === "export" && scope === "workspace")
    return first ? acts.exportWorkspace(resolve(first)) : "Name the file: export --workspace-sessions FILE.";
  if (command === "forget" && scope !== "session" && first)
    return "Name a session, or all of them: not both.";
  if (!first && (command !== "forget" || scope === "session")) return `Name the session: ${command} SESSION.`;
  if (command === "forget" && !yes)
    return "This deletes from disk and cannot be undone. Say --yes if that is what you want.";
  if (command === "fork") return acts.fork(first ?? "", turn);
  if (command === "export") {
    if (!second) return "Name the file: export SESSION FILE.";
    const options = exportOptions(second, form);
    return typeof options === "string" ? options : acts.export(first ?? "", resolve(second), options);
  }
  if (scope === "everything") return acts.forgetEverything();
  return scope === "workspace" ? acts.forgetWorkspace() : acts.forgetSession(first ?? "");
}

/** Findings on standard error, the outcome on standard output; a session that was made is the last line. */
function tell(told: Told | Made): number {
  for (const line of told.lines) complain(line, 0);
  print(told.summary, 0);
  if ("session" in told && told.session !== null) print(told.session, 0);
  return told.ok ? 0 : 1;
}

function judged({ code, lines, problems }: Judged): number {
  for (const problem of problems) complain(problem, 0);
  return lines.length === 0 ? code : print(lines.join("\n"), code);
}

/** The newest first. */
async function listSessions(store: Sessions, json: boolean): Promise<number> {
  const listed = await store.list();
  if (json) return print(JSON.stringify(listed), 0);
  if (listed.length === 0) return complain(NO_SESSIONS, 1);
  const lines = listed.map(
    ({ session, startedAt, title }) =>
      `${session}  ${new Date(startedAt).toLocaleString()}  ${harmlessLines(title).replaceAll("\n", " ")}`,
  );
  return print(lines.join("\n"), 0);
}

const NO_SESSIONS = "There are no sessions in this workspace yet. Use cloakroom run first.";

async function show(store: Sessions, session: string | undefined): Promise<number> {
  if (session === undefined) return complain(NO_SESSIONS, 1);
  const { events, problem } = await store.evidence(session);
  const view = projectSession(events);
  if (problem !== null) complain(`The session log is damaged: ${problem}. What follows is not shown.`, 1);
  return view
    ? print(`${session}: ${reportOf(view).join("\n")}`, problem === null ? 0 : 1)
    : complain("The session log has no beginning.", 1);
}

function print(text: string, code: number): number {
  process.stdout.write(`${shown(text)}\n`);
  return code;
}

function complain(text: string, code: number): number {
  process.stderr.write(`${shown(text)}\n`);
  return code;
}

/** A title or a text may be anybody's: a terminal obeys nothing in it. */
function shown(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (cause) {
  const wrong = parseProblem(cause);
  const isOurs = cause instanceof Failure;
  const said = wrong ?? (isOurs ? cause.message : String((cause as Error).stack ?? cause));
  process.exitCode = complain(said, wrong === null ? 1 : 2);
}
