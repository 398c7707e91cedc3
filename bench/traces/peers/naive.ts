/** bench traces: nothing is ever changed. The baseline of every ratio. */
import type { Policy } from "../../../src/inspector/whatIf/types";

export const naive: Policy = { name: "naive", open: () => () => [] };
