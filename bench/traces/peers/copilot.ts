/**
 * bench traces: Copilot Chat in VS Code (microsoft/vscode-copilot-chat, `onText` of the tool results' prompt element, and
 * setting `chat.agent.largeToolResultsToDisk.thresholdBytes`, 8192): a result of more code units than that goes to a file,
 * and a notice with its path remains; for JSON, with a second path, of its schema. No part of the result is shown. In
 * our words, at the length of theirs.
 */

import type { Policy, Shown } from "../../../src/inspector/whatIf/types";
import { onArrival } from "../onArrival";
import { pathOf } from "../paths";

const THRESHOLD_UNITS = 8192; // named bytes, compared with the length of a string

export const copilot: Policy = onArrival("copilot", ({ text }, at) => spilled(text, pathOf(at)));

export function spilled(text: string, path: string): Shown | null {
  if (text.length <= THRESHOLD_UNITS) return null;
  const size = `${Math.round(text.length / 1024)}KB`;
  const schema = isJson(text) ? `\n\nSchema of data is at: ${path}` : "";
  return {
    text: `Large tool output (${size}) is in a file now. Use the read_file tool to see all of it, it is: ${path}${schema}`,
    kept: [],
    isKept: true,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // any other text
  }
}
