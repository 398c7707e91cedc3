// test/support: a session of any length, as its log would be, without running it: sizes alone matter.

import type { Handle } from "../../src/schema/claim";
import type { Logged, SessionEvent } from "../../src/schema/event";
import { sha256 } from "../../src/store/digest";
import { eventWith } from "./everyEvent";

export type LongSession = {
  readonly turns: number;
  readonly calls: number; // of each turn
  readonly readsBackFirst?: boolean; // every turn but the first reads the first result
};

const handleNamed = (n: number): Handle => `claim:${sha256(String(n)).slice(0, 32)}` as Handle;

/** Each turn asks for `calls` results, of which every third is stored; old ones are shortened as they age. */
export function longSession({ turns, calls, readsBackFirst = false }: LongSession): readonly Logged[] {
  const events: SessionEvent[] = [eventWith("session_started", {}), eventWith("configured")];
  for (let turn = 1; turn <= turns; turn++) {
    if (turn % 20 === 1) events.push(eventWith("asked", { turn, text: `Question of turn ${turn}` }));
    events.push(
      eventWith("requested", { turn, messages: turn * (calls + 1), chars: 4000 + turn * 10 }),
      eventWith("replied", {
        turn,
        text: `I look at part ${turn}.`,
        end: "calls",
        error: null,
        calls: Array.from({ length: calls }, (_, n) => ({
          ...{ call: `t${turn}c${n}`, id: `id${turn}-${n}` },
          name: readsBackFirst && turn > 1 ? "fetch_result" : "read_file",
          arguments: JSON.stringify({ path: `src/part${turn}/file${n}.ts` }),
        })),
      }),
    );
    for (let n = 0; n < calls; n++) events.push(...eventsOfCall(turn, n, readsBackFirst && turn > 1));
    if (turn > 10) events.push(agedOf(turn));
  }
  return events.map((event, n) => ({ ...event, n, at: 1_764_000_000_000 + n * 500, origin: "loop" }));
}

function eventsOfCall(turn: number, n: number, isReadBack: boolean): SessionEvent[] {
  const call = `t${turn}c${n}`;
  const shown = eventWith("remembered", { call, text: `The result of ${call}. `.repeat(10) });
  if (isReadBack) return [eventWith("redeemed", { call, handle: handleNamed(1000) }), shown];
  const isStored = n % 3 === 0;
  const handle = handleNamed(turn * 1000 + n);
  return [
    eventWith("clamped", { call }),
    eventWith("authorised", { call, granted: true }),
    eventWith("executed", { call }),
    eventWith("measured", { call }),
    ...(isStored ? [eventWith("tool_result_stored", { call, handle })] : []),
    shown,
  ];
}

function agedOf(turn: number): SessionEvent {
  const old = `t${turn - 10}c0`;
  const [decision] = eventWith("aged").decisions;
  if (!decision) throw new Error("the fixture shortens something");
  return eventWith("aged", { turn, decisions: [{ ...decision, call: old }] });
}
