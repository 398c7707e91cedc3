// test/host: the inspector's host side. A webview is outside the house: what it sends is parsed, and names no command.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { FromView, type InspectorState, type ToView } from "../../src/schema/view";
import { type InspectorActs, InspectorView } from "../../src/vscode/inspectorView";

const EMPTY: InspectorState = { sessions: [], selected: null, problem: null };

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
  view.resolveWebviewView({
    viewType: "cloakroom.inspector",
    webview,
    visible: true,
    onDidDispose: disposed.event,
    onDidChangeVisibility: visibility.event,
    show: () => {},
  });
  return { webview, posted, send: (message: unknown) => received.fire(message), disposed };
}

function opened(state: () => Promise<InspectorState>) {
  const called: unknown[] = [];
  const names = FromView.options.map((option) => option.shape.type.value).filter((name) => name !== "ready");
  const act = async (message: unknown) => void called.push(message);
  const acts = Object.fromEntries(names.map((name) => [name, act])) as InspectorActs;
  const changed = new vscode.EventEmitter<void>();
  const source = { state, onDidChange: changed.event, problemOf: (cause: unknown) => String(cause) };
  const view = new InspectorView(vscode.Uri.file("/extension"), source, acts, () => "0123456789abcdef");
  return { view, called, changed, ...placeFor(view) };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

suite("the inspector's host side", () => {
  test("messages that are not in FromView are ignored, whatever they look like", async () => {
    const { called, posted, send, view } = opened(async () => EMPTY);
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
    const { webview, view } = opened(async () => EMPTY);
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

  test("a state that took longer to read never replaces a newer one", async () => {
    const answers: ((state: InspectorState) => void)[] = [];
    const { send, posted, view } = opened(() => new Promise((resolve) => answers.push(resolve)));
    const problem = (text: string) => ({ ...EMPTY, problem: text });
    send({ type: "ready" });
    send({ type: "ready" });
    await settled();
    answers.at(-1)?.(problem("asked last"));
    await settled();
    answers[0]?.(problem("asked first"));
    await settled();
    answers.at(-1)?.(problem("newest"));
    await settled();
    const shown = posted.map(({ state }) => state.problem);
    assert.equal(shown.at(-1), answers.length === 2 ? "newest" : "asked last", shown.join());
    view.dispose();
  });

  test("what keeps the state from being read is shown in its place", async () => {
    const { send, posted, view } = opened(async () => {
      throw new Error("the disk is gone");
    });
    send({ type: "ready" });
    await settled();
    assert.deepEqual(
      posted.map(({ state }) => state.problem),
      ["Error: the disk is gone"],
    );
    view.dispose();
  });
});
