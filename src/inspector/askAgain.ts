/** What the model is asked when a person wants a call once more. */
import { turnOfCall } from "../history/fold";
import type { Logged } from "../schema/event";
import { argumentParts } from "./detailTexts";

/** More than this is not put into a box to be read. */
const ASKED_CHARS = 1000;

/** With the arguments as the model wrote them, of which a view has only the beginning; long ones are in the conversation. */
export function askAgain(tool: string, call: string, events: readonly Logged[]): string {
  const [written] = argumentParts(call, events);
  const same =
    written === undefined || written.text.length > ASKED_CHARS
      ? `the same arguments as in turn ${turnOfCall(call)}`
      : `the arguments ${written.text}`;
  return `Call ${tool} again with ${same}`;
}
