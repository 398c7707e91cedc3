/** What a person does to a session, running or not: pin, shorten, forget, in a real store. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ActQueue } from "../../../src/agent/actQueue";
import { perform } from "../../../src/agent/acts";
import { Conversation } from "../../../src/agent/conversation";
import { foldHistory } from "../../../src/history/fold";
import { projectSession } from "../../../src/inspector/project";
import type { ScriptReply } from "../../../src/models/script";
import type { Handle } from "../../../src/schema/claim";
import type { Logged } from "../../../src/schema/event";
import type { Failure } from "../../../src/schema/failure";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { StoreCare } from "../../../src/store/care";
import { sha256 } from "../../../src/store/digest";
import type { Sessions } from "../../../src/store/sessions";
import { openHouse, tool } from "../../support/house";
import { assertClean, importOne, typesOf } from "../../support/lifetime";
import { actIn, ofType, runIn } from "../../support/runs";
import { assertSound } from "../../support/sound";
import { clock, filesBelow, folderOf, hasCode, withStore } from "../../support/storeFolder";

const LONG = `${"A clause of a contract. ".repeat(400)}The end.`;
const MIDDLE = "Three thousand characters. ".repeat(120); // inline, and longer than what is left of it
const OFF = { settings: { ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" as const } } };

const calls = (...names: string[]): ScriptReply => ({
  calls: names.map((name) => ({ name, arguments: { path: `${name}.md` } })),
});
const fetching = (handle: string): ScriptReply => ({
  calls: [{ name: "fetch_result", arguments: { handle } }],
});
const ANSWER: ScriptReply = { say: "Done." };
const TOOLS = [
  tool("read_file", () => LONG, { class: "read" }),
  tool("middle", () => MIDDLE, { class: "read" }),
  tool("short", () => "short", { class: "read" }),
];

/** A session with a stored result, an inline one and a short one: t1c0, t1c1, t1c2. */
async function begun(store: Sessions): Promise<string> {
  const replies = [calls("read_file", "middle", "short"), ANSWER];
  return (await runIn(store, { replies, tools: TOOLS, ...OFF })).session;
}

const handleIn = (events: readonly Logged[]): Handle =>
  ofType(events, "tool_result_stored")[0]?.handle ?? assert.fail();
const textOf = (events: readonly Logged[], call: string): string => {
  const { messages, results } = foldHistory(events);
  return messages[results.get(call)?.at ?? -1]?.text ?? "";
};
const refuses = (sentence: RegExp) => (cause: unknown) =>
  hasCode("act-refused")(cause) && sentence.test((cause as Failure).message);

test("a session that does not run: pinned and let go, and nothing else is on record", async () => {
  await withStore(async (store) => {
    const session = await begun(store);
    const before = await store.events(session);
    await actIn(store, session, { kind: "pin", call: "t1c1", isPinned: true });
    await actIn(store, session, { kind: "pin", call: "t1c1", isPinned: true }); // it is already
    assert.equal(foldHistory(await store.events(session)).results.get("t1c1")?.isPinned, true);
    await actIn(store, session, { kind: "pin", call: "t1c1", isPinned: false });
    const after = await store.events(session);
    assert.deepEqual(typesOf(after), [...typesOf(before), "pinned", "pinned"]);
    await assert.rejects(
      actIn(store, session, { kind: "pin", call: "t9c0", isPinned: true }),
      refuses(/no result in the conversation/),
    );
    assert.equal((await store.events(session)).length, after.length);
  });
});

test("shortened once it is head and tail, twice a line, and whole behind its handle; what cannot become shorter stays", async () => {
  await withStore(async (store, root) => {
    const session = await begun(store);
    const shorten = (call: string) => actIn(store, session, { kind: "shorten", call });
    await shorten("t1c1");
    let events = await store.events(session);
    const [first] = ofType(events, "aged");
    assert.deepEqual([first?.strategy, first?.decisions[0]?.level], ["person", 1]);
    assert.match(textOf(events, "t1c1"), /^Three thousand .*not shown here: shown earlier, now shortened/s);
    await shorten("t1c1");
    events = await store.events(session);
    assert.match(textOf(events, "t1c1"), /^\[middle middle\.md: .*; shown earlier, now stored\./);
    const { handle } = ofType(events, "aged")[1]?.decisions[0] ?? assert.fail();
    assert.equal(await store.content(session, handle), MIDDLE);
    await assert.rejects(shorten("t1c1"), refuses(/one line already/));
    await assert.rejects(shorten("t1c2"), refuses(/as short as/));
    await shorten("t1c0"); // a ticket: its line
    assert.match(textOf(await store.events(session), "t1c0"), /^\[read_file read_file\.md: /);
    const { requests } = await runIn(store, { session, replies: [ANSWER], tools: TOOLS, ...OFF });
    assert.match(requests[0]?.messages[2]?.text ?? "", /^\[read_file /, "that is what the model is sent");
    assertSound(await store.events(session));
    await assertClean(root);
  });
});

test("the person's later word wins: what was pinned is let go, then shortened", async () => {
  await withStore(async (store) => {
    const session = await begun(store);
    await actIn(store, session, { kind: "pin", call: "t1c1", isPinned: true });
    await actIn(store, session, { kind: "shorten", call: "t1c1" });
    const events = await store.events(session);
    assert.deepEqual(typesOf(events).slice(-4), ["pinned", "tool_result_stored", "pinned", "aged"]);
    const { isPinned, level } = foldHistory(events).results.get("t1c1") ?? assert.fail();
    assert.deepEqual([isPinned, level], [false, 1]);
  });
});

test("a result that is nowhere else is not shortened, and neither is any where nothing is stored", async () => {
  await withStore(async (store) => {
    const settings = {
      ...OFF.settings,
      claimCheck: { ...DEFAULT_SETTINGS.claimCheck, enabled: false },
      budgets: { ...DEFAULT_SETTINGS.budgets, perResultChars: 4000 },
    };
    const replies = [calls("read_file", "middle"), ANSWER];
    const { session } = await runIn(store, { replies, tools: TOOLS, settings });
    const shorten = (call: string) => actIn(store, session, { kind: "shorten", call });
    await assert.rejects(shorten("t1c0"), refuses(/nowhere but in the conversation/));
    await assert.rejects(shorten("t1c1"), refuses(/cloakroom\.claimCheck\.enabled/));
  });
});

test("forgotten: the content is gone from disk, refused to the model and to the person, and no fault to verify", async () => {
  await withStore(async (store, root) => {
    const session = await begun(store);
    const handle = handleIn(await store.events(session));
    await actIn(store, session, { kind: "forget", handle });
    await actIn(store, session, { kind: "forget", handle }); // it is already
    const events = await store.events(session);
    assert.deepEqual(
      ofType(events, "forgotten").map(({ call, sha256: digest }) => [call, digest]),
      [["t1c0", sha256(LONG)]],
    );
    for (const file of await filesBelow(root))
      assert.ok(!(await readFile(file)).includes(LONG.slice(3000, 6000)), file);
    await assert.rejects(
      store.content(session, handle),
      (cause) => hasCode("blob-forgotten")(cause) && /You deleted/.test((cause as Failure).message),
    );
    assert.deepEqual((await assertClean(root)).findings, []);
    const replies = [fetching(handle), fetching(`${handle}#1`), ANSWER];
    await runIn(store, { session, replies, tools: TOOLS, ...OFF });
    const later = await store.events(session);
    assert.deepEqual(
      ofType(later, "redemption_refused").map(({ reason }) => reason),
      ["forgotten", "forgotten"],
    );
    assert.match(textOf(later, "t3c0"), /the user deleted this content.*run the source tool again/);
    await assert.rejects(actIn(store, session, { kind: "shorten", call: "t1c0" }), refuses(/cannot be read/));
    await assert.rejects(
      actIn(store, session, { kind: "forget", handle: `claim:${"0".repeat(32)}` as Handle }),
      refuses(/no stored result of that name/),
    );
    assertSound(later);
  });
});

test("the intent is on disk, and the index knows it, before anything of the content goes", async () => {
  await withStore(async (store) => {
    const session = await begun(store);
    const handle = handleIn(await store.events(session));
    const opened = await store.open(session);
    const order: unknown[] = [];
    const told = new Proxy(opened, {
      get(_, name) {
        const value: unknown = Reflect.get(opened, name, opened);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          order.push(name);
          return value.apply(opened, given);
        };
      },
    });
    const { clock, hash, tokens } = (await openHouse({ replies: [] })).conversation.context.ports;
    const ports = { clock, hash, tokens, log: told, claims: told };
    await perform(Conversation.takeUp(opened.events, ports), { kind: "forget", handle });
    assert.deepEqual(order, ["find", "append", "sync", "checkpoint", "removeForgotten"]);
    await opened.close();
  });
});

test("running the tool again stores it again, under the same handle", async () => {
  await withStore(async (store, root) => {
    const session = await begun(store);
    const handle = handleIn(await store.events(session));
    await actIn(store, session, { kind: "forget", handle });
    const replies = [calls("read_file"), fetching(handle), ANSWER];
    await runIn(store, { session, replies, tools: TOOLS, ...OFF });
    assert.equal(await store.content(session, handle), LONG);
    assert.deepEqual(ofType(await store.events(session), "redemption_refused"), []);
    assert.deepEqual((await assertClean(root)).findings, []);
  });
});

test("ageing needs no content that was forgotten: its ticket stays as it is", async () => {
  await withStore(async (store) => {
    const session = await begun(store);
    const before = textOf(await store.events(session), "t1c0");
    await actIn(store, session, { kind: "forget", handle: handleIn(await store.events(session)) });
    const ageing = { strategy: "age" as const, shortenAfterTurns: 1, clearAfterTurns: 2, minimumChars: 10 };
    const settings = { ageing: { ...DEFAULT_SETTINGS.ageing, ...ageing } };
    const replies = [calls("short"), calls("short"), ANSWER];
    const { end } = await runIn(store, { session, replies, tools: TOOLS, settings });
    assert.equal(end.end, "answered");
    const events = await store.events(session);
    assert.equal(textOf(events, "t1c0"), before);
    assert.match(textOf(events, "t1c1"), /^\[middle/, "the others are shortened");
  });
});

test("neither does the page of a list that was forgotten, whose line would name it", async () => {
  const rows = Array.from({ length: 900 }, (_, n) => ({ n, name: `row ${n}` }));
  const tools = [tool("rows", () => JSON.stringify(rows), { class: "list" }), ...TOOLS];
  await withStore(async (store) => {
    const { session } = await runIn(store, { replies: [calls("rows"), ANSWER], tools, ...OFF });
    const events = await store.events(session);
    assert.equal(ofType(events, "remembered")[0]?.shown, "page");
    const before = textOf(events, "t1c0");
    await actIn(store, session, { kind: "forget", handle: handleIn(events) });
    const ageing = { strategy: "age" as const, shortenAfterTurns: 1, clearAfterTurns: 1, minimumChars: 10 };
    const settings = { ageing: { ...DEFAULT_SETTINGS.ageing, ...ageing } };
    await runIn(store, { session, replies: [calls("short"), ANSWER], tools, settings });
    await assert.rejects(actIn(store, session, { kind: "shorten", call: "t1c0" }), refuses(/cannot be read/));
    assert.equal(textOf(await store.events(session), "t1c0"), before);
  });
});

test("what is said to be stored is there: in the session, stored again, and in a fork, whose beginning says the same", async () => {
  await withStore(async (store) => {
    const session = await begun(store);
    const said = async (id: string) => {
      const view = projectSession(await store.events(id));
      const { storedResults, storedChars, deletedResults } = view?.totals ?? assert.fail();
      return [storedResults, storedChars, deletedResults];
    };
    assert.deepEqual(await said(session), [1, LONG.length, 0]);
    const handle = handleIn(await store.events(session));
    await actIn(store, session, { kind: "forget", handle });
    assert.deepEqual(await said(session), [0, 0, 1]);
    const fork = await store.fork(session);
    assert.deepEqual(await said(fork), [0, 0, 1]);
    const [notice] = projectSession(await store.events(fork))?.notices ?? [];
    assert.match(notice ?? "", /with its stored results \(0\)\. Deleted there, so not here: 1\.$/);
    await runIn(store, { session, replies: [calls("read_file"), ANSWER], tools: TOOLS, ...OFF });
    const handles = ofType(await store.events(session), "tool_result_stored").map((event) => event.handle);
    const again = handles[1] === handle ? [2, 2 * LONG.length, 0] : [1, LONG.length, 1];
    assert.deepEqual(await said(session), again);
  });
});

test("a fork and an import keep the mark; what one handle forgot stays where another has it", async () => {
  await withStore(async (store, root) => {
    const session = await begun(store);
    const handle = handleIn(await store.events(session));
    const early = await store.fork(session);
    await actIn(store, session, { kind: "forget", handle });
    const file = path.join(path.dirname(root), "session.zip");
    const care = await StoreCare.open(root, "file:///work", clock);
    assert.deepEqual((await care.export(session, file)).missing, []);
    const copies = [await store.fork(session), (await importOne(care, file)).session];
    copies.push(await store.fork(copies[1] ?? ""));
    for (const copy of copies) await assert.rejects(store.content(copy, handle), hasCode("blob-forgotten"));
    const [fork = "", imported = ""] = copies;
    await runIn(store, { session: fork, replies: [fetching(handle), ANSWER], tools: TOOLS, ...OFF });
    assert.equal(ofType(await store.events(fork), "redemption_refused")[0]?.reason, "forgotten");
    await assert.rejects(
      actIn(store, imported, { kind: "pin", call: "t1c0", isPinned: true }),
      hasCode("session-read-only"),
    );
    // The fork from before has another salt: the same content again is another handle.
    await runIn(store, { session: early, replies: [calls("read_file"), ANSWER], tools: TOOLS, ...OFF });
    const again = ofType(await store.events(early), "tool_result_stored").at(-1)?.handle ?? assert.fail();
    assert.notEqual(again, handle);
    await actIn(store, early, { kind: "forget", handle });
    await assert.rejects(store.content(early, handle), hasCode("blob-forgotten"));
    assert.equal(await store.content(early, again), LONG);
    await actIn(store, early, { kind: "forget", handle: again });
    const names = (await filesBelow(await folderOf(root, early))).map((name) => path.basename(name));
    assert.ok(!names.includes(sha256(LONG)));
    assert.deepEqual((await assertClean(root)).findings, []);
  });
});

test("while it runs: a pin is recorded as it comes, the rest before the next request, in order", async () => {
  await withStore(async (store) => {
    const acts = new ActQueue();
    const told: string[] = [];
    const act = (word: string, given: Parameters<ActQueue["add"]>[0]) =>
      acts.add(given).then(
        (end) => told.push(`${word} ${end}`),
        (cause: Failure) => told.push(`${word} ${cause.code}`),
      );
    const events: Logged[] = [];
    let handle: Handle | null = null;
    const wait = tool("wait", async () => {
      handle = handleIn(events);
      const pinning = act("pin", { kind: "pin", call: "t1c1", isPinned: true });
      await pinning; // at once: the call is still running
      void act("shorten", { kind: "shorten", call: "t1c1" });
      void act("forget", { kind: "forget", handle });
      void act("unpin", { kind: "pin", call: "t1c0", isPinned: true }); // behind what waits
      void act("nothing", { kind: "shorten", call: "t7c7" });
      return "waited";
    });
    const replies = [calls("read_file", "middle"), calls("wait"), ANSWER];
    const { session, requests } = await runIn(store, {
      ...{ replies, tools: [...TOOLS, wait], acts, ...OFF },
      watch: (_, event) => void events.push(event),
    });
    assert.deepEqual(told, ["pin done", "shorten done", "forget done", "unpin done", "nothing act-refused"]);
    const types = typesOf(events);
    const at = types.indexOf("pinned");
    assert.ok(at < types.lastIndexOf("executed"), "the pin did not wait for the call");
    assert.deepEqual(types.slice(types.lastIndexOf("remembered") + 1, types.lastIndexOf("requested")), [
      "tool_result_stored",
      "pinned",
      "aged",
      "forgotten",
      "pinned",
    ]);
    assert.match(requests[2]?.messages[3]?.text ?? "", /now shortened/, "the next request has it so");
    assertSound(await store.events(session));
    await assert.rejects(store.content(session, handle ?? assert.fail()), hasCode("blob-forgotten"));
    assert.equal(await acts.add({ kind: "pin", call: "t1c0", isPinned: false }), "ended");
  });
});

test("what is wanted in the last turn is done before the run closes; a session that is in use is left alone", async () => {
  await withStore(async (store) => {
    const acts = new ActQueue();
    const ends: Promise<string>[] = [];
    const { session } = await runIn(store, {
      ...{ replies: [calls("middle"), ANSWER], tools: TOOLS, acts, ...OFF },
      watch: (_, event) => {
        if (event.type === "replied" && event.end === "answered")
          ends.push(acts.add({ kind: "shorten", call: "t1c0" }));
      },
    });
    assert.deepEqual(await Promise.all(ends), ["done"]);
    assert.deepEqual(typesOf(await store.events(session)).slice(-2), ["aged", "run_ended"]);
    const open = await store.open(session);
    await assert.rejects(
      actIn(store, session, { kind: "pin", call: "t1c0", isPinned: true }),
      hasCode("session-in-use"),
    );
    await open.close();
  });
});
