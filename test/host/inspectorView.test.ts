// test/host: the inspector's host side. A webview is outside the house: what it sends is parsed, and names no command.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Logged } from "../../src/schema/event";
import { FromView, type ToView, type ToViewOf } from "../../src/schema/inspector";
import { ASKED, InspectorAnswers } from "../../src/vscode/inspectorAnswers";
import type { InspectorActs } from "../../src/vscode/inspectorPage";
import { InspectorReplays } from "../../src/vscode/inspectorReplays";
import { InspectorView } from "../../src/vscode/inspectorView";
import { SessionController } from "../../src/vscode/sessionController";
import type { SessionHost } from "../../src/vscode/sessionHost";

/** A webview's place in the side bar, as VS Code gives it to a provider. */
function placeFor(view: InspectorView) {
  const received = new vscode.EventEmitter<unknown>();
  const disposed = new vscode.EventEmitter<void>();
  const visibility = new vscode.EventEmitter<void>();
  const posted: ToView[] = [];
  const webview: vscode.Webview = {
    options: {},
    html: "",
    cspSource: "https://csp.example",
    asWebviewUri: (uri) => uri,
    onDidReceiveMessage: received.event,
    postMessage: async (message: ToView) => posted.push(message) > 0,
  };
  const place = {
    viewType: "cloakroom.inspector",
    webview,
    visible: true,
    onDidDispose: disposed.event,
    onDidChangeVisibility: visibility.event,
    show: () => {},
  };
  view.resolveWebviewView(place, { state: undefined });
  return { webview, posted, send: (message: unknown) => received.fire(message), disposed };
}

const STARTED: Logged = {
  ...{ type: "session_started", format: 1, session: "s1", tenant: "t", workspace: "work", title: "A title" },
  ...{ salt: "0".repeat(32), n: 0, at: 1, origin: "loop" },
};
const nothing = async () => {
  throw new Error("nobody asks for this");
};

/** A house that has one session, whose list is read by `list`. */
function opened(list: SessionHost["list"]) {
  const called: unknown[] = [];
  const shown: readonly string[] = [...ASKED, "ready", "selectSession"];
  const names = FromView.options
    .map((option) => option.shape.type.value)
    .filter((name) => !shown.includes(name));
  const act = async (message: unknown) => void called.push(message);
  const acts = Object.fromEntries(names.map((name) => [name, act])) as unknown as InspectorActs;
  const host: SessionHost = {
    ...{ check: nothing, events: nothing, eventsAbout: nothing, eventsWith: nothing, content: nothing },
    ...{ window: nothing, find: nothing, charOfLine: nothing, opensAs: nothing, run: nothing, act: nothing },
    list,
    read: async () => ({ before: undefined, events: [STARTED], problem: null }),
  };
  const sessions = new SessionController(host);
  const problemOf = (cause: unknown) => String(cause);
  const ports = { events: nothing, recorded: nothing, tokens: nothing, hash: nothing as never };
  const answers = new InspectorAnswers(sessions, new InspectorReplays(ports), problemOf);
  const page = { sessions, answers, acts, problemOf, isFirstStored: () => false, analysisOf: () => null };
  const view = new InspectorView(vscode.Uri.file("/extension"), page, () => "0123456789abcdef");
  return { view, sessions, called, ...placeFor(view) };
}

const rowNamed = (title: string) => ({ session: "s1", title, startedAt: 1, changedAt: 1 });
const listsIn = (posted: readonly ToView[]) =>
  posted.filter((message): message is ToViewOf<"sessions"> => message.type === "sessions");

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

suite("the inspector's host side", () => {
  test("messages that are not in FromView are ignored, whatever they look like", async () => {
    const { called, posted, send, view } = opened(async () => []);
    const handle = `claim:${"0".repeat(32)}`;
    for (const message of [
      null,
      undefined,
      "startSession",
      42,
      [],
      {},
      { type: "executeCommand", command: "workbench.action.quit" },
      { type: "cloakroom.startSession" },
      { type: "workbench.action.terminal.new" },
      { type: "constructor" },
      { type: "__proto__" },
      { type: ["startSession"] },
      { type: "openStored", session: "20261129-204812-aa", handle: "/etc/passwd" },
      { type: "openStored", session: "s".repeat(65), handle },
      { type: "openStored", handle },
      { type: "stopSession", session: 1 },
    ]) {
      send(message);
    }
    await settled();
    assert.deepEqual([called, posted], [[], []]);
    send({ type: "openStored", session: "20261129-204812-aa", handle, command: "workbench.action.quit" });
    await settled();
    assert.deepEqual(called, [{ type: "openStored", session: "20261129-204812-aa", handle }]); // and nothing more
    view.dispose();
  });

  test("the page may run its own script and nothing else, and no command", () => {
    const { webview, view } = opened(async () => []);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(webview.html)?.[1] ?? "";
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /script-src 'nonce-0123456789abcdef'$/);
    assert.doesNotMatch(policy, /unsafe|connect-src|img-src|frame-src/);
    assert.doesNotMatch(webview.html, /command:|https?:\/\/(?!csp\.example)/);
    const { enableCommandUris, localResourceRoots } = webview.options;
    assert.equal(enableCommandUris, undefined);
    assert.deepEqual(
      localResourceRoots?.map(({ path }) => path),
      ["/extension/dist/webview"],
    );
    view.dispose();
  });

  test("a list that took longer to read never replaces a newer one", async () => {
    const answers: ((rows: ReturnType<typeof rowNamed>[]) => void)[] = [];
    const { send, posted, view } = opened(() => new Promise((resolve) => answers.push(resolve)));
    send({ type: "ready" });
    send({ type: "ready" });
    await settled();
    assert.equal(answers.length, 1); // one after the other
    answers[0]?.([rowNamed("first")]);
    while (answers.length < 2) await settled();
    answers[1]?.([rowNamed("second")]);
    await settled();
    await settled();
    assert.deepEqual(
      listsIn(posted).map(({ sessions }) => sessions[0]?.title),
      ["first", "second"],
    );
    view.dispose();
  });

  test("a page is told the session whole once, then only what changed; what it asks about another is not mixed in", async () => {
    const { send, posted, view } = opened(async () => [rowNamed("A title")]);
    send({ type: "ready" });
    await settled();
    await settled();
    const first = posted.find((message) => message.type === "opened");
    assert.equal(first?.head.title, "A title");
    send({ type: "wantRows", session: "s1", from: 0, count: 10 });
    await settled();
    assert.deepEqual(posted.at(-1), { type: "rows", session: "s1", rows: [] });
    view.dispose();
  });

  test("what keeps the list from being read is shown in its place", async () => {
    const { send, posted, view } = opened(async () => {
      throw new Error("the disk is gone");
    });
    send({ type: "ready" });
    await settled();
    assert.deepEqual(
      listsIn(posted).map(({ problem }) => problem),
      ["Error: the disk is gone"],
    );
    view.dispose();
  });
});
