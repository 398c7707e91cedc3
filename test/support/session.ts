// test/support: what a person does with a session in the workbench, and what it left on disk.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import type { EventOf, EventType, Logged } from "../../src/schema/event";
import { readChain } from "../../src/store/chain";
import type { Harness } from "./workbench";

/** Opens the inspector from the palette and waits for its page: while it loads it takes the focus, and pickers close. */
export async function openInspector({ run, webview }: Harness): Promise<Frame> {
  await run("Cloakroom: Open Context Inspector");
  return webview("#summary, #empty");
}

/** Starts a session from the palette and types its task. Resolves once the task was taken. */
export async function startSession({ run, answer }: Harness, task: string): Promise<void> {
  await run("Cloakroom: Start Session…");
  await answer("Start Session: Task", task);
}

/** Answers Cloakroom's quick pick by the label that stands in it. */
export async function choose({ page }: Harness, label: string): Promise<void> {
  const rows = page.locator(".quick-input-list .monaco-list-row .label-name");
  await rows.getByText(label, { exact: true }).first().click();
}

/** Types a path into VS Code's own file dialog, which first shows a folder, and takes it. */
export async function chooseFile({ page }: Harness, title: string, file: string): Promise<void> {
  const widget = page.locator(".quick-input-widget").filter({ has: page.getByText(title, { exact: true }) });
  const input = widget.locator(".quick-input-box input").first();
  await widget.locator(".monaco-list-row").first().waitFor();
  let looks = 0; // while it reads its folder it replaces what is typed
  await until("the dialog keeps the path", async () => {
    if ((await input.inputValue()) === file) return ++looks > 4;
    await input.fill(file);
    looks = 0;
    return false;
  });
  await page.keyboard.press("Enter");
  await widget.waitFor({ state: "hidden" });
}

/** Opens a file of the workspace as a person does, and leaves the cursor in it. */
export async function openFile({ page, run }: Harness, name: string): Promise<void> {
  await run("View: Close All Editors");
  await page.keyboard.press("Control+P");
  const input = page.locator(".quick-input-widget .quick-input-box input").first();
  await input.fill(name);
  await page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name }).first().click();
  await page.locator(".tab.active").filter({ hasText: name }).waitFor();
  await page
    .locator(".editor-instance .monaco-editor.focused, .editor-instance .monaco-editor")
    .first()
    .click();
}

/** The logs below VS Code's user data, newest session last. */
export function sessionLogs(
  userData: string,
): readonly { readonly folder: string; readonly events: readonly Logged[] }[] {
  const root = path.join(userData, "User", "globalStorage", "cloakroom.cloakroom", "tenants");
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => path.basename(name) === "log.jsonl")
    .map((name) => path.join(root, name))
    .sort((a, b) => statSync(a).birthtimeMs - statSync(b).birthtimeMs)
    .map((file) => ({ folder: path.dirname(file), events: readChain(readFileSync(file)).events }));
}

/** Waits until the newest session's log ends with `run_ended` for the `runs`th time, and returns its events. */
export async function endedSession(
  harness: Harness,
  runs = 1,
  timeoutMs = 30_000,
): Promise<readonly Logged[]> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const events = newest(harness.userData);
    if (events.filter(({ type }) => type === "run_ended").length >= runs) return events;
    if (Date.now() > untilMs) throw new Error(`the session did not end: ${events.at(-1)?.type ?? "no log"}`);
    await harness.page.waitForTimeout(100);
  }
}

function newest(userData: string): readonly Logged[] {
  try {
    return sessionLogs(userData).at(-1)?.events ?? [];
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return []; // nothing was stored yet
    throw cause;
  }
}

/** The events of one type, in order. */
export function eventsOf<T extends EventType>(events: readonly Logged[], type: T): (Logged & EventOf<T>)[] {
  return events.filter((event): event is Logged & EventOf<T> => event.type === type);
}

/** Waits for a state that `look` finds. Never for a time: a busy machine takes longer. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeoutMs = 30_000,
  everyMs = 50,
): Promise<T> {
  const untilMs = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > untilMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** A session on disk, as its log grows. */
export class LoggedSession {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  get events(): readonly Logged[] {
    return readChain(readFileSync(path.join(this.folder, "log.jsonl"))).events;
  }

  /** The events so far, once `isThere` finds what it looks for among them. */
  until(what: string, isThere: (events: readonly Logged[]) => boolean): Promise<readonly Logged[]> {
    return until(what, () => {
      const { events } = this;
      return isThere(events) ? events : null;
    }).catch((cause) => {
      throw new Error(`the log ends with ${JSON.stringify(this.events.at(-1))}`, { cause });
    });
  }

  /** Resolves with all events when the run has ended for the `runs`th time. */
  ended(runs = 1): Promise<readonly Logged[]> {
    return this.until(
      `run ${runs} ended`,
      (events) => events.filter(({ type }) => type === "run_ended").length >= runs,
    );
  }
}

const knownLogs = (userData: string): readonly string[] => {
  try {
    return sessionLogs(userData).map(({ folder }) => folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return []; // nothing was stored yet
    throw cause;
  }
};

/** Starts a session from the palette and resolves when its log is on disk. */
export async function beginSession(harness: Harness, task: string): Promise<LoggedSession> {
  const before = knownLogs(harness.userData);
  await startSession(harness, task);
  return newSession(harness, before);
}

/** Resolves when there is a session that is not among `before`. */
export async function newSession(harness: Harness, before: readonly string[]): Promise<LoggedSession> {
  const folder = await until("the session has a log", () =>
    knownLogs(harness.userData).find((name) => !before.includes(name)),
  );
  return new LoggedSession(folder);
}

/** The folders of all sessions there are. */
export const sessionFolders = ({ userData }: Harness): readonly string[] => knownLogs(userData);

/** Waits for the picker with that title and returns its rows. */
export async function pickerRows({ page }: Harness, title: string | RegExp): Promise<string[]> {
  const widget = page.locator(".quick-input-widget").filter({ has: page.getByText(title) });
  await widget.waitFor({ state: "visible" });
  // A row's first name is its label; what may follow is its detail.
  return widget
    .locator(".monaco-list-row")
    .evaluateAll((rows) => rows.map((row) => row.querySelector(".label-name")?.textContent?.trim() ?? ""));
}

/** Waits for a notification with these words and returns its text and its buttons; `press` clicks one of them. */
export async function notification({ page }: Harness, words: string | RegExp) {
  const item = page
    .locator(".notifications-toasts .notification-list-item")
    .filter({ hasText: words })
    .first();
  await item.waitFor({ state: "visible" });
  return {
    text: (await item.locator(".notification-list-item-message").allInnerTexts()).join("").trim(),
    buttons: await item.locator(".notification-list-item-buttons-container .monaco-button").allInnerTexts(),
    press: (label: string) => item.getByRole("button", { name: label, exact: true }).click(),
  };
}

/** Closes every toast. */
export async function clearNotifications({ run, page }: Harness): Promise<void> {
  await run("Notifications: Clear All Notifications");
  await page.locator(".notifications-toasts .notification-list-item").first().waitFor({ state: "hidden" });
}

/** Whether a process is there (and not merely waiting to be collected). */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}

/**
 * Changes settings on disk; undefined takes one away. Those of the machine (of scope "window" and "machine") are noticed
 * by and by, the user's own when a window opens.
 */
export function changeSettings({ userData }: Harness, changes: Readonly<Record<string, unknown>>): void {
  for (const place of ["User", "Machine"]) {
    const file = path.join(userData, place, "settings.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...changes }, null, 2));
  }
}

/** Tries to start a session until VS Code says these words instead of asking for the task: a changed setting takes effect late. */
export async function startIsRefused(harness: Harness, words: string | RegExp) {
  const { page } = harness;
  const toast = page
    .locator(".notifications-toasts .notification-list-item")
    .filter({ hasText: words })
    .first();
  const task = page.locator(".quick-input-widget").getByText("Start Session: Task", { exact: true });
  await until("a start is refused", async () => {
    await harness.run("Cloakroom: Start Session…");
    await toast.or(task).first().waitFor({ state: "visible" });
    if (await toast.isVisible()) return true;
    await page.keyboard.press("Escape");
    await task.waitFor({ state: "hidden" });
    return false;
  });
  return notification(harness, words);
}

/** Tries to start a session until the task is asked for, and leaves it at that. */
export async function startIsPossible(harness: Harness): Promise<void> {
  const { page } = harness;
  const toast = page.locator(".notifications-toasts .notification-list-item").first();
  const task = page.locator(".quick-input-widget").getByText("Start Session: Task", { exact: true });
  await until("the task is asked for", async () => {
    await harness.run("Cloakroom: Start Session…");
    await task.or(toast).first().waitFor({ state: "visible" });
    if (await task.isVisible()) return true;
    await clearNotifications(harness);
    return false;
  });
  await page.keyboard.press("Escape");
  await task.waitFor({ state: "hidden" });
}

/** Waits until VS Code has saved these words of its window's state, which it does every few moments: a reload has them then. */
export function stateSaved({ page }: Harness, words: string): Promise<boolean> {
  const isSaved = async (text: string) => {
    for (const { name } of await indexedDB.databases()) {
      if (!name?.startsWith("vscode-web-state-db")) continue;
      const values = await new Promise<unknown[]>((resolve) => {
        const opening = indexedDB.open(name);
        opening.onerror = () => resolve([]);
        opening.onsuccess = () => {
          const database = opening.result;
          if (!database.objectStoreNames.contains("ItemTable")) {
            database.close();
            return resolve([]);
          }
          const reading = database.transaction("ItemTable").objectStore("ItemTable").getAll();
          reading.onerror = () => resolve([]);
          reading.onsuccess = () => {
            database.close();
            resolve(reading.result);
          };
        };
      });
      if (values.some((value) => JSON.stringify(value).includes(text))) return true;
    }
    return false;
  };
  const seldom = 1000; // VS Code saves while it has nothing else to do
  return until(`the window's state has ${words}`, () => page.evaluate(isSaved, words), 40_000, seldom);
}

/** Reloads the window as a person does: VS Code shuts it down, and saves its state while it does. */
export async function reloadWindow({ page, run }: Harness): Promise<void> {
  await page.evaluate(() => Object.assign(window, { isBeforeReload: true }));
  await run("Developer: Reload Window");
  await page.waitForFunction(() => !("isBeforeReload" in window));
  await page.locator(".monaco-workbench .part.statusbar").waitFor();
}
