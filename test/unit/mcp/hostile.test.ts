/** Servers that break their word: an error that names them, their tools away, the rest goes on, no process left. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { call, closeAll, fake, open, picture, temporaryFolder } from "../../support/mcp/servers";

suite("mcp/hostile servers", () => {
  const folder = temporaryFolder();
  teardown(closeAll);

  const isAlive = (pid: number): boolean => {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", `${pid}`], { encoding: "utf8" });
    return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
  };

  test("a server that does not start, or answers rubbish, is named; a good one beside it works", async () => {
    const servers: [mode: string, why: RegExp][] = [
      ["exits at once", /ended by itself \(exit code 5\)/],
      ["silent", /did not answer within 1\.5 s/],
      ["rubbish", /answered the handshake with something else/],
      ["rubbish list", /answered with something that is no list of tools/],
      ["strange version", /speaks version "1999-01-01" of the protocol/],
      ["refuses", /refused: no reason given/],
      ["no tools", /offers no tools/],
    ];
    const settings = Object.fromEntries(servers.map(([mode]) => [mode, fake(mode)]));
    const missing = { command: path.join(folder, "no such program") };
    const { problems, names } = await open(
      { ...settings, missing, good: fake("good") },
      { startTimeoutMs: 1500 },
    );
    assert.deepEqual(names, ["good__say"]);
    assert.equal(problems.length, servers.length + 1, problems.join("\n"));
    for (const [mode, why] of [...servers, ["missing", /could not be started: .*ENOENT/] as const]) {
      const whole = new RegExp(
        `^The MCP server ${mode} ${why.source}.* Its tools are not available in this run\\.$`,
      );
      assert.equal(problems.filter((sentence) => whole.test(sentence)).length, 1, mode);
    }
  });

  test("rubbish between messages, and messages in pieces, cost nothing but a line in the log", async () => {
    const { tools, problems, printed, close } = await open({ g: fake("garbage") });
    assert.deepEqual(problems, []);
    assert.equal(picture(await call(tools[0], { a: 1 })), 'ok: {"a":1}');
    await close();
    assert.match(printed.join(), /not a message: Listening on stdio…/);
  });

  test("a line of 100 MB ends the server, not the host", async () => {
    const { tools } = await open({ g: fake("long line") });
    assert.match(
      picture(await call(tools[0], {})),
      /^failed server_unavailable: The MCP server g sent a line of more than 88 MB/,
    );
    assert.match(picture(await call(tools[0], {})), /^failed server_unavailable/); // and nobody waits for it again
  });

  test("a server that talks on and on is ended once it has said 16 MB that nobody asked for", async () => {
    const { tools, problems } = await open({ f: fake("flood") });
    const spoken = async () => (tools[0] ? picture(await call(tools[0], {})) : problems.join());
    for (let tries = 0; !/nobody asked for/.test(await spoken()) && tries < 200; tries++) await delay(20);
    assert.match(await spoken(), /The MCP server f sent more than 16 MB that nobody asked for/);
  });

  test("a server that ends in the middle of a call, or never answers it, fails that call", async () => {
    const { tools } = await open({ e: fake("exits"), s: fake("silent call") }, { callTimeoutMs: 300 });
    assert.match(
      picture(await call(tools[0], {})),
      /^failed server_unavailable: The MCP server e ended by itself \(exit code 3\)\. .*may have partly run/,
    );
    assert.match(
      picture(await call(tools[1], {})),
      /^failed timed_out: The MCP server s did not answer in time\. It may/,
    );
    assert.match(picture(await call(tools[1], {})), /^failed timed_out/);
  });

  test("a stop cancels the call at the server and does not wait", async () => {
    const CANCELLED = path.join(folder, "cancelled");
    const { tools } = await open({ s: fake("silent call", undefined, { CANCELLED }) });
    const stop = new AbortController();
    const running = call(tools[0], {}, { signal: stop.signal });
    await delay(50);
    stop.abort();
    assert.match(picture(await running), /^failed stopped: /);
    for (let tries = 0; !existsSync(CANCELLED) && tries < 100; tries++) await delay(20);
    assert.match(
      readFileSync(CANCELLED, "utf8"),
      /"method":"notifications\/cancelled","params":\{"requestId":3/,
    );
  });

  test("closing ends a server that will not, with what it started", async () => {
    const PIDS = path.join(folder, "pids");
    const { close } = await open({ s: fake("stays", undefined, { PIDS }) });
    const pids = readFileSync(PIDS, "utf8").split(" ").map(Number);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    await close();
    assert.deepEqual(pids.map(isAlive), [false, false]);
  });

  test("a stop while servers start leaves none behind", async () => {
    const stop = new AbortController();
    const opening = open({ s: fake("silent") }, {}, stop.signal);
    await delay(100);
    stop.abort();
    assert.deepEqual((await opening).names, []);
  });

  test("standard error is kept to its end, for the log alone, without the secrets of the settings", async () => {
    const { tools, printed, close } = await open({
      s: fake("stderr", undefined, { MY_API_KEY: "hush-hush-77" }),
    });
    assert.equal(picture(await call(tools[0], {})), "ok: {}");
    await close();
    assert.equal(printed.length, 1);
    assert.ok((printed[0]?.length ?? 0) < 25_000);
    assert.match(printed[0] ?? "", /e{1000}the end \[env:MY_API_KEY\]\n$/);
  });

  test("a secret of the settings that a tool returns is hidden; our own environment is not passed on", async () => {
    process.env.CLK_TEST_TOKEN = "not-for-servers";
    const { tools } = await open({ t: fake("tells env", undefined, { MY_API_KEY: "hush-hush-77" }) });
    assert.equal(picture(await call(tools[0], {})), "ok: [env:MY_API_KEY]");
    const script = "process.stderr.write(JSON.stringify(process.env));process.exit(1)";
    const { printed, close } = await open({ n: { command: process.execPath, args: ["-e", script] } });
    await close();
    delete process.env.CLK_TEST_TOKEN;
    assert.match(printed.join(), /"PATH"/);
    assert.doesNotMatch(printed.join(), /not-for-servers/);
  });

  test("what a server's list says: all its pages, no end of them, names of any form, two servers with the same", async () => {
    const named = (name: string) => ({ name, inputSchema: { type: "object" } });
    const five = ["a", "b", "c", "d", "e"].map(named);
    assert.deepEqual((await open({ p: fake("pages", five) })).names, [
      "p__a",
      "p__b",
      "p__c",
      "p__d",
      "p__e",
    ]);
    const endless = await open({ p: fake("endless list") });
    assert.deepEqual(endless.names, ["p__t0", "p__t1", "p__t2", "p__t3", "p__t1"].slice(0, 4));
    assert.match(endless.problems.join(), /MCP server p: its list of tools does not end/);

    const long = "n".repeat(200);
    const strange = [
      named("list/all"),
      named(long),
      named("工具"),
      named("a"),
      { name: "no schema" },
      named("a"),
      7,
    ];
    const { tools, names, problems } = await open({
      "my server": fake("good", strange),
      other: fake("good", [named("a")]),
    });
    assert.deepEqual(
      tools.map(({ spec }) => spec.origin?.tool),
      ["list/all", long, "工具", "a", "a"],
    );
    for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
    assert.equal(new Set(names).size, names.length);
    assert.match(problems.join("\n"), /two tools called my_server__a/);
    assert.match(problems.join("\n"), /a tool without a name or a schema for an object is left out/);
  });

  test("a list that changes during a run changes nothing in it, and another listing in the next", async () => {
    const { tools, names, close } = await open({ c: fake("changes") });
    assert.equal(picture(await call(tools[0], { a: 1 })), 'ok: {"a":1}');
    assert.equal(picture(await call(tools[0], { a: 2 })), 'ok: {"a":2}');
    assert.deepEqual(names, ["c__say"]);
    await close();
    const described = { name: "say", description: "Other.", inputSchema: { type: "object" } };
    const { tools: next } = await open({ c: fake("good", [described]) });
    const [before, after] = [tools[0]?.spec.origin, next[0]?.spec.origin];
    assert.equal(before?.schemaSha256, after?.schemaSha256);
    assert.notEqual(before?.listingSha256, after?.listingSha256); // an approval of the one is none of the other
  });

  test("schemas too deep or too long, and tools that need what we do not offer, are left out by name", async () => {
    let deep: object = { type: "object" };
    for (let i = 0; i < 40; i++) deep = { type: "object", properties: { a: deep } };
    const { names, problems } = await open({
      s: fake("good", [
        { name: "deep", inputSchema: deep },
        { name: "long", inputSchema: { type: "object", description: "d".repeat(70_000) } },
        { name: "task", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
        { name: "half", description: "\ud800", inputSchema: { type: "object" } },
        { name: "fine", inputSchema: { type: "object" } },
      ]),
    });
    assert.deepEqual(names, ["s__fine"]);
    for (const name of ["deep", "long", "task", "half"])
      assert.match(problems.join(), new RegExp(`the tool "${name}"`));
  });

  test("an error of the protocol and progress on the way", async () => {
    const { tools } = await open({ e: fake("error"), p: fake("progress") });
    assert.equal(picture(await call(tools[0], {})), "failed server_refused: no say (MCP error -32602 of e)");
    const told: string[] = [];
    await call(tools[1], {}, { progress: (text) => told.push(text) });
    assert.deepEqual(told, ["1/3 at it\n"]);
  });
});
