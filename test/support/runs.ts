// test/support: runs of real sessions in a store on disk, with tools that are functions and a scripted model.

import { actOnSession } from "../../src/agent/actOnSession";
import type { ActQueue } from "../../src/agent/actQueue";
import { runSession } from "../../src/agent/runSession";
import type { SessionAct } from "../../src/schema/act";
import type { EventOf, EventType, Logged } from "../../src/schema/event";
import type { Sessions } from "../../src/store/sessions";
import { type HouseOptions, openHouse } from "./house";

export type RunIn = HouseOptions & {
  readonly session?: string; // none: a new one
  readonly question?: string;
  readonly acts?: ActQueue;
  readonly watch?: (session: string, event: Logged) => void;
};

/** Runs a session to its end; `requests` are what the model was sent. */
export async function runIn(store: Sessions, { session: id, question = "Go on.", ...options }: RunIn) {
  const house = await openHouse(options);
  const { ports, settings, policy } = house.conversation.context;
  const session = id ? { kind: "existing" as const, id } : { kind: "new" as const, workspace: "work" };
  const result = await runSession(
    {
      ...{ store, session, question, ports },
      configuration: { settings, policy, intent: null },
      watch: (name, events) => {
        for (const event of events) options.watch?.(name, event);
      },
      ...(options.acts && { acts: options.acts }),
    },
    new AbortController().signal,
  );
  return { ...result, requests: house.requests };
}

/** Does something to a session that does not run. */
export async function actIn(store: Sessions, session: string, act: SessionAct): Promise<void> {
  const { clock, hash, tokens } = (await openHouse({ replies: [] })).conversation.context.ports;
  await actOnSession(store, session, act, { clock, hash, tokens });
}

export const ofType = <T extends EventType>(events: readonly Logged[], type: T): (Logged & EventOf<T>)[] =>
  events.filter((event): event is Logged & EventOf<T> => event.type === type);
