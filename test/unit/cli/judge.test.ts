// test: `cloakroom replay` and `cloakroom scorecard` on a real store; the words and exit codes as a process.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { replay, scorecard } from "../../../src/cli/judge";
import type { Logged, SessionEvent } from "../../../src/schema/event";
import { ScorecardView } from "../../../src/schema/scorecard";
import { StoreCare } from "../../../src/store/care";
import { CHAIN_START, lineOf } from "../../../src/store/chain";
import { sha256 } from "../../../src/store/digest";
import { DEFAULT_LIMITS } from "../../../src/store/room";
import { Sessions } from "../../../src/store/sessions";
import { Vault } from "../../../src/store/vault";
import { runCli } from "../../support/cliProcess";
import { altered, copied, type LimitRun, limitSession } from "../../support/limitSessions";
import { clock, folderOf, withFolder } from "../../support/storeFolder";
import { artifactWith, contractWith } from "../../support/thimble";

const ASKED = '{"q":"open","limit":500}';
const words = { sessions: [], all: false, control: undefined, candidate: undefined, json: false };

/** Writes the events of a session of the real loop to a store, as that session's own. */
async function kept(store: Sessions, run: LimitRun = {}): Promise<string> {
  const events = await limitSession(
    [[["search", ASKED]], [["search", '{"q":"open","limit":10,"offset":10}']]],
    run,
  );
  const session = await store.create({ workspace: "work", title: "A session" });
  for (const event of events.slice(1)) {
    const { n: _n, at: _at, origin: _origin, ...bare } = event;
    await session.append(bare as SessionEvent);
  }
  await session.close();
  return session.id;
}

const logOf = async (folder: string, session: string) =>
  path.join(await folderOf(folder, session), "log.jsonl");

/** Somebody who rewrites a log rewrites its checksums too. */
async function rewrite(folder: string, session: string, events: readonly Logged[]): Promise<void> {
  let sum = CHAIN_START;
  const lines = events.map((event) => {
    const next = lineOf(event, sum);
    sum = next.sum;
    return `${next.line}\n`;
  });
  writeFileSync(await logOf(folder, session), lines.join(""));
}

const opened = (folder: string, vault?: Vault) =>
  Sessions.open(folder, "file:///work", clock, DEFAULT_LIMITS, vault);

suite("cli/judge", () => {
  test("replay: identical is 0; an altered decision, an altered policy and a damaged log are 1 with the first difference", async () => {
    await withFolder(async (folder) => {
      const store = await opened(folder);
      const id = await kept(store);
      const clean = await replay(store, id, undefined, sha256);
      assert.deepEqual(clean, {
        code: 0,
        lines: ["identical: 2 decisions made again under 1 configuration"],
        problems: [],
      });
      const { events } = await store.evidence(id);

      await rewrite(
        folder,
        id,
        altered(
          events,
          "clamped",
          ({ proposal }) => {
            proposal.reason = "within_budget";
          },
          1,
        ),
      );
      assert.equal((await replay(store, id, undefined, sha256)).code, 0, "that is what was decided");
      await rewrite(
        folder,
        id,
        altered(
          events,
          "clamped",
          ({ proposal }) => {
            proposal.reason = "exempt";
          },
          1,
        ),
      );
      const drift = await replay(store, id, undefined, sha256);
      assert.equal(drift.code, 1);
      assert.match(
        drift.lines.join("\n"),
        /first difference: call t2c0, event \d+, reason: recorded "exempt", recomputed "within_budget"\ndrift: 1 difference;/,
      );

      await rewrite(
        folder,
        id,
        altered(events, "configured", ({ policy }) => {
          policy.default_budget.items = 11;
        }),
      );
      assert.match(
        (await replay(store, id, undefined, sha256)).lines.join("\n"),
        /policy_identity: recorded/,
      );

      await rewrite(folder, id, events);
      const log = await logOf(folder, id);
      writeFileSync(log, readFileSync(log, "utf8").replace('"thimble/test"', '"thimble/pest"'));
      const damaged = await replay(store, id, undefined, sha256);
      assert.equal(damaged.code, 1, "a log that stops following is not a short clean one");
      assert.match(damaged.lines.join("\n"), /log: recorded "line 2 does not follow/);
    });
  });

  test("replay: forks, imports and sealed sessions replay clean and are left as they are", async () => {
    await withFolder(async (folder) => {
      const store = await opened(folder);
      const id = await kept(store, { mode: "observe" });
      const forked = await store.fork(id);
      const care = await StoreCare.open(folder, "file:///work", clock);
      const archive = path.join(folder, "one.zip");
      await care.export(id, archive);
      const [imported] = (await care.import(archive)).map(({ session }) => session);
      for (const session of [id, forked, imported ?? ""]) {
        const before = readFileSync(await logOf(folder, session));
        assert.equal((await replay(store, session, undefined, sha256)).code, 0, session);
        assert.deepEqual(readFileSync(await logOf(folder, session)), before);
      }
    });
    await withFolder(async (folder) => {
      const secrets = new Map<string, string>();
      const keys = {
        get: async (tenant: string) => secrets.get(tenant),
        set: async (tenant: string, key: string) => void secrets.set(tenant, key),
        delete: async (tenant: string) => void secrets.delete(tenant),
      };
      const store = await opened(folder, new Vault({ keys, sealsNew: true }));
      const id = await kept(store);
      const before = readFileSync(await logOf(folder, id));
      assert.ok(!before.includes("clamped"));
      const { code, lines } = await replay(store, id, undefined, sha256);
      assert.deepEqual([code, lines], [0, ["identical: 2 decisions made again under 1 configuration"]]);
      assert.deepEqual(readFileSync(await logOf(folder, id)), before);
    });
  });

  test("replay --policy: a table of what it would have decided; a bad policy is refused with file, line and column", async () => {
    await withFolder(async (folder) => {
      const store = await opened(folder);
      const id = await kept(store);
      const file = path.join(folder, "thimble.json");
      writeFileSync(file, JSON.stringify(artifactWith([contractWith({ maximum: 20 })])));
      const { code, lines } = await replay(store, id, file, sha256);
      assert.equal(code, 0);
      assert.match(
        lines.join("\n"),
        /search +\/limit +requested_items_above_policy_maximum +1 +500 +10 +1 +500 +20 +1\n/,
      );
      assert.match(
        lines.at(-1) ?? "",
        /^1 call of 2 would have run with other arguments\. What they would have returned is not known\.$/,
      );

      writeFileSync(file, '{\n  "kind": "fak/tool-result-budget",\n  "version": "2.0.0"\n}');
      const refused = await replay(store, id, file, sha256);
      assert.deepEqual([refused.code, refused.lines], [2, []]);
      assert.equal(
        refused.problems[0],
        `${file}:3:14: Version 2 policies are not understood. Update Cloakroom, or use a version 1 policy.`,
      );
      writeFileSync(file, JSON.stringify(artifactWith([contractWith({ minimum: 11 })])));
      assert.match(
        (await replay(store, id, file, sha256)).problems[0] ?? "",
        /:1:\d+: The floor 11 is above the ceiling 10/,
      );
      assert.equal((await replay(store, id, path.join(folder, "absent"), sha256)).code, 2);
      assert.equal((await replay(store, undefined, undefined, sha256)).code, 2);
    });
  });

  test("scorecard: pairs are named, never guessed; observed sessions alone have no saving; --json is the view", async () => {
    await withFolder(async (folder) => {
      const store = await opened(folder);
      const control = await kept(store, { mode: "observe" });
      const candidate = await kept(store);
      const alone = await scorecard(store, { ...words, all: true }, sha256);
      assert.equal(alone.code, 0);
      assert.match(
        alone.lines.join("\n"),
        /search \/limit: keep observing \(not measured: no control and candidate were named\)\. Counterfactual: 1 calls asked for 500 items and would have asked for 10\./,
      );
      const half = await scorecard(store, { ...words, all: true, control }, sha256);
      assert.deepEqual([half.code, half.lines], [2, []]);
      assert.match(half.problems[0] ?? "", /Name both: --control SESSION --candidate SESSION/);
      assert.equal((await scorecard(store, words, sha256)).code, 2);
      const { lines } = await scorecard(store, { ...words, control, candidate, json: true }, sha256);
      const view = ScorecardView.parse(JSON.parse(lines.join("")));
      assert.deepEqual(
        view.pairs.map((pair) => [pair.control, pair.candidate, pair.refused]),
        [[control, candidate, null]],
      );

      const { events } = await store.evidence(control);
      await rewrite(folder, control, copied(events));
      writeFileSync(await logOf(folder, control), "x", { flag: "a" });
      const damaged = await scorecard(store, { ...words, control, candidate }, sha256);
      assert.equal(damaged.code, 1);
      assert.match(damaged.problems[0] ?? "", /is left out: its log is damaged \(line \d+ is torn\)/);
      assert.ok(damaged.lines.some((line) => line.includes("not measured")));
    });
  });

  test("as a process: words, exit codes and usage", async () => {
    await withFolder(async (folder) => {
      const id = await kept(await Sessions.open(folder, path.resolve("."), clock));
      const cloakroom = (...words: string[]) => runCli(words);
      const at = ["--workspace", path.resolve("."), "--store", folder];
      const ran = await cloakroom("replay", id, ...at);
      assert.deepEqual(
        [ran.code, ran.out],
        [0, "identical: 2 decisions made again under 1 configuration\n"],
        ran.err,
      );
      const card = await cloakroom("scorecard", "--workspace-sessions", "--json", ...at);
      assert.deepEqual(ScorecardView.parse(JSON.parse(card.out)).sessions, [id], card.err);
      const unnamed = await cloakroom("replay", ...at);
      assert.deepEqual([unnamed.code, unnamed.err], [2, "Name the session: replay SESSION.\n"]);
      assert.equal((await cloakroom("replay", "20200101-000000-000000", ...at)).code, 1);
      assert.match((await cloakroom("--help")).out, /cloakroom replay SESSION \[--policy FILE\]/);
    });
  });
});
