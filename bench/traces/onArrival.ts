/** bench traces: policies that look at a result once, when it arrives. */
import type { Change, Policy, ResultItem, Shown } from "../../src/inspector/whatIf/types";

/** `rule`: null leaves the result as it is; `at` is its index among the items. */
export function onArrival(name: string, rule: (item: ResultItem, at: number) => Shown | null): Policy {
  return {
    name,
    open() {
      let seen = 0;
      return (items) => {
        const changes: Change[] = [];
        for (; seen < items.length; seen++) {
          const item = items[seen];
          const shown = item?.kind === "result" ? rule(item, seen) : null;
          if (shown) changes.push({ at: seen, shown });
        }
        return changes;
      };
    },
  };
}
