/** What a session knows of its lists: how to make their pages again, and what of them was seen. A fold of the log. */
import type { Handle } from "../schema/claim";
import type { ListHints } from "../schema/coverage";
import type { Fold } from "../schema/event";
import { type GateState, openGate, throughGate } from "./gate";

export type CoverageState = {
  readonly lists: Readonly<Record<Handle, { readonly hints: ListHints; readonly budgetBytes: number }>>;
  readonly gate: GateState;
};

export const coverageFold: Fold<CoverageState> = {
  begin: () => ({ lists: {}, gate: openGate }),
  reduce(state, event) {
    const through = (...moves: Parameters<typeof throughGate>[1][]): CoverageState => ({
      ...state,
      gate: moves.reduce(throughGate, state.gate),
    });
    switch (event.type) {
      case "covered": {
        const { handle, hints, budgetBytes, total, complete, skipped, page } = event;
        const next = through(
          { kind: "listed", handle, tool: event.tool, total, complete, skipped },
          { kind: "paged", handle, ...page },
        );
        return { ...next, lists: { ...state.lists, [handle]: { hints, budgetBytes } } };
      }
      case "paged": {
        const { handle, first, last, references } = event;
        return through({ kind: "paged", handle, first, last, references });
      }
      case "redeemed":
        return event.record === undefined || event.offset + event.chars < event.totalChars
          ? state
          : through({ kind: "record", handle: event.handle, index: event.record });
      case "replied":
        return event.end === "answered" || event.end === "calls" ? through({ kind: "replied" }) : state;
      case "gated":
        return event.verdict === "say" ? through({ kind: "said" }) : state;
      case "asked": // another question begins anew
        return { ...state, gate: { ...state.gate, said: false } };
      default:
        return state;
    }
  },
};
