// test/support: sessions about result limits, through the real loop: tools that return as many rows as they are asked for.

import { recordedQuestion } from "../../src/agent/question";
import type { ScriptReply } from "../../src/models/script";
import type { Logged } from "../../src/schema/event";
import { type Intent, LimitMode, NamedIntent, type PolicyArtifact } from "../../src/schema/policy";
import { DEFAULT_SETTINGS } from "../../src/schema/settings";
import { asRaw } from "../../src/schema/text";
import { type Replay, replayFrom } from "../../src/thimble/replay";
import { hash, openHouse, tool } from "./house";
import { randomFrom } from "./random";
import { artifactWith, contractWith } from "./thimble";

const rows = (args: string) => {
  const { limit = 20, offset = 0 } = JSON.parse(args) as { limit?: number; offset?: number };
  const count = Number.isInteger(limit) && limit > 0 ? Math.min(limit, 500) : 0;
  const lines = Array.from({ length: count }, (_, i) => `row ${offset + i}: ${"x".repeat(20)}`);
  return { kind: "ok" as const, text: asRaw(lines.join("\n")), items: count };
};

/** A list, a search, a change that asks, and a tool without a contract. */
export const LIMIT_TOOLS = ["list", "search", "other"]
  .map((name) => tool(name, (args) => (isJson(args) ? rows(args) : "no JSON"), { class: "list" }))
  .concat(tool("change", () => "done", { effect: "write" }));

export const LIMIT_POLICY: PolicyArtifact = artifactWith([
  contractWith({ continuation: { kind: "offset", argument: "/offset" } }),
  contractWith({
    tool: "list",
    maximum: 50,
    aliases: ["/count"],
    continuation: { kind: "page", argument: "/page" },
  }),
  contractWith({ tool: "change", maximum: 5 }),
  contractWith({ tool: "fetch_result", argument: "/line", maximum: 1 }),
]);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export type LimitRun = {
  readonly mode?: LimitMode;
  readonly intent?: Intent;
  readonly hardMaximum?: number | null;
  readonly policy?: PolicyArtifact;
  readonly events?: readonly Logged[];
  readonly claimCheck?: boolean;
};

/** Asks once; each element is one reply's calls. Returns the log, the earlier events of `run` first. */
export async function limitSession(
  replies: readonly (readonly (readonly [name: string, args: unknown])[])[],
  {
    mode = "enforce",
    intent,
    hardMaximum = null,
    policy = LIMIT_POLICY,
    events,
    claimCheck = true,
  }: LimitRun = {},
): Promise<Logged[]> {
  const script: ScriptReply[] = replies.map((calls) => ({
    calls: calls.map(([name, args]) => ({
      name,
      arguments: args as never,
    })),
  }));
  const house = await openHouse({
    tools: LIMIT_TOOLS,
    replies: [...script, { say: "Done." }],
    policy,
    settings: {
      limits: { mode, hardMaximum },
      claimCheck: { ...DEFAULT_SETTINGS.claimCheck, enabled: claimCheck },
    },
    ...(intent && { intent }),
    ...(events && { events }),
  });
  const end = await house.ask("How many are there?");
  if (end.end !== "answered") throw new Error(end.message);
  return house.events;
}

const ARGUMENTS = [
  '{"limit":500}',
  '{"limit":500,"offset":0}',
  '{"query":"é😀","limit": 9007199254740993}',
  '{"limit":5}',
  '{"limit":"500"}',
  '{"limit":-1}',
  '{"limit":500.0}',
  '{"limit":500,"limit":5}',
  '{"limit":',
  "{}",
  '{"count":77,"page":1}',
  '{"count":77,"page":2}',
  '{"limit":9223372036854775808}',
  '{"line":500,"handle":"claim:00000000000000000000000000000000"}',
];

/** A session of one to three runs, each in a mode and intent of its own. The same for the same seed. */
export async function randomLimitSession(seed: number): Promise<Logged[]> {
  const random = randomFrom(seed);
  const one = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  let events: Logged[] | undefined;
  for (let run = random(3); run >= 0; run--) {
    const replies = Array.from({ length: 1 + random(4) }, () =>
      Array.from(
        { length: 1 + random(3) },
        () =>
          [one(["list", "search", "other", "change", "fetch_result", "nowhere"]), one(ARGUMENTS)] as const,
      ),
    );
    const other = { ...LIMIT_POLICY, default_budget: { items: 1 + random(9) } };
    events = await limitSession(replies, {
      mode: one(LimitMode.options),
      hardMaximum: one([null, null, 3, 100]),
      policy: one([LIMIT_POLICY, other]),
      ...(random(3) === 0 && { intent: one(NamedIntent.options) }),
      ...(events && { events }),
    });
  }
  return events ?? [];
}

export const PORTS = { hash, questionOf: recordedQuestion };
export const replayed = (events: readonly Logged[], problem: string | null = null): Replay =>
  replayFrom(events, PORTS, problem);

/** The log as it would be read back from disk. */
export const copied = (events: readonly Logged[]): Logged[] => JSON.parse(JSON.stringify(events)) as Logged[];

/** A copy in which one event is another. */
export function altered<T extends Logged["type"]>(
  events: readonly Logged[],
  type: T,
  change: (event: Extract<Logged, { type: T }>) => void,
  which = 0,
): Logged[] {
  const copy = copied(events);
  const found = copy.filter((event) => event.type === type)[which];
  if (!found) throw new Error(`no ${type} to alter`);
  change(found as Extract<Logged, { type: T }>);
  return copy;
}
