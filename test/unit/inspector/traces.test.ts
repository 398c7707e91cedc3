/** Real sessions of other agents, opened as Analyze Session… opens them: all that a page asks for is answered, in small messages. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { turnOnWire } from "../../../src/inspector/rows";
import { turnAt } from "../../../src/inspector/turnPages";
import { Failure } from "../../../src/schema/failure";
import { FromView, ROWS_AT_ONCE, ToView, TURNS_AT_ONCE, WINDOW_CHARS } from "../../../src/schema/inspector";
import { belowTurn } from "../../../webview-ui/partRows";
import type { Row } from "../../../webview-ui/row";
import { turnKey } from "../../../webview-ui/turnRow";
import { f } from "../../support/inspectorTree";
import { type LookedAtSession, sessionsOf } from "../../support/lookedAt";
import { sharedDir, sharedTest } from "../../support/sharedData";

const MAXIMUM_BYTES = 1024 * 1024;
const SESSIONS = 3; // of a file that has many

function checked(message: ToView): ToView {
  ToView.parse(message);
  const bytes = Buffer.byteLength(JSON.stringify(message));
  assert.ok(bytes <= MAXIMUM_BYTES, `${message.type}: ${bytes} bytes`);
  return message;
}

const all = (rows: readonly Row[]): Row[] => rows.flatMap((row) => [row, ...all(row.children())]);

async function asksForTurn(log: LookedAtSession, at: number): Promise<void> {
  const { session, fold } = log;
  const ask = async (message: object) => {
    const answer = await log.answer(FromView.parse({ session, ...message }) as never);
    return checked(answer ?? assert.fail(`${JSON.stringify(message)} was not answered`));
  };
  const turn = turnAt(fold.turns, at) ?? assert.fail();
  const key = turnKey(session, turn.turn);
  for (const row of all(belowTurn(key, turnOnWire(turn), false, f))) {
    const answer = await ask({ type: "wantDetails", key: row.key });
    assert.ok(answer.type === "details" && answer.details.events.length > 0, row.key);
    assert.equal(answer.details.problem, null, row.key);
    for (const part of ["returned", "shown", "now"] as const) {
      const window = answer.details[part];
      if (window?.next == null) continue;
      const more = await ask({ type: "wantText", key: row.key, part, offset: window.next });
      assert.ok(
        more.type === "text" && more.text.offset === window.next && more.text.text.length <= 2 * WINDOW_CHARS,
      );
    }
  }
  if (turn.request === null) return;
  const request = await ask({ type: "wantRequest", turn: turn.turn, from: 0 });
  assert.ok(request.type === "request" && request.request !== null && request.problem === null);
  await ask({ type: "wantMessage", turn: turn.turn, at: 0, offset: 0 });
  await ask({ type: "revealEvent", n: turn.request.n });
}

async function opens(log: LookedAtSession): Promise<void> {
  const { session, fold } = log;
  const begun = log.begun().map(checked);
  assert.deepEqual(
    begun.map(({ type }) => type),
    ["opened", "analysis"],
  );
  const { length } = fold.turns.numbers;
  assert.ok(length > 0);
  const rows = await log.answer({ type: "wantRows", session, from: 0, count: ROWS_AT_ONCE });
  assert.ok(rows?.type === "rows" && rows.rows.length === Math.min(length, ROWS_AT_ONCE));
  checked(rows);
  const places = Array.from({ length: Math.min(length, TURNS_AT_ONCE) }, (_, at) => at);
  const turns = await log.answer({ type: "wantTurns", session, places });
  assert.ok(turns?.type === "turns" && turns.turns.length === places.length);
  checked(turns);
  for (const at of new Set([0, Math.floor(length / 2), length - 1])) await asksForTurn(log, at);
  const whatIf = await log.answer({ type: "whatIf", session, query: 1, knobs: null });
  assert.ok(whatIf?.type === "whatIf" && whatIf.problem === null && whatIf.series !== null);
  checked(whatIf);
  const what = { text: "a", tool: null, state: null, kind: null, minimumChars: null };
  checked((await log.answer({ type: "find", session, query: 1, what })) ?? assert.fail());
}

const folder = sharedDir();
const files = folder
  ? readFileSync(path.join(folder, "traces", "index.tsv"), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t")[0] ?? "")
  : [];

suite("real sessions in the inspector", function () {
  this.timeout(60_000);
  for (const file of files)
    sharedTest(
      `${file} opens: rows, turns, details, request and what-if`,
      [`traces/${file}`],
      async (real) => {
        const sessions = await sessionsOf(real);
        assert.ok(sessions.length > 0);
        for (const log of sessions.slice(0, SESSIONS)) await opens(log);
      },
    );

  test("what cannot be read is said with what can be", async () => {
    const temporary = await mkdtemp(path.join(os.tmpdir(), "clk-traces-"));
    try {
      const bad = {
        "torn.jsonl": '{"type":"user"\n',
        "other.json": "[1,2]",
        "empty.json": "",
        "nul.traj": "\0\0",
      };
      for (const [name, text] of Object.entries(bad)) {
        await writeFile(path.join(temporary, name), text);
        await assert.rejects(sessionsOf(path.join(temporary, name)), isUnreadable, name);
      }
      for (const name of ["absent.json", ""])
        await assert.rejects(sessionsOf(path.join(temporary, name)), isUnreadable);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  });
});

function isUnreadable(cause: unknown): boolean {
  assert.ok(cause instanceof Failure && cause.code === "import-unreadable", String(cause));
  assert.match(cause.message, /\. [A-Z][^.]+\.$/, cause.message);
  return true;
}
