// test: `cloakroom list` on a real store: every record of a list, or which word is wrong.
import assert from "node:assert/strict";
import { listRecords } from "../../../src/cli/listRecords";
import type { SessionEvent } from "../../../src/schema/event";
import { asRaw, type SafeText } from "../../../src/schema/text";
import { sha256 } from "../../../src/store/digest";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { openHouse, tool } from "../../support/house";
import { clock, withFolder } from "../../support/storeFolder";

const text = (n: number) =>
  `{"id":${9223372036854775000n + BigInt(n)},"text":"${"x".repeat(n === 7 ? 9000 : 60)}"}`;
const RECORDS = Array.from({ length: 100 }, (_, n) => text(n));
const LINES = Array.from({ length: 600 }, (_, n) => `src/file${n}.ts`);

/** Writes a session of the real loop with two lists and a text to a store. */
async function kept(store: Sessions) {
  const lines = { headerLines: 1, complete: false as const };
  const house = await openHouse({
    tools: [
      tool("search", () => `{"status":"ok","records":[${RECORDS.join(", ")}]}`, { class: "list" }),
      tool("files", () => ({ kind: "ok", text: asRaw(`[Files]\n${LINES.join("\n")}`), lines }), {
        class: "list",
      }),
      tool("read", () => "A sentence. ".repeat(3000), { class: "read" }),
    ],
    replies: [
      { calls: ["search", "files", "read"].map((name) => ({ name, arguments: {} })) },
      { say: "Done." },
    ],
    blobs: new Map(),
  });
  await house.ask("Go.");
  const session = await store.create({ workspace: "work", title: "A session" });
  for (const content of house.blobs.values()) await session.put(content as SafeText);
  for (const event of house.events.slice(1)) {
    const { n: _n, at: _at, origin: _origin, ...bare } = event;
    await session.append(bare as SessionEvent);
  }
  await session.close();
  const handles = house.eventsOf("tool_result_stored").map(({ handle }) => handle);
  return { id: session.id, handles };
}

suite("cli/listRecords", () => {
  test("every record, those too large for a page too, as the source has it; as one JSON value with what the source says", async () => {
    await withFolder(async (folder) => {
      const store = await Sessions.open(folder, "file:///work", clock, DEFAULT_LIMITS);
      const { id, handles } = await kept(store);
      const [list = "", files = ""] = handles;
      const read = (handle: string | undefined, json = false) => listRecords(store, id, handle, json, sha256);
      assert.deepEqual(await read(list), { code: 0, lines: RECORDS, problems: [] });
      assert.deepEqual(await read(`${list}@13`), await read(list));
      const { lines } = await read(list, true);
      assert.ok(lines[0]?.endsWith(`"total":100,"complete":true,"records":[${RECORDS.join(",")}]}`));
      assert.ok(lines[0]?.includes('"source":{"status":"ok"}'));
      assert.deepEqual(await read(files), {
        code: 0,
        lines: LINES,
        problems: ["600 records; the source has more."],
      });
      const asJson = JSON.parse((await read(files, true)).lines[0] ?? "");
      assert.deepEqual([asJson.records, asJson.complete], [LINES, false]);
    });
  });

  test("an unknown handle and a result that is no list are 1, words that are none are 2: each with the next step", async () => {
    await withFolder(async (folder) => {
      const store = await Sessions.open(folder, "file:///work", clock, DEFAULT_LIMITS);
      const { id, handles } = await kept(store);
      const read = async (handle: string | undefined) => {
        const { code, lines, problems } = await listRecords(store, id, handle, false, sha256);
        assert.deepEqual(lines, []);
        return `${code} ${problems.join()}`;
      };
      assert.match(await read(handles[2]), /^1 This result was not shown as a list\. Use cloakroom show/);
      assert.match(
        await read(`claim:${"0".repeat(32)}`),
        /^1 This session has no stored result of that name/,
      );
      assert.match(await read("claim:no"), /^2 A handle is claim: and 32 digits/);
      assert.match(await read(undefined), /^2 Name the session and the list's handle/);
    });
  });
});
