/** The editor's side of the inspector over a store on disk: the real controller, page and answers; runs are what a bench writes. */
import { WATCHED } from "../../src/agent/runSession";
import type { Handle } from "../../src/schema/claim";
import type { SessionEvent } from "../../src/schema/event";
import type { ChatModel } from "../../src/schema/model";
import type { TokenCounter } from "../../src/schema/tokens";
import { sha256 } from "../../src/store/digest";
import type { OpenSession } from "../../src/store/openSession";
import { limitsOf } from "../../src/store/room";
import { Sessions } from "../../src/store/sessions";
import type { InspectorActs, PagePorts } from "../../src/vscode/inspectorPage";
import type { SessionController } from "../../src/vscode/sessionController";
import type { SessionHost } from "../../src/vscode/sessionHost";
import { standInForVscode } from "./vscodeStandIn";

const clock = { now: () => Date.now() };
const WORKSPACE = "file:///bench";
const LIMITS = limitsOf(2048, 128);

/** What a run does: `append` tells it to whoever watches, as the loop's log does. */
export type Written = {
  readonly session: Pick<OpenSession, "id" | "put">;
  readonly append: (event: SessionEvent) => Promise<void>;
};
export type Work = (written: Written) => Promise<void>;

export type HostSide = {
  readonly sessions: SessionController;
  readonly ports: PagePorts;
  /** Runs a session, a new one where `session` is null; its name. Its snapshot is written at the end, as by any run. */
  run(session: string | null, work: Work): Promise<string>;
  /** Milliseconds that reading sessions took since the last time. */
  readMs(): number;
  /** Of the last run's end. */
  readonly snapshotMs: number;
};

const openStore = (root: string) => Sessions.open(root, WORKSPACE, clock, LIMITS);

/** A window's host: it has read nothing yet. */
export async function openHostSide(root: string): Promise<HostSide> {
  standInForVscode();
  const { SessionController } = await import("../../src/vscode/sessionController");
  const { InspectorAnswers } = await import("../../src/vscode/inspectorAnswers");
  const { InspectorReplays } = await import("../../src/vscode/inspectorReplays");
  let work: Work = async () => undefined;
  let snapshotMs = 0;
  const host = hostOver(
    root,
    (written) => work(written),
    (elapsedMs) => {
      snapshotMs = elapsedMs;
    },
  );
  const sessions = new SessionController(host);
  const timed = timedReads(sessions);
  const replays = new InspectorReplays({
    ...{
      events: (session) => sessions.reads.events(session),
      recorded: unused,
      tokens: async () => NO_TOKENS,
    },
    hash: sha256,
  });
  return {
    sessions,
    ports: {
      sessions,
      answers: new InspectorAnswers(sessions, replays, String),
      ...{ acts: NO_ACTS, problemOf: String, isFirstStored: () => false, analysisOf: () => null },
    },
    run: async (session, given) => {
      work = given;
      const nothing = { onStarted: () => undefined, onAsked: () => undefined, onProgress: () => undefined };
      const request = { session, question: "", model: NO_MODEL, ...nothing };
      return (await sessions.run(request, new AbortController())).session;
    },
    readMs: timed,
    get snapshotMs() {
      return snapshotMs;
    },
  };
}

function timedReads(sessions: SessionController): () => number {
  let elapsedMs = 0;
  const read = sessions.fold.bind(sessions);
  sessions.fold = async (...given) => {
    const begun = performance.now();
    try {
      return await read(...given);
    } finally {
      elapsedMs += performance.now() - begun;
    }
  };
  return () => {
    const taken = elapsedMs;
    elapsedMs = 0;
    return taken;
  };
}

/** Opens the store each time, as the editor does. */
const hostOver = (root: string, work: Work, onSnapshot: (elapsedMs: number) => void): SessionHost => ({
  check: async () => undefined,
  list: async () => (await openStore(root)).list(),
  read: async (session) => {
    const { restored, ...read } = await (await openStore(root)).read(session, WATCHED);
    return { before: restored, ...read };
  },
  events: async (session) => (await openStore(root)).events(session),
  eventsAbout: async (session, needles) => (await openStore(root)).eventsAbout(session, needles),
  eventsWith: async (session, text) => (await openStore(root)).eventsWith(session, text),
  content: async (session, handle) => (await openStore(root)).content(session, handle),
  window: async (session: string, handle: Handle, offset, chars) =>
    (await openStore(root)).window(session, handle, offset, chars),
  find: async (...what) => (await openStore(root)).find(...what),
  charOfLine: async (...what) => (await openStore(root)).charOfLine(...what),
  opensAs: async () => "itself",
  act: unused,
  run: async ({ session: id, watch, watched }) => {
    const store = await openStore(root);
    const session =
      id === null
        ? await store.create({ workspace: "bench", title: "A long session" })
        : await store.open(id, [WATCHED]);
    try {
      watch(session.id, session.events, session.restored?.[WATCHED]);
      await work({ session, append: async (event) => watch(session.id, [await session.append(event)]) });
      const begun = performance.now();
      await session.snapshot(() => ({ [WATCHED]: watched() }));
      onSnapshot(performance.now() - begun);
      return { session: session.id, end: { end: "answered", message: "" } };
    } finally {
      await session.close();
    }
  },
});

const unused = async (): Promise<never> => {
  throw new Error("not in this bench");
};
const NO_ACTS = {} as InspectorActs;
const NO_TOKENS: TokenCounter = { name: "none", count: () => 0 };
const NO_MODEL = {} as ChatModel;
