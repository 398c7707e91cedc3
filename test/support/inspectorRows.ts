// test/support: the inspector's page in the workbench: its rows, their details and what can be done with them, by mouse and by keyboard.
import assert from "node:assert/strict";
import type { Frame, Locator } from "playwright-core";
import { openInspector, until } from "./session";
import type { Harness } from "./workbench";

const MOST_KEYS = 80;

/** The first row with that name, or the one with that key, wherever in the tree: only rows near what is in sight are on the page. */
export function rowInTree(frame: Frame, name: RegExp | string): Promise<Locator> {
  const row =
    typeof name === "string"
      ? frame.locator(`.row[data-key="${name}"]`)
      : frame.getByRole("treeitem", { name }).first();
  return until(`the tree has ${name}`, async () => {
    if (await row.isVisible()) return row;
    for (let page = 0, isMore = true; isMore; page += 1) {
      isMore = await frame.evaluate(scrolledTo, page);
      if (await row.isVisible()) return row;
    }
    return null;
  });
}

/** In the page: shows the tree's page of that number; false: there is none after it. */
async function scrolledTo(page: number): Promise<boolean> {
  const tree = document.querySelector("#tree");
  if (tree === null) return false;
  tree.scrollTo(0, page * tree.clientHeight);
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame); // drawn
  return (page + 1) * tree.clientHeight < tree.scrollHeight;
}

/** Opens a row by its name, as a click on it does. */
export async function showRow(frame: Frame, name: RegExp | string): Promise<void> {
  const row = await rowInTree(frame, name);
  if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
}

/** Clicks a row and waits until its details are shown. What has rows below it is open then. */
export async function selectRow(frame: Frame, name: RegExp | string): Promise<string> {
  const row = await rowInTree(frame, name);
  const key = (await row.getAttribute("data-key")) ?? "";
  const wasOpen = (await row.getAttribute("aria-expanded")) === "true";
  await row.click();
  if (wasOpen) await frame.locator(`.row[data-key="${key}"]`).click();
  await frame.locator(`#details[data-key="${key}"]`).waitFor();
  return key;
}

/** A button of the selected row. */
export const actOf = (frame: Frame, action: string): Locator =>
  frame.locator(`#details .acts [data-action="${action}"]`);

/** A button at the top of the page; what has no room is in the menu. */
export async function pressCommand(frame: Frame, action: string): Promise<void> {
  const button = frame.locator(`.buttons [data-action="${action}"]`);
  await button.waitFor({ state: "attached" });
  if (!(await button.isVisible())) await frame.locator('.buttons [data-action="more"]').click();
  await button.click();
}

/** The name of what has the keyboard in the page, of the tree that of its active row; null: the page has not. */
export const focusedName = (frame: Frame): Promise<string | null> =>
  frame.evaluate(() => {
    const focused = document.hasFocus() ? document.activeElement : null;
    const active = focused?.getAttribute("aria-activedescendant") ?? null;
    const named = active === null ? focused : document.getElementById(active);
    return named?.getAttribute("aria-label") ?? named?.textContent?.trim() ?? null;
  });

/** Presses Tab, or Shift and Tab where it stands before, until it has the keyboard, which goes to the side bar first. */
export async function tabTo(harness: Harness, frame: Frame, selector: string): Promise<void> {
  // Of the page itself the browser that is driven says that it has the keyboard, always.
  const hasKeyboard = () => harness.page.evaluate(() => document.activeElement instanceof HTMLIFrameElement);
  if (!(await hasKeyboard())) await openInspector(harness);
  await until("the page has the keyboard", hasKeyboard);
  await frame.locator(selector).first().waitFor({ state: "attached" });
  for (let presses = 0; presses < MOST_KEYS; presses += 1) {
    const key = await frame.evaluate(keyTo, selector);
    if (key === null) return;
    await harness.page.keyboard.press(key);
  }
  assert.fail(`Tab does not lead to ${selector}, but to ${await focusedName(frame)}`);
}

/** In the page: the key that leads towards it; null: it has the keyboard. */
function keyTo(selector: string): string | null {
  const [focused, wanted] = [document.activeElement, document.querySelector(selector)];
  if (focused === null || wanted === null || focused === document.body) return "Tab";
  if (focused === wanted) return null;
  const isBefore = (focused.compareDocumentPosition(wanted) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  return isBefore ? "Shift+Tab" : "Tab";
}

/** From the top of the tree, each row below the one before, which is opened. */
export async function keysToRow(harness: Harness, frame: Frame, ...names: readonly RegExp[]): Promise<void> {
  const { page } = harness;
  await tabTo(harness, frame, "#tree");
  await page.keyboard.press("Home");
  for (const [at, name] of names.entries()) {
    for (let presses = 0; !name.test((await focusedName(frame)) ?? ""); presses += 1) {
      assert.ok(presses < MOST_KEYS, `the arrows do not lead to ${name}, but to ${await focusedName(frame)}`);
      await page.keyboard.press("ArrowDown");
    }
    const row = frame.locator(".row.focused");
    const isClosed = at < names.length - 1 && (await row.getAttribute("aria-expanded")) === "false";
    if (!isClosed) continue;
    await page.keyboard.press("ArrowRight");
    await frame.locator('.row[aria-busy="true"]').first().waitFor({ state: "detached" });
  }
}

/** Goes to a row and presses one of its buttons, without a mouse. */
export async function actByKeys(
  harness: Harness,
  frame: Frame,
  names: readonly RegExp[],
  action: string,
): Promise<void> {
  await keysToRow(harness, frame, ...names);
  await tabTo(harness, frame, `#details .acts [data-action="${action}"]`);
  await harness.page.keyboard.press("Enter");
}
