// test/support: a host for the inspector's page: it answers what is asked for out of one session, and remembers everything.
import type { Page } from "playwright-core";
import type { FromView, ToView } from "../../src/schema/inspector";
import { type FakeSession, openedWith, rowFrom, sessionsWith } from "./inspectorViews";

const places = (from: number, count: number, turnCount: number): number[] =>
  Array.from({ length: count }, (_, at) => from + at).filter((at) => at < turnCount);

/** What a host says to a message; empty: nothing. */
export function answerTo(given: FakeSession, message: FromView): ToView[] {
  const { head, turnCount, turn } = given;
  const { session } = head;
  switch (message.type) {
    case "ready":
      return [sessionsWith([head]), openedWith(given)];
    case "wantRows": {
      const rows = places(message.from, message.count, turnCount).map((at) => rowFrom(at, turn(at)));
      return [{ type: "rows", session, rows }];
    }
    case "wantTurns":
      return [{ type: "turns", session, turns: message.places.map((at) => ({ at, turn: turn(at) })) }];
    case "wantDetails":
      return [{ type: "details", session, details: given.details(message.key) }];
    case "find":
      return [found(given, message)];
    default:
      return [];
  }
}

/** Looks in what was asked, and in the names of the tools. */
function found({ head, turnCount, turn }: FakeSession, { query, what }: FromView & { type: "find" }): ToView {
  const turns = places(0, turnCount, turnCount).flatMap((at) => {
    const { turn: number, asked, calls } = turn(at);
    const key = `${head.session}/t${number}`;
    const keys = [
      ...(what.text !== "" && asked?.includes(what.text) ? [`${key}/asked`] : []),
      ...calls.filter(({ tool }) => tool === what.tool).map(({ call }) => `${key}/${call}`),
    ];
    return keys.length === 0 ? [] : [{ at, keys }];
  });
  const total = turns.reduce((sum, { keys }) => sum + keys.length, 0);
  return { type: "found", session: head.session, query, found: { turns, total, isCut: false } };
}

/** Sends messages as the host does, and waits for the frame that shows them. */
export async function send(page: Page, ...messages: readonly ToView[]): Promise<void> {
  for (const message of messages) await page.evaluate((data) => window.postMessage(data, "*"), message);
  await settled(page);
}

/** Two frames: one that renders, one in which what it asked for may have come. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });

export const sentBy = (page: Page): Promise<FromView[]> =>
  page.evaluate(() => (window as unknown as { sent: FromView[] }).sent);

export const acts = async (page: Page): Promise<FromView[]> =>
  (await sentBy(page)).filter(({ type }) => !/^(ready|want(Rows|Turns|Details))$/.test(type));
