/** A page of the inspector in a real browser, with the editor's side in this process: messages go as JSON text, and are counted. */
import type { Browser, CDPSession, Page } from "playwright-core";
import type { FromView, ToView } from "../../src/schema/inspector";
import { byteLength } from "../../src/schema/text";
import { openInspector } from "../../test/support/inspectorPage";
import type { HostSide } from "./benchHost";
import { installProbe, type Probe } from "./probe";

type Sent = { readonly type: ToView["type"]; readonly bytes: number };
type Listener = (message: unknown) => unknown;

export type BenchPage = {
  readonly page: Page;
  readonly devtools: CDPSession;
  /** What the host sent, in order. */
  readonly sent: Sent[];
  reveal(session: string, key: string): void;
  /** Resolves when all that a page begins with was told anew. */
  refreshed(): Promise<void>;
  /** Resolves when the page says that what was expected is painted. */
  painted(): Promise<void>;
  /** Asks the probe in the page. */
  ask<T>(what: (probe: Probe) => T | Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** A page that was asked for and nothing else; the host reads the session once the page says that it is ready. */
export async function openBenchPage(
  browser: Browser,
  bundle: ReadonlyMap<string, Uint8Array>,
  host: HostSide,
  session: string,
): Promise<BenchPage> {
  const { InspectorPage } = await import("../../src/vscode/inspectorPage");
  const sent: Sent[] = [];
  let listener: Listener = () => undefined;
  let onPainted = () => {};
  let isClosed = false;
  let devtools: CDPSession | undefined;
  const webview = {
    onDidReceiveMessage: (given: Listener) => {
      listener = given;
      return { dispose: () => undefined };
    },
    postMessage: async (message: ToView) => {
      const text = JSON.stringify(message);
      if (isClosed) return false;
      sent.push({ type: message.type, bytes: byteLength(text) });
      await devtools?.send("Runtime.evaluate", { expression: `fromHost(${JSON.stringify(text)})` });
      return true;
    },
  };
  const own = new InspectorPage(webview as never, host.ports, session, false);
  const prepare = async (page: Page) => {
    devtools = await page.context().newCDPSession(page);
    devtools.on("Runtime.bindingCalled", ({ payload }) => {
      const message = JSON.parse(payload) as FromView | { type: "bench-painted" };
      if (message.type === "bench-painted") onPainted();
      else void listener(message);
    });
    await devtools.send("Runtime.enable");
    await devtools.send("Runtime.addBinding", { name: "toHostText" });
    await page.addInitScript(`globalThis.__name = (given) => given;(${installProbe})()`);
  };
  const viewport = { width: 400, height: 900 };
  const { page, problems } = await openInspector(browser, bundle, { viewport, prepare });
  if (devtools === undefined) throw new Error("the page was not prepared");
  return {
    ...{ page, devtools, sent },
    reveal: (...row) => own.reveal(...row),
    refreshed: () => own.refresh(),
    painted: () =>
      new Promise((resolve) => {
        onPainted = resolve;
      }),
    ask: (what) => page.evaluate(`(${what})(window.probe)`),
    close: async () => {
      own.dispose();
      isClosed = true;
      await page.context().close();
      if (problems.length > 0) throw new Error(problems.join("\n"));
    },
  };
}
