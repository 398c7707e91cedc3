/** What a page asks for is answered, or it is told why not: nothing throws, and nothing that came too late is told. */
import assert from "node:assert/strict";
import { estimatedTokens } from "../../../src/history/tokens";
import {
  findLookedAt,
  foldLookedAt,
  lineLookedAt,
  lookedAtFrom,
  windowLookedAt,
} from "../../../src/inspector/lookedAt";
import type { Handle } from "../../../src/schema/claim";
import { FromView, ToView } from "../../../src/schema/inspector";
import { InspectorAnswers } from "../../../src/vscode/inspectorAnswers";
import { InspectorReplays } from "../../../src/vscode/inspectorReplays";
import { type House, hash } from "../../support/house";
import { richHouse } from "../../support/inspectorHouse";

/** A house's session, asked as the page asks. `reads`, `finds`: how often all its events were read, a content looked through. */
function asked(house: House, isReadable = true) {
  const lookedAt = lookedAtFrom("s1", { events: house.events, contents: house.blobs as never });
  let reads = 0;
  let finds = 0;
  const { events } = lookedAt;
  const readable = <T>(value: T): T => {
    if (!isReadable) throw new Error("the disk is gone");
    return value;
  };
  const replays = new InspectorReplays({
    events: async () => {
      reads++;
      return readable(events);
    },
    recorded: async () => readable({ events, contents: house.blobs as never }),
    tokens: async () => estimatedTokens,
    hash,
  });
  const answers = new InspectorAnswers(
    {
      fold: async (session) => (session === "s1" ? foldLookedAt(lookedAt) : null),
      reads: {
        eventsAbout: async () => readable(events),
        eventsWith: async () => readable(events),
        window: async (_, handle, offset, chars) => readable(windowLookedAt(lookedAt, handle, offset, chars)),
        find: async (_, ...what) => {
          finds++;
          return readable(findLookedAt(lookedAt, ...what));
        },
        charOfLine: async (_, ...what) => readable(lineLookedAt(lookedAt, ...what)),
      },
    },
    replays,
    (cause) => `Told: ${(cause as Error).message}`,
  );
  const ask = async (message: object, page: object = replays) => {
    const answer = await answers.answer(FromView.parse({ session: "s1", ...message }) as never, page);
    return answer && ToView.parse(answer);
  };
  return { ask, replays, reads: () => reads, finds: () => finds };
}

const storedIn = (house: House): Handle =>
  house.eventsOf("tool_result_stored")[0]?.handle ?? assert.fail("nothing is stored");

test("what is looked for in a content is found around its place, once from the beginning again, and not found is said", async () => {
  const house = await richHouse();
  const handle = storedIn(house);
  const { ask, finds } = asked(house);
  const find = {
    type: "findInContent",
    handle,
    text: "NINETY days",
    direction: "next",
    offset: 60_000,
    shown: 40_000,
  };
  const found = await ask(find);
  assert.ok(found?.type === "content" && found.match && found.window);
  assert.ok(found.match.offset >= 60_000 && found.window.offset <= found.match.offset);
  const again = await ask({ ...find, offset: 92_100 });
  assert.ok(again?.type === "content" && again.match && again.match.offset < 100, "from the beginning again");
  const none = await ask({ ...find, text: "a hundred" });
  assert.ok(none?.type === "content");
  assert.deepEqual([none.match, none.search, none.problem], [null, "nothing", null]);
  assert.equal(none.window?.offset, 40_000, "what was shown stays");
  assert.deepEqual([found.search, again.search], ["found", "wrapped"]);
  const before = await ask({ ...find, direction: "previous", offset: found.match.offset });
  assert.ok(before?.type === "content" && before.match && before.match.offset < 60_000);
  const last = await ask({ ...find, direction: "previous", offset: 0 });
  assert.ok(last?.type === "content" && last.match && last.match.offset > 92_000, "from the end again");
  assert.equal(last.search, "wrapped");
  const findsBefore = finds();
  const nowhere = await ask({ ...find, text: "a hundred", offset: 0 });
  assert.ok(nowhere?.type === "content" && nowhere.search === "nothing");
  assert.equal(finds() - findsBefore, 1, "all of it was looked through");
});

test("a line is where the window begins, the last one where there are fewer, and the page is told how many there are", async () => {
  const house = await richHouse();
  const { ask } = asked(house);
  const line = async (number: number) => {
    const answer = await ask({ type: "wantLine", handle: storedIn(house), line: number });
    assert.ok(answer?.type === "content" && answer.window);
    return [answer.window.line, answer.window.totalLines, answer.window.offset];
  };
  assert.deepEqual(await line(1), [1, 1616, 0]);
  assert.deepEqual(await line(120), [120, 1616, 119 * 57]);
  assert.deepEqual(await line(9_999), [1616, 1616, 1615 * 57]);
});

test("what is not there is said: a row, a request, a message, a text, a session, an event", async () => {
  const house = await richHouse();
  const { ask } = asked(house);
  const details = await ask({ type: "wantDetails", key: "s1/x/y" });
  assert.ok(details?.type === "details");
  assert.equal(details.details.problem, "There is no such row in the log.");
  const request = await ask({ type: "wantRequest", turn: 99, from: 0 });
  assert.ok(request?.type === "request");
  assert.deepEqual([request.request, request.problem], [null, "No request left in this turn."]);
  assert.equal(await ask({ type: "wantMessage", turn: 1, at: 999, offset: 0 }), null);
  assert.equal(await ask({ type: "wantText", key: "s1/t1/t1c0", part: "Nothing", offset: 0 }), null);
  assert.equal(await ask({ type: "wantRows", session: "s2", from: 0, count: 1 }), null);
  assert.equal(await ask({ type: "revealEvent", n: 9999 }), null);
  const requested = house.eventsOf("requested")[1];
  const reveal = await ask({ type: "revealEvent", n: requested?.n });
  assert.deepEqual(reveal, { type: "reveal", session: "s1", key: "s1/t2" });
});

test("what cannot be read is told as a problem where it was asked for", async () => {
  const house = await richHouse();
  const { ask } = asked(house, false);
  const handle = storedIn(house);
  const problems = await Promise.all(
    [
      { type: "wantDetails", key: "s1/t1" },
      { type: "wantContent", handle, offset: 0 },
      { type: "findInContent", handle, text: "x", direction: "next", offset: 0, shown: 0 },
      { type: "wantLine", handle, line: 3 },
      { type: "wantRequest", turn: 1, from: 0 },
      { type: "whatIf", query: 1, knobs: null },
    ].map(async (message) => {
      const answer = await ask(message);
      return answer?.type === "details"
        ? answer.details.problem
        : answer && "problem" in answer && answer.problem;
    }),
  );
  assert.deepEqual(problems, Array(6).fill("Told: the disk is gone"));
});

test("the log is read once for what is asked of one session, and again when it changed; a what-if that was overtaken is not told", async () => {
  const house = await richHouse();
  const { ask, replays, reads } = asked(house);
  const request = { type: "wantRequest", turn: 2, from: 0 };
  const [first] = [await ask(request), await ask({ type: "wantMessage", turn: 2, at: 0, offset: 0 })];
  assert.ok(first?.type === "request" && first.request?.isExact);
  assert.equal(reads(), 1);
  replays.changed("another");
  await ask(request);
  assert.equal(reads(), 1);
  replays.changed("s1");
  await ask(request);
  assert.equal(reads(), 2);
  const [old, newest] = await Promise.all([1, 2].map((query) => ask({ type: "whatIf", query, knobs: null })));
  assert.equal(old, null);
  assert.ok(newest?.type === "whatIf" && newest.query === 2 && newest.series !== null);
  const pages = [{}, {}].map((page, at) => ask({ type: "whatIf", query: at + 1, knobs: null }, page));
  const queries = (await Promise.all(pages)).map((answer) => answer?.type === "whatIf" && answer.query);
  assert.deepEqual(queries, [1, 2], "another page's question overtakes nothing");
});

test("what is asked for with the greatest figures there are is answered at once, with no more than there is", async () => {
  const house = await richHouse();
  const { ask } = asked(house);
  const handle = storedIn(house);
  const most = Number.MAX_SAFE_INTEGER;
  const once = await ask({ type: "wantTurns", places: [0] });
  assert.deepEqual(await ask({ type: "wantTurns", places: new Array(40).fill(0) }), once);
  assert.deepEqual(await ask({ type: "wantTurns", places: [most, most] }), {
    ...{ type: "turns", session: "s1", turns: [] },
  });
  assert.deepEqual(await ask({ type: "wantRows", from: most, count: 200 }), {
    ...{ type: "rows", session: "s1", rows: [] },
  });
  const content = await ask({ type: "wantContent", handle, offset: most });
  assert.equal(content?.type === "content" && content.window?.text, "");
  const last = await ask({ type: "wantLine", handle, line: most });
  assert.ok(last?.type === "content" && last.problem === null && last.window !== null);
  for (const text of ["\u{1d4b3}".repeat(500), "(a+)+$".repeat(160)]) {
    for (const direction of ["next", "previous"]) {
      const what = { handle, text, direction, offset: most, shown: most };
      const found = await ask({ type: "findInContent", ...what });
      assert.equal(found?.type === "content" && found.search, "nothing");
    }
  }
});
