/** Where the user went against a clamp: an exemption or an intent that came after one (seed 003 §Metrics, override rate). Pure. */
import type { Logged } from "../schema/event";
import type { Intent } from "../schema/policy";
import type { CallFacts } from "./callFacts";
import { NEAR_TURNS } from "./rereads";

/** `calls`: those lowered in the three turns before. `of`: the event that says so. */
export type Override = {
  readonly event: number;
  readonly what: "intent" | "exemption";
  readonly to: string;
  readonly calls: readonly string[];
};

/** Linear: each lowered call is looked at in three turns at most, and a change of intent comes once per configuration. */
export function overridesFrom(events: readonly Logged[], calls: readonly CallFacts[]): Override[] {
  const byCall = new Map(calls.map((facts) => [facts.call, facts]));
  const overrides: Override[] = [];
  const exempted = new Set<string>();
  const lowered = new Set<string>(); // tools
  let recent: CallFacts[] = [];
  let intent: Intent | null = null;
  let turn = 0;
  const add = (event: number, what: Override["what"], to: string, isMeant: (facts: CallFacts) => boolean) => {
    const meant = recent.filter((facts) => turn - facts.turn <= NEAR_TURNS && isMeant(facts));
    overrides.push({ event, what, to, calls: meant.map(({ call }) => call) });
  };
  for (const event of events) {
    if (event.type === "requested") turn = event.turn;
    else if (event.type === "configured") {
      if (event.intent !== null && event.intent !== intent && lowered.size > 0)
        add(event.n, "intent", event.intent, () => true);
      intent = event.intent;
    } else if (event.type === "clamped") {
      const facts = byCall.get(event.call);
      if (facts === undefined) continue;
      const { exemption, tool } = facts;
      const key = JSON.stringify([tool, exemption]);
      if (exemption !== null && facts.reason === "exempt" && lowered.has(tool) && !exempted.has(key)) {
        exempted.add(key);
        add(event.n, "exemption", exemption, (other) => other.tool === tool);
      }
      if (!facts.isLowered) continue;
      lowered.add(tool);
      if (recent.at(-1)?.turn !== facts.turn)
        recent = recent.filter((other) => facts.turn - other.turn <= NEAR_TURNS);
      recent.push(facts);
    }
  }
  return overrides;
}
