/** Real servers from npm over stdio, through the real loop, on a real store: asserted where it counts, at the server. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Question } from "../../../src/agent/ports";
import { fetchResult } from "../../../src/agent/retrieve";
import { runSession } from "../../../src/agent/runSession";
import { parseLabel } from "../../../src/coverage/label";
import { estimatedTokens } from "../../../src/history/tokens";
import { projectSession } from "../../../src/inspector/project";
import type { ScriptReply } from "../../../src/models/script";
import { createScriptedModel } from "../../../src/models/scripted";
import type { Logged } from "../../../src/schema/event";
import type { Contract, Intent, LimitMode } from "../../../src/schema/policy";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { sha256 } from "../../../src/store/digest";
import { Sessions } from "../../../src/store/sessions";
import { policyFrom } from "../../../src/thimble/policy";
import { receiptsFrom } from "../../../src/thimble/receipt";
import {
  callsIn,
  closeAll,
  linesIn,
  open,
  real,
  repositoryOf,
  temporaryFolder,
} from "../../support/mcp/servers";
import { artifactWith } from "../../support/thimble";

const GIT = "@cyanheads/git-mcp-server/dist/index.js";
const EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";
const FILES = "@modelcontextprotocol/server-filesystem/dist/index.js";

/** Matched by the server's own identity and its own name of the tool; read-only comes from its annotation. */
const GIT_LOG: Contract = {
  tool: "git_log",
  server: "@cyanheads/git-mcp-server",
  argument: "/maxCount",
  dimension: "items",
  maximum: 10,
  minimum: 1,
  range: { minimum: 1, maximum: 1000 },
  safe_to_reduce: true,
  continuation: { kind: "offset", argument: "/skip" },
  items: "/commits",
};
const change = { path: "/maxCount", from: 500, to: 10, dimension: "items" };
const allow = { granted: true, by: "user" as const, reason: "allowed once" };

type Run = {
  readonly mode?: LimitMode;
  readonly contract?: Contract;
  readonly intent?: Intent | null;
  readonly answer?: (question: Question) => typeof allow;
};

suite("mcp/real servers", () => {
  const folder = temporaryFolder();
  const repository = repositoryOf(600, folder);
  const clock = {
    now: () => Date.now(),
    sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
  };
  let log = "";
  let runs = 0;
  setup(() => {
    log = path.join(folder, `lines-${runs++}`);
  });
  teardown(closeAll);

  /** One session of a script with the tools of one server, behind the proxy. */
  async function run(
    server: object,
    replies: ScriptReply[],
    { mode = "enforce", contract = GIT_LOG, answer = () => allow, intent = null }: Run = {},
  ) {
    const { tools, problems, close } = await open({ s: server });
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("simulate-research-query")),
      [],
    );
    const events: Logged[] = [];
    const questions: Question[] = [];
    const settings = { ...DEFAULT_SETTINGS, limits: { mode, hardMaximum: null } };
    const ask = async (question: Question) => {
      questions.push(question);
      return answer(question);
    };
    await runSession(
      {
        store: await Sessions.open(path.join(folder, "store"), folder, clock),
        session: { kind: "new", workspace: "mcp" },
        question: "Go.",
        configuration: { settings, policy: policyFrom(artifactWith([contract]), sha256), intent },
        ports: {
          model: createScriptedModel(
            { name: "S", conversations: [[...replies, { say: "Done." }]] },
            clock.sleep,
          ),
          tools: [...tools, fetchResult],
          approver: { isTrusted: () => true, ask },
          clock,
          hash: sha256,
          tokens: estimatedTokens,
          watcher: { replyText: () => undefined, toolProgress: () => undefined },
        },
        watch: (_, more) => events.push(...more),
      },
      new AbortController().signal,
    );
    await close();
    assert.equal(events.findLast((event) => event.type === "run_ended")?.type, "run_ended");
    const remembered = events.flatMap((event) => (event.type === "remembered" ? [event] : []));
    return { events, questions, remembered, receipts: [...receiptsFrom(events).values()] };
  }

  const gitLog = (given: string | object = { path: repository, maxCount: 500 }) =>
    [{ calls: [{ name: "s__git_log", arguments: given }] }] as ScriptReply[];
  const commitsReturned = () => {
    const answer = linesIn(log).findLast(({ to, message }) => to === "client" && message.result?.content);
    const returned = answer?.message.result?.structuredContent as { commits: object[] } | undefined;
    return returned?.commits.length;
  };

  test("§5 enforce: the server received 10 of 500 and returned 10 rows; the receipt has what came back", async () => {
    const { receipts, questions, remembered } = await run(real(log, GIT), gitLog());
    assert.deepEqual(callsIn(log), [["git_log", { path: repository, maxCount: 10 }]]);
    assert.equal(commitsReturned(), 10);
    const [receipt] = receipts;
    assert.deepEqual([receipt?.decision, receipt?.changes, receipt?.actual?.items], ["clamp", [change], 10]);
    assert.deepEqual(receipt?.contract, {
      tool: "git_log",
      argument: "/maxCount",
      server: "@cyanheads/git-mcp-server",
    });
    assert.deepEqual(receipt?.continuation, { kind: "offset", available: true });
    assert.match(
      remembered[0]?.text ?? "",
      /\[maxCount lowered from 500 to 10 by policy; .* Continue with skip=10, maxCount=10\.\]$/,
    );
    const preview = questions[0]?.preview; // asked, although the server says that it only reads; shown as it will run
    assert.equal(preview?.kind === "call" && JSON.parse(preview.arguments).maxCount, 10);
  });

  test("§5 observe: the server received 500 and returned 500 rows; a proposal exists", async () => {
    const { receipts, remembered } = await run(real(log, GIT), gitLog(), { mode: "observe" });
    assert.deepEqual(callsIn(log), [["git_log", { path: repository, maxCount: 500 }]]);
    assert.equal(commitsReturned(), 500);
    const [receipt] = receipts;
    assert.deepEqual([receipt?.decision, receipt?.reason, receipt?.changes], ["pass", "observe_only", []]);
    assert.deepEqual([receipt?.proposed_changes, receipt?.actual?.items], [[change], 500]);
    assert.deepEqual([remembered[0]?.shown, remembered[0]?.tainted], ["page", true]); // 500 rows are stored, and untrusted
  });

  test("§6 a server's list comes in pages: the first, the next, what is unread is told, and the inspector counts", async () => {
    const replies = [
      ...gitLog(),
      { calls: [{ name: "fetch_result", arguments: { handle: "{{next:s__git_log}}" } }] },
      { say: "These are all commits." },
      { say: "I did not read them all." },
    ];
    const { events, remembered } = await run(real(log, GIT), replies, {
      mode: "observe",
      intent: "exhaustive",
    });
    const pages = remembered.filter(({ shown }) => shown === "page");
    assert.equal(pages.length, 2);
    const [first, second] = pages.map(({ text }) => parseLabel(text));
    assert.deepEqual([first?.first, first?.total, second?.first], [1, 500, (first?.last ?? 0) + 1]);
    const envelopeIn = (text: string) => text.split("\n").slice(2, -1).join("\n"); // between the fence's lines
    const rows = pages.flatMap(({ text }) => JSON.parse(envelopeIn(text)).records as { hash: string }[]);
    assert.equal(new Set(rows.map(({ hash }) => hash)).size, second?.last);
    const gated = events.flatMap((event) => (event.type === "gated" ? [event.verdict] : []));
    assert.deepEqual(gated, ["say", "incomplete"]);
    const view = projectSession(events);
    const [list] = view?.lists ?? [];
    assert.deepEqual([list?.total, list?.inspected, list?.complete], [500, second?.last, true]);
    assert.match(view?.turns.at(-1)?.notes.at(-1)?.text ?? "", /The answer is incomplete/);
  });

  test("§5 denied stays denied: the server received nothing", async () => {
    const denied = { granted: false, by: "user" as const, reason: "The user said no." };
    const { receipts } = await run(real(log, GIT), gitLog(), { answer: () => denied });
    assert.deepEqual(callsIn(log), []);
    assert.deepEqual([receipts[0]?.decision, receipts[0]?.reason], ["deny", "The user said no."]);
  });

  test("§5 a contract counts for its server alone, and a name is never taken apart", async () => {
    const other: [Contract, string][] = [
      [{ ...GIT_LOG, server: "somebody-else" }, "contract_schema_mismatch"],
      [{ ...GIT_LOG, server: undefined } as never, "unknown_tool_contract"], // ours of the same name is not theirs
    ];
    for (const [contract, reason] of other) {
      const { receipts } = await run(real(log, GIT), gitLog({ path: repository, maxCount: 20 }), {
        contract,
      });
      assert.deepEqual([receipts[0]?.decision, receipts[0]?.reason], ["pass", reason]);
    }
  });

  test("§5 lossy_arguments: refused before anything is sent, unless the clamp made them safe", async () => {
    const dir = JSON.stringify(repository);
    const lossy = `{"path":${dir},"maxCount":5,"skip":12345678901234567891}`;
    const refused = await run(real(log, GIT), gitLog(lossy));
    assert.deepEqual(callsIn(log), []);
    assert.deepEqual(
      [refused.receipts[0]?.decision, refused.receipts[0]?.reason],
      ["deny", "lossy_arguments"],
    );
    assert.match(
      refused.remembered[0]?.text ?? "",
      /^lossy_arguments: .*12345678901234567891 would be rounded/,
    );
    assert.deepEqual(refused.questions, []);

    const twice = await run(real(log, GIT), gitLog(`{"path":${dir},"path":"/","maxCount":5}`));
    assert.match(twice.remembered[0]?.text ?? "", /^lossy_arguments: .*"path" occurs twice/);
    assert.deepEqual(callsIn(log), []);

    const anyCount = { ...GIT_LOG, range: { minimum: 1 } };
    await run(real(log, GIT), gitLog(`{"path":${dir},"maxCount":9007199254740993}`), { contract: anyCount });
    assert.deepEqual(callsIn(log), [["git_log", { path: repository, maxCount: 10 }]]);
  });

  test("C26 the same list as text and as structured content is measured, stored and shown once", async () => {
    const { events } = await run(real(log, GIT), gitLog({ path: repository, maxCount: 10 }));
    const answer = linesIn(log).findLast(({ to, message }) => to === "client" && message.result?.content);
    const [text] = answer?.message.result?.content ?? [];
    const measured = events.find((event) => event.type === "measured");
    assert.equal(measured?.type === "measured" && measured.chars, text?.text.length);
  });

  test("everything: structured content, an image, links, embedded resources, an error, progress", async () => {
    const server = real(log, EVERYTHING);
    const { tools, close } = await open({ s: server });
    const origin = tools.find(({ spec }) => spec.name === "s__get-sum")?.spec.origin;
    assert.deepEqual(
      [origin?.server, origin?.configured, origin?.tool],
      ["mcp-servers/everything", "s", "get-sum"],
    );
    assert.equal(origin?.hints.readOnlyHint, true);
    assert.match(origin?.schemaSha256 ?? "", /^[0-9a-f]{64}$/);
    await close();
    const calls = [
      { name: "s__get-sum", arguments: { a: 2, b: 3 } },
      { name: "s__get-structured-content", arguments: { location: "Chicago" } },
      { name: "s__get-tiny-image", arguments: {} },
      { name: "s__get-resource-links", arguments: { count: 2 } },
      { name: "s__get-resource-reference", arguments: { resourceType: "Blob", resourceId: 1 } },
      { name: "s__get-sum", arguments: { a: "two" } },
      { name: "s__trigger-long-running-operation", arguments: { duration: 0.2, steps: 2 } },
    ];
    const { remembered, events } = await run(server, [{ calls }]);
    const texts = remembered.map(({ text }) => text.split("\n").slice(1, -1).join("\n")); // without the fence
    assert.match(texts[0] ?? "", /The sum of 2 and 3 is 5/);
    assert.match(texts[1] ?? "", /"conditions":"Light rain/);
    assert.equal(texts[1]?.match(/humidity/g)?.length, 1);
    assert.equal(remembered[2]?.media?.[0]?.mediaType, "image/png");
    assert.equal(texts[3]?.match(/\[Resource demo:/g)?.length, 2);
    assert.equal(remembered[4]?.media?.length, 1);
    assert.equal(remembered[5]?.isError, true);
    assert.match(texts[6] ?? "", /Long running operation completed/);
    const outcomes = events.flatMap((event) => (event.type === "executed" ? [event.outcome] : []));
    assert.deepEqual(outcomes, ["ok", "ok", "ok", "ok", "ok", "failed", "ok"]);
  });

  test("a secret in the environment of a server's settings is nowhere in the session's log", async () => {
    const env = { MY_API_TOKEN: "plain-words-no-format" };
    const { events } = await run({ ...real(log, EVERYTHING), env }, [
      { calls: [{ name: "s__get-env", arguments: {} }] },
    ]);
    assert.match(JSON.stringify(events), /\[env:MY_API_TOKEN\]/);
    assert.doesNotMatch(JSON.stringify(events), /plain-words-no-format/);
  });

  test("§7 a server's word grants nothing: reads are asked for, every time once the agent has read from outside", async () => {
    const twice = [
      ...gitLog({ path: repository, maxCount: 1 }),
      ...gitLog({ path: repository, maxCount: 2 }),
    ];
    const { questions } = await run(real(log, GIT), twice);
    assert.deepEqual(
      questions.map(({ tool, alwaysAsk, because }) => [tool.origin?.tool, alwaysAsk, because]),
      [
        ["git_log", false, null],
        ["git_log", true, "outside"], // it does not say that its world is closed
      ],
    );
  });

  test("filesystem: reads are asked for, writes every time, and a text that is said twice is shown once", async () => {
    writeFileSync(path.join(folder, "a.txt"), "content of a\n");
    const file = (name: string) => path.join(folder, name);
    const calls = [
      { name: "s__read_text_file", arguments: { path: file("a.txt") } },
      { name: "s__write_file", arguments: { path: file("b.txt"), content: "new" } },
      { name: "s__read_text_file", arguments: { path: "/etc/hostname" } },
    ];
    const { questions, remembered } = await run(real(log, FILES, folder), [{ calls }]);
    assert.deepEqual(
      questions.map(({ tool, alwaysAsk, because }) => [tool.origin?.tool, alwaysAsk, because]),
      [
        ["read_text_file", false, null], // "in this session" is offered: the server says that it reads, and nothing outside
        ["write_file", true, "sensitive"],
        ["read_text_file", false, null],
      ],
    );
    assert.match(remembered[0]?.text ?? "", /content of a/);
    assert.equal(remembered[0]?.text.match(/content of a/g)?.length, 1); // the server says it twice
    assert.match(remembered[2]?.text ?? "", /Access denied/);
    assert.equal(remembered[2]?.isError, true);
  });
});
