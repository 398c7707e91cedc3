/** fetch_result: the one tool that redeems handles, a window at a time (seed 000 §Reading it back, CONFORMANCE §1). */
import { isMedia } from "../claims/claim";
import { parseHandle } from "../claims/handle";
import {
  CLAIM_FORGOTTEN,
  CLAIM_UNAVAILABLE,
  FETCH_RESULT,
  fenced,
  INVALID_OFFSET,
  matchesText,
  mediaDescription,
  NOT_FOUND,
  windowText,
} from "../claims/ticket";
import { WINDOW_CHARS, windowOf } from "../claims/window";
import { parseCursorHandle } from "../coverage/cursor";
import { pageLabel } from "../coverage/label";
import { readPage, readRecord } from "../coverage/readList";
import type { Snapshot } from "../coverage/snapshot";
import {
  type Claim,
  FETCH_ARGUMENTS_SCHEMA,
  FetchArguments,
  type Handle,
  type Matches,
  type RefusalReason,
  type Selector,
} from "../schema/claim";
import { Failure } from "../schema/failure";
import { asRaw, charLength } from "../schema/text";
import type { Tool } from "../schema/tool";
import { pathOf, scan } from "../thimble/scan";
import type { Permit } from "./authorise";
import type { CallContext } from "./callContext";
import { keepList, shownOf, snapshotFor } from "./cover";
import type { Step } from "./step";

/** The window or the refusal, as the model sees it. */
export type Redeemed = {
  readonly call: string;
  readonly handle: Handle | null;
  readonly isError: boolean;
  readonly isPage?: true; // of a list
  readonly tainted: boolean;
  readonly text: string;
};

type Retrieval = Step<Redeemed, "redeemed" | "paged" | "redemption_refused">;

const GIVEN_CHARS = 80;

/** Offered where results are stored. The loop runs it itself: stored content never passes the boundary twice. */
export const fetchResult: Tool = {
  spec: {
    name: FETCH_RESULT,
    description: `Reads a stored result back, unchanged, at most ${WINDOW_CHARS} characters at a time: from an offset (go on with the one that the result names), from a line, or one value of a JSON content; of a list, whole pages and records. Or finds a text in all of it.`,
    inputSchema: FETCH_ARGUMENTS_SCHEMA,
    class: "other",
    effect: "read",
  },
  run: async () => ({
    kind: "failed",
    code: "not_run_here",
    text: asRaw("fetch_result is run by the session."),
  }),
};

export const isRetrieval = (permit: Permit & { kind: "granted" }): boolean =>
  permit.tool.spec.name === FETCH_RESULT;

export async function retrieve(
  permit: Permit & { kind: "granted" },
  context: CallContext,
): Promise<Retrieval> {
  const { call } = permit.proposed.call;
  const given = argumentsOf(permit.proposed.argumentsText);
  if (given === null) return refusal(call, "invalid_arguments", permit.proposed.argumentsText, null);
  if (/[@#]/.test(given.handle)) return retrieveOfList(call, given, context);
  const handle = parseHandle(given.handle);
  if (handle === null) return refusal(call, "malformed", given.handle, null);
  const claim = context.ports.claims.find(handle);
  if (!claim) return refusal(call, "unknown", given.handle, null);
  if (claim.forgotten) return refusal(call, "forgotten", given.handle, handle);
  for (const [name, value, least] of [
    ["offset", given.offset, 0],
    ["line", given.line, 1],
  ] as const) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least))
      return refusal(call, "invalid_offset", `${name} ${value}`, handle);
  }
  try {
    if (isMedia(claim)) {
      await context.ports.claims.readBytes(claim.sha256); // what cannot be read is refused, whatever it is
      return described(call, handle, claim, given);
    }
    if (given.find !== undefined)
      return found(call, handle, claim, given.find, await context.ports.claims.search(claim, given.find));
    const stretch = await stretchOf(given, claim, context);
    if (stretch === null) return refusal(call, "not_found", given.pointer ?? "", handle);
    const { selector, offset, maximumChars } = stretch;
    const window = await context.ports.claims.window(claim, offset, maximumChars);
    const { chars, totalChars } = window;
    const tainted = claim.tainted === true && chars > 0;
    const text = windowText(handle, window, tainted ? claim.tool : null);
    return {
      value: { call, handle, isError: false, tainted, text },
      event: {
        type: "redeemed",
        call,
        handle,
        selector,
        offset: window.offset,
        chars,
        totalChars,
        matches: null,
      },
    };
  } catch (cause) {
    return refusal(call, reasonOf(cause), given.handle, handle);
  }
}

/** A page of a list, or one record of it, by the cursor behind its handle. */
async function retrieveOfList(call: string, given: FetchArguments, context: CallContext): Promise<Retrieval> {
  const parsed = parseCursorHandle(given.handle);
  if (parsed === null) return refusal(call, "malformed_cursor", given.handle, null);
  const { handle, cursor } = parsed;
  const claim = context.ports.claims.find(handle);
  if (!claim) return refusal(call, "unknown", given.handle, null);
  if (claim.forgotten) return refusal(call, "forgotten", given.handle, handle);
  if (given.line !== undefined || given.find !== undefined || given.pointer !== undefined)
    return refusal(call, "invalid_arguments", given.handle, handle);
  const offset = given.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0)
    return refusal(call, "invalid_offset", `offset ${offset}`, handle);
  try {
    const snapshot = await listOf(claim, context);
    if (snapshot === null) return refusal(call, "unknown_cursor", given.handle, handle);
    const read = (from: number, to: number) => context.ports.claims.range(claim, from, to);
    if (cursor.kind === "record") {
      const record = await readRecord(snapshot, cursor.index, read, context.ports.hash);
      if (record.kind === "refused") return refusal(call, record.reason, given.handle, handle);
      return recordWindow(call, claim, cursor.index, record.text, offset);
    }
    const page = await readPage(snapshot, cursor, read);
    if (page.kind === "refused") return refusal(call, page.reason, given.handle, handle);
    const tainted = claim.tainted === true;
    const label = pageLabel(handle, snapshot, page.page, FETCH_RESULT);
    const text = `${label}\n${tainted ? fenced(page.text, claim.tool) : page.text}`;
    const { total } = snapshot;
    return {
      value: { call, handle, isError: false, isPage: true, tainted, text },
      event: { type: "paged", call, handle, ...shownOf(page.page), total },
    };
  } catch (cause) {
    return refusal(call, reasonOf(cause), given.handle, handle);
  }
}

/** The pages of a list: those that this run knows, or made again of the stored content. Null: it was never shown as one. */
async function listOf(claim: Claim, context: CallContext): Promise<Snapshot | null> {
  const known = context.lists.get(claim.handle);
  if (known) {
    keepList(claim.handle, known.hints, known.snapshot, context);
    return known.snapshot;
  }
  const { lists } = context.coverage();
  const list = Object.hasOwn(lists, claim.handle) ? lists[claim.handle] : undefined;
  if (list === undefined) return null;
  const text = await context.ports.claims.read(claim.sha256);
  const snapshot = snapshotFor(text, claim.handle, list.hints, list.budgetBytes, context.ports.hash);
  if (snapshot !== null) keepList(claim.handle, list.hints, snapshot, context);
  return snapshot;
}

function recordWindow(call: string, claim: Claim, record: number, whole: string, asked: number): Retrieval {
  const window = windowOf(whole, asked);
  const { offset, chars, totalChars } = window;
  const tainted = claim.tainted === true && chars > 0;
  const { handle } = claim;
  const text = windowText(`${handle}#${record}`, window, tainted ? claim.tool : null);
  const facts = { selector: "record" as const, offset, chars, totalChars, matches: null, record };
  return {
    value: { call, handle, isError: false, tainted, text },
    event: { type: "redeemed", call, handle, ...facts },
  };
}

type Stretch = { readonly selector: Selector; readonly offset: number; readonly maximumChars: number };

/** Where the window starts and how long it may be. Null where a pointer leads nowhere, or the content is not JSON. */
async function stretchOf(given: FetchArguments, claim: Claim, context: CallContext): Promise<Stretch | null> {
  const { claims } = context.ports;
  if (given.line !== undefined)
    return {
      selector: "line",
      offset: await claims.charOfLine(claim, given.line),
      maximumChars: WINDOW_CHARS,
    };
  if (given.pointer === undefined)
    return { selector: "offset", offset: given.offset ?? 0, maximumChars: WINDOW_CHARS };
  const content = await claims.read(claim.sha256);
  const scanned =
    given.pointer === "" || given.pointer.startsWith("/") ? scan(content, [pathOf(given.pointer)]) : null;
  const place = scanned?.kind === "valid" ? scanned.found[0] : undefined;
  if (place?.kind !== "token") return null;
  const { start, end } = place.token;
  const chars = charLength(content.slice(start, end));
  return {
    selector: "pointer",
    offset: charLength(content.slice(0, start)),
    maximumChars: Math.min(chars, WINDOW_CHARS),
  };
}

function found(call: string, handle: Handle, claim: Claim, needle: string, matches: Matches): Retrieval {
  const event = {
    selector: "find" as const,
    offset: 0,
    chars: 0,
    totalChars: claim.chars,
    matches: matches.total,
  };
  const tainted = claim.tainted === true && matches.matches.length > 0;
  const text = matchesText(handle, needle, claim.chars, matches, tainted ? claim.tool : null);
  return {
    value: { call, handle, isError: false, tainted, text },
    event: { type: "redeemed", call, handle, ...event },
  };
}

/** What is not text has one answer, however it is read: what it is, in our words. */
function described(call: string, handle: Handle, claim: Claim, given: FetchArguments): Retrieval {
  const selector = (["line", "find", "pointer"] as const).find((one) => given[one] !== undefined) ?? "offset";
  const nothing = { offset: 0, chars: 0, totalChars: 0, matches: selector === "find" ? 0 : null };
  return {
    value: { call, handle, isError: false, tainted: false, text: mediaDescription(claim) },
    event: { type: "redeemed", call, handle, selector, ...nothing },
  };
}

/** Why stored content cannot be read. */
export function reasonOf(cause: unknown): "unreadable" | "corrupt" | "missing" {
  if (!(cause instanceof Failure)) return "unreadable"; // the disk's own error: the content may come back
  if (cause.code === "blob-corrupt") return "corrupt";
  return cause.code === "blob-missing" ? "missing" : "unreadable";
}

function argumentsOf(text: string): FetchArguments | null {
  try {
    const parsed = FetchArguments.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

const REFUSALS: Readonly<Partial<Record<RefusalReason, string>>> = {
  invalid_offset: INVALID_OFFSET,
  invalid_arguments: `invalid_arguments: ${FETCH_RESULT} takes a handle and at most one of offset, line, find and pointer, such as { "handle": "claim:…", "offset": 4096 }.`,
  not_found: NOT_FOUND,
  forgotten: CLAIM_FORGOTTEN,
};

/**
 * Unknown, foreign, missing and corrupt read the same to the model, byte for byte; the log has the reason (§0.3). That the
 * person deleted a content is said: it betrays nothing, and nobody looks for another way to it.
 */
function refusal(call: string, reason: RefusalReason, given: string, handle: Handle | null): Retrieval {
  return {
    value: { call, handle, isError: true, tainted: false, text: REFUSALS[reason] ?? CLAIM_UNAVAILABLE },
    event: { type: "redemption_refused", call, reason, given: [...given].slice(0, GIVEN_CHARS).join("") },
  };
}
