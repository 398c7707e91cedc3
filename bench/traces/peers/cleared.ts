/** bench traces: what stands for a result that is gone. In our words, at the 33 characters of opencode's. */
import type { Shown } from "../../../src/inspector/whatIf/types";

export const CLEARED: Shown = { text: "[This older tool output is gone.]", kept: [], isKept: false };
