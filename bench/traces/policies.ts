/** bench traces: all that are compared. */
import { ours } from "../../src/inspector/whatIf/ours";
import type { Policy } from "../../src/inspector/whatIf/types";
import { chatcli } from "./peers/chatcli";
import { clearToolUses } from "./peers/clearToolUses";
import { copilot } from "./peers/copilot";
import { deepagents } from "./peers/deepagents";
import { gemini } from "./peers/gemini";
import { naive } from "./peers/naive";
import { opencode } from "./peers/opencode";

export const POLICIES: readonly Policy[] = [
  ours,
  naive,
  chatcli,
  opencode,
  gemini,
  clearToolUses,
  deepagents,
  copilot,
];
