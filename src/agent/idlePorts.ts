/** The ports of a session that does not run: what it had when it was configured last, and nothing that acts. */
import type { EventOf } from "../schema/event";
import type { Ports } from "./ports";

export function idlePorts({
  model,
  tools,
}: EventOf<"configured">): Omit<Ports, "log" | "claims" | "clock" | "hash" | "tokens"> {
  return {
    model: {
      info: model,
      reply: () => {
        throw idle();
      },
    },
    tools: tools.map((spec) => ({ spec, run: () => Promise.reject(idle()) })),
    approver: { isTrusted: () => false, ask: () => Promise.reject(idle()) },
    watcher: { replyText: () => undefined, toolProgress: () => undefined },
  };
}

const idle = () => new Error("a session that does not run was to act");
