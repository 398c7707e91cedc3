// test/support: a process of its own that writes a session, until somebody ends it.
//   writer ROOT SESSION|new     prints "open SESSION", "shown HANDLE" for every ticket that the model was shown, "end MESSAGE"
//   writer ROOT SESSION hold    only opens it and waits
//   KEYS, REDIS in the environment: how sessions are kept (fileKeys.ts)

import { fetchResult } from "../../src/agent/retrieve";
import { runSession } from "../../src/agent/runSession";
import { estimatedTokens } from "../../src/history/tokens";
import type { ChatModel } from "../../src/schema/model";
import { DEFAULT_SETTINGS } from "../../src/schema/settings";
import { sha256 } from "../../src/store/digest";
import { DEFAULT_LIMITS } from "../../src/store/room";
import { Sessions } from "../../src/store/sessions";
import { builtinPolicy } from "../../src/thimble/builtin";
import { vaultOf } from "./fileKeys";
import { tool } from "./house";

const [root = "", session = "new", mode = "write"] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const clock = {
  now: () => Date.now(),
  sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
};

const model: ChatModel = {
  info: {
    id: "m",
    name: "m",
    maxInputTokens: null,
    abilities: { rawArguments: true, usage: false, cacheControl: false },
  },
  async *reply() {
    for (const n of [1, 2, 3]) yield { kind: "call", id: "", name: "read_file", arguments: `{"n":${n}}` };
  },
};

let count = 0;
const big = () => `${process.pid} ${count++} ${"some words of content. ".repeat(300)}`;

const { KEYS = "", REDIS = "" } = process.env;
const store = await Sessions.open(root, "file:///work", clock, DEFAULT_LIMITS, vaultOf(KEYS, REDIS));
if (mode === "hold") {
  await store.open(session);
  say(`open ${session}`);
  setInterval(() => undefined, 1000);
} else {
  const result = await runSession(
    {
      store,
      session: session === "new" ? { kind: "new", workspace: "work" } : { kind: "existing", id: session },
      question: "Go on.",
      configuration: {
        settings: { ...DEFAULT_SETTINGS, maxTurns: 100_000 },
        policy: builtinPolicy(sha256),
        intent: null,
      },
      ports: {
        model,
        tools: [tool("read_file", big, { class: "read" }), fetchResult],
        approver: { isTrusted: () => true, ask: async () => ({ granted: false, by: "user", reason: "no" }) },
        clock,
        hash: sha256,
        tokens: estimatedTokens,
        watcher: { replyText: () => undefined, toolProgress: () => undefined },
      },
      watch: (id, events) => {
        for (const event of events) {
          if (event.type === "configured") say(`open ${id}`);
          if (event.type === "remembered" && event.handle !== null) say(`shown ${event.handle}`);
        }
      },
    },
    new AbortController().signal,
  );
  say(`end ${result.end.message}`);
}
