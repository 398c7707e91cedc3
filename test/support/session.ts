// test/support: what a person does with a session in the workbench, and what it left on disk.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Frame } from "playwright-core";
import type { Logged } from "../../src/schema/event";
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

/** Opens a row of the inspector's tree by its name, as a click on it does. */
export async function showRow(frame: Frame, name: RegExp): Promise<void> {
  const row = frame.getByRole("treeitem", { name }).first();
  await row.waitFor();
  if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
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
