// The inspector's browser side: what can be done with a row. What is impossible is not offered. Pure.
import type { Handle } from "../src/schema/claim";
import type { FromView } from "../src/schema/inspector";
import type { CallView, SessionHead } from "../src/schema/view";
import type { PageModel } from "./model";
import { turnOf } from "./model";
import type { Panel } from "./place";
import type { Row } from "./row";
import { WORDS } from "./words";

/** `message` is posted, `panel` opens, `reveals` is a row to go to. */
export type Act = {
  readonly action: string;
  readonly label: string;
  readonly icon: string;
  readonly title: string;
  readonly message: FromView | null;
  readonly panel: Panel | null;
  readonly reveals: string | null;
};

const act = (action: string, label: string, icon: string, title: string, message: FromView | null): Act => ({
  action,
  label,
  icon,
  title,
  message,
  panel: null,
  reveals: null,
});

/** An editor takes no more: the content panel reads any content in windows. */
export const EDITOR_BYTES = 10 * 1024 * 1024;

/** The call that a row is, or is below. `at`: the place of its turn. */
export function callOf({ loaded }: PageModel, at: number | null, key: string): CallView | null {
  const id = key.split("/")[2];
  const turn = at === null ? undefined : loaded.turns.get(at);
  return turn?.calls.find(({ call }) => call === id) ?? null;
}

export function actsOf(model: PageModel, row: Row, at: number | null): Act[] {
  const { head } = model;
  if (head === null || row.kind === "placeholder") return [];
  const call = callOf(model, at, row.key);
  const turn = turnOf(head.session, row.key);
  return [
    ...(row.leadsTo === null ? [] : [{ ...showCall, reveals: row.leadsTo }]),
    ...(row.opens === null || isDeleted(model, row.opens) ? [] : contentActs(head.session, row.opens, call)),
    ...(call === null || head.kind === "analysed" ? [] : callActs(head, row, call)),
    ...(turn === null ? [] : turnActs(model, row, turn, at)),
    act("copyLink", WORDS.copyLink, "link", "Copy a link that leads to this row", {
      type: "copyLink",
      session: head.session,
      key: row.key,
    }),
  ];
}

/** As far as the turns that are here say it; else the host does. */
function isDeleted({ loaded }: PageModel, handle: Handle): boolean {
  for (const { calls } of loaded.turns.values())
    if (calls.some(({ stored }) => stored?.handle === handle && stored.isForgotten)) return true;
  return false;
}

const showCall = act("showCall", WORDS.showCall, "arrow-right", "Go to the call that read it back", null);

export const viewContent = (session: string, handle: Handle): Act => ({
  ...act("viewContent", WORDS.viewContent, "open-preview", "Show the content in this view, in parts", {
    type: "wantContent",
    session,
    handle,
    offset: 0,
  }),
  panel: "content",
});

const isTooLarge = (handle: Handle, call: CallView | null): boolean =>
  call?.stored?.handle === handle && call.stored.bytes > EDITOR_BYTES;

function contentActs(session: string, handle: Handle, call: CallView | null): Act[] {
  const opened = act("openStored", WORDS.openStored, "go-to-file", "Open the whole result in an editor", {
    type: "openStored",
    session,
    handle,
  });
  return [
    ...(isTooLarge(handle, call) ? [] : [opened]),
    viewContent(session, handle),
    act("copyHandle", WORDS.copyHandle, "copy", `Copy ${handle}`, { type: "copyHandle", session, handle }),
  ];
}

/** What opens when the row is acted on. */
export const openingAct = (model: PageModel, row: Row, at: number | null): Act | undefined =>
  actsOf(model, row, at).find(({ action }) => ["showCall", "openStored", "viewContent"].includes(action));

const OF_CALL: readonly Row["kind"][] = ["call", "result", "stored", "page"];

/** A session that runs is pinned and shortened as it goes; whatever else is done to a call waits for its end. */
function callActs(head: SessionHead, row: Row, call: CallView): Act[] {
  const { session, running, kind } = head;
  const { stored, receipt, isPinned } = call;
  const isOfCall = OF_CALL.includes(row.kind) && kind === "own"; // an imported session stays as it came
  const pin = act(
    isPinned ? "unpin" : "pin",
    isPinned ? WORDS.unpin : WORDS.pin,
    isPinned ? "pinned-dirty" : "pin",
    isPinned ? "Let it be shortened again" : "Never shorten this result",
    { type: "pin", session, call: call.call, isPinned: !isPinned },
  );
  const shorten = act("shorten", WORDS.shorten, "fold", "Shorten it before the next request", {
    type: "shorten",
    session,
    call: call.call,
  });
  return [
    ...(isOfCall && call.result !== null ? [pin] : []),
    ...(isOfCall && canShorten(head, call) ? [shorten] : []),
    ...(isOfCall && stored !== null && !stored.isForgotten && !running
      ? [
          act("forget", WORDS.forget, "trash", "Delete its content from this machine", {
            type: "forget",
            session,
            handle: stored.handle,
          }),
        ]
      : []),
    ...((row.kind === "call" || row.kind === "receipt") && (receipt?.changes.length ?? 0) > 0 && !running
      ? [
          act("runAgain", WORDS.runAgain, "debug-rerun", "Run the call as the model asked for it", {
            type: "runAgain",
            session,
            call: call.call,
          }),
        ]
      : []),
  ];
}

/** No line that stands for a result is shorter. */
export const LEAST_CHARS = 120;

/** As the agent has it (`agent/acts.ts`), as far as can be seen from here. */
function canShorten({ isStoring }: SessionHead, call: CallView): boolean {
  const { result, stored, shortened, state, isPinned, redeemed } = call;
  const last = shortened.at(-1);
  if (!isStoring || result === null || state !== "done" || isPinned || redeemed !== null) return false;
  if (result.shown === "cut" || result.shown === "branch") return false; // nowhere but in the conversation
  if (stored?.isForgotten === true || last?.level === 2) return false;
  return (last?.charsAfter ?? result.shownChars) > LEAST_CHARS;
}

const SHOWS_REQUEST: readonly Row["kind"][] = ["turn", "request", "recovery", "repair"];

function turnActs({ head, loaded }: PageModel, row: Row, turn: number, at: number | null): Act[] {
  if (head === null) return [];
  const { session, kind, running } = head;
  const hasRequest =
    at !== null && (loaded.rows.get(at)?.startedAt != null || loaded.turns.get(at)?.request != null);
  const showRequest: Act = {
    ...act("showRequest", WORDS.showRequest, "list-unordered", "Show what was sent, message by message", {
      type: "wantRequest",
      session,
      turn,
      from: 0,
    }),
    panel: "request",
  };
  const fork = act("fork", WORDS.fork, "repo-forked", "Begin a new session with this turn's history", {
    type: "forkSession",
    session,
    turn,
  });
  return [
    ...(SHOWS_REQUEST.includes(row.kind) && hasRequest ? [showRequest] : []),
    ...(row.kind === "turn" && kind !== "analysed" && !running ? [fork] : []),
  ];
}
