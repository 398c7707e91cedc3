/** The same core without an editor: `cloakroom run` and `cloakroom show`. Results on standard output, problems on standard error. */
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fetchResult } from "./agent/retrieve";
import { runSession } from "./agent/runSession";
import { projectSession } from "./inspector/project";
import { reportOf } from "./inspector/report";
import { readScript } from "./models/readScript";
import { createScriptedModel } from "./models/scripted";
import { Failure } from "./schema/failure";
import { LimitMode } from "./schema/policy";
import { DEFAULT_SETTINGS } from "./schema/settings";
import { sha256 } from "./store/digest";
import { Sessions } from "./store/sessions";
import { builtinPolicy } from "./thimble/builtin";
import { createWorkspaceTools } from "./tools/createWorkspaceTools";
import { nodeEditor } from "./tools/nodeEditor";
import { openNodeWorkspace } from "./tools/nodeWorkspace";
import { findRipgrep } from "./tools/ripgrep";

const USAGE = `cloakroom run --script FILE --workspace DIR [--question TEXT] [--limits off|observe|enforce]
              [--allow] [--session ID] [--store DIR] [--ephemeral]
cloakroom show [SESSION] --workspace DIR [--store DIR]

run     runs a session with the replies of a script and real tools, then prints it turn by turn
show    prints a session of that workspace, the newest one without SESSION
--allow runs edits and commands unasked; without it they are refused, because there is nobody to ask`;

const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
};

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
      session: { type: "string" },
      store: { type: "string" },
      ephemeral: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [command, name] = positionals;
  if (values.help) return print(USAGE, 0);
  if (command !== "run" && command !== "show") return complain(USAGE, 2);
  if (values.workspace === undefined) return complain("Name the workspace: --workspace DIR.", 2);

  const workspace = resolve(values.workspace);
  const root = values.ephemeral
    ? await mkdtemp(join(tmpdir(), "cloakroom-"))
    : resolve(values.store ?? join(homedir(), ".cloakroom"));
  try {
    const store = await Sessions.open(root, workspace, clock);
    if (command === "run") return await run(store, workspace, values);
    return await show(store, name ?? (await store.list())[0]?.session);
  } finally {
    if (values.ephemeral) await rm(root, { recursive: true, force: true });
  }
}

type RunOptions = {
  readonly script?: string | undefined;
  readonly question: string;
  readonly limits: string;
  readonly allow: boolean;
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
  const { session, end } = await runSession(
    {
      store,
      session: values.session
        ? { kind: "existing", id: values.session }
        : { kind: "new", workspace: basename(workspace) },
      question: values.question,
      configuration: {
        settings: { ...DEFAULT_SETTINGS, limits: { mode: mode.data, hardMaximum: null } },
        policy: builtinPolicy(sha256),
        intent: null,
      },
      ports: {
        model: createScriptedModel(await readScript(values.script, "--script"), clock.sleep),
        tools: [...tools, fetchResult],
        approver: { isTrusted: () => true, ask: async () => ({ granted: values.allow, by: "rule", reason }) },
        clock,
        hash: sha256,
        watcher: { replyText: () => undefined, toolProgress: () => undefined },
      },
      watch: () => undefined,
    },
    stop.signal,
  );
  await show(store, session);
  if (end.end === "answered") return 0;
  return complain(end.message, end.end === "stopped" ? 130 : 1);
}

async function show(store: Sessions, session: string | undefined): Promise<number> {
  if (session === undefined)
    return complain("There are no sessions in this workspace yet. Use cloakroom run first.", 1);
  const view = projectSession(await store.events(session));
  return view
    ? print(`${session}: ${reportOf(view).join("\n")}`, 0)
    : complain("The session log has no beginning.", 1);
}

function print(text: string, code: number): number {
  process.stdout.write(`${text}\n`);
  return code;
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (cause) {
  const isWords = (cause as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") === true;
  const isOurs = cause instanceof Failure || isWords;
  process.exitCode = complain(
    isOurs ? (cause as Error).message : String((cause as Error).stack ?? cause),
    isWords ? 2 : 1,
  );
}
