/** What a session's first events, and each configuration, say of it as a whole. */
import { FETCH_RESULT } from "../claims/ticket";
import { countsFrom, isUnread } from "../coverage/gate";
import { cacheProfileOf } from "../history/promptCache";
import type { EventOf, Logged } from "../schema/event";
import type { ListView, SessionHead } from "../schema/view";
import { attend, type Draft, note, turnKey, turnOf } from "./draft";
import { limitNotices } from "./limits";
import { changesOf, transcriptNotices } from "./notes";

export function started(event: Logged & EventOf<"session_started">): SessionHead {
  return {
    session: event.session,
    kind: event.from?.kind === "import" ? "imported" : "own",
    title: event.title,
    workspace: event.workspace,
    startedAt: event.at,
    model: "",
    modelId: "",
    windowTokens: null,
    mode: "off",
    intent: null,
    policy: "",
    policySha256: "",
    priceName: null,
    running: false,
    isStoring: false,
    notices: transcriptNotices(event),
    limits: [],
    lists: [],
    listCount: 0,
    incompleteLists: 0,
    attention: [],
    totals: {
      calls: 0,
      storedResults: 0,
      storedChars: 0,
      deletedResults: 0,
      hiddenChars: 0,
      readBacks: 0,
      clamped: 0,
      proposed: 0,
      repairs: 0,
      requests: 0,
      sentTokens: 0,
      naiveTokens: 0,
      sentCost: 0,
      naiveCost: 0,
    },
  };
}

export function configured(draft: Draft, event: Logged & EventOf<"configured">): Draft {
  const { n, type, model, settings, tools, intent, policyIdentity } = event;
  const { head } = draft;
  if (head.policySha256 !== "") note(draft, null, { n, type, tone: "plain", text: changesOf(head, event) });
  const { name, prices } = cacheProfileOf(model.id, settings.ageing.cacheProfiles);
  Object.assign(head, {
    model: model.name,
    modelId: model.id,
    windowTokens: model.maxInputTokens,
    mode: settings.limits.mode,
    isStoring: settings.claimCheck.enabled && tools.some((tool) => tool.name === FETCH_RESULT),
    intent,
    policy: `${policyIdentity.name} ${policyIdentity.version}`,
    policySha256: policyIdentity.sha256,
    priceName: prices === null ? null : name,
    limits: limitNotices(event),
  });
  draft.touched.head = true;
  return draft;
}

/** The counts of all lists as they are now; an answer keeps those that it came without reading. */
export function intoLists(draft: Draft, event: Logged): void {
  const lists = countsFrom(draft.coverage.gate).map(({ next: _next, ...counts }): ListView => counts);
  const { head } = draft;
  head.lists = lists;
  head.listCount = lists.length;
  head.incompleteLists = lists.filter(isIncomplete).length;
  draft.touched.head = true;
  if (event.type !== "replied" || event.end !== "answered") return;
  const { reply } = turnOf(draft, event.turn);
  if (reply === null) return;
  reply.unread = lists.filter(isUnread);
  if (reply.unread.length > 0)
    attend(draft, { n: event.n, kind: "unread", key: `${turnKey(draft, event.turn)}/reply` });
}

export const isIncomplete = ({ inspected, total, complete }: ListView): boolean =>
  inspected < total || complete !== true;
