/** One answer to "why is this so?": the rule in a sentence, the setting that moves it, and the event that says it. */
import type { CutRule } from "../schema/cost";
import type { EventOf, Logged } from "../schema/event";
import { unreachable } from "../schema/failure";
import type { Details } from "../schema/inspector";

type Why = NonNullable<Details["why"]>;
type Answer = { readonly rule: string; readonly setting?: string };

/** For every kind of event. `call`: whose row asks, where an event is about several. */
export function whyOf(event: Logged, call: string | null = null): Why {
  const { rule, setting = null } = answerOf(event, call);
  return { rule, setting, n: event.n, type: event.type };
}

function answerOf(event: Logged, call: string | null): Answer {
  switch (event.type) {
    case "session_started":
      return { rule: event.from ? `The session began as a ${event.from.kind}.` : "The session was started." };
    case "adopted":
      return { rule: "A copy of a session keeps the stored results that it cites, under their handles." };
    case "configured":
      return { rule: "Settings, tools, model and policy are pinned in the log when they change." };
    case "resumed":
      return { rule: "The session was opened again, by another window or after a restart." };
    case "asked":
      return { rule: "You asked this." };
    case "requested":
      return { rule: requestRule(event) };
    case "replied":
      return { rule: replyRule(event) };
    case "clamped":
      return {
        rule: `Decided before the call ran: ${worded(event.proposal.reason)}.`,
        setting: "cloakroom.resultLimits.mode",
      };
    case "authorised":
      return { rule: permissionRule(event) };
    case "executed":
      return { rule: "The tool came back." };
    case "redacted":
      return {
        rule: "Nothing from a tool is stored or shown before secrets and forged markers are replaced.",
      };
    case "measured":
      return { rule: "What came back is measured, never estimated from what was asked for." };
    case "tool_result_stored":
      return {
        rule: "The whole result is on disk under its digest; the model can read it back by its handle.",
        setting: "cloakroom.claimCheck.thresholdChars",
      };
    case "projected":
    case "branched":
      return {
        rule: `The result was larger than its envelope, and the policy says what is done then.`,
        setting: "cloakroom.resultLimits.responseBytes",
      };
    case "covered":
    case "paged":
      return {
        rule: "A list that is too large is shown in pages that say whether they are complete.",
        setting: "cloakroom.claimCheck.thresholdChars",
      };
    case "gated":
      return { rule: "You want everything, and the model answered before it had read everything." };
    case "remembered":
      return shownAnswer(event);
    case "redeemed":
      return { rule: `The model read it back${event.selector === "find" ? " by a search" : ""}.` };
    case "redemption_refused":
      return { rule: `The handle was not read back: ${worded(event.reason)}.` };
    case "repaired":
      return { rule: "A provider takes only a history in which every call has one result behind it." };
    case "aged":
      return agedAnswer(event);
    case "pinned":
      return { rule: event.isPinned ? "You pinned it: it stays as it is." : "You unpinned it." };
    case "forgotten":
      return { rule: "You deleted the stored content. What was shown of it stays in the log." };
    case "overflowed":
      return { rule: "The provider refused the request as too large, or it was larger than the window." };
    case "pruned":
      return { rule: "Nothing shorter was left to do: the oldest messages are not sent any more." };
    case "budgeted":
      return {
        rule: `Results of the last turn are more than the budget ${event.limit}.`,
        setting: `cloakroom.budgets.${event.limit}`,
      };
    case "media_replaced": {
      const part = event.parts.find((one) => one.call === call) ?? event.parts[0];
      return { rule: `The image is a line from now on (${worded(event.why)}): ${part?.text ?? ""}` };
    }
    case "recovered":
      return { rule: "Something on disk was mended when the session was opened." };
    case "run_ended":
      return {
        rule: event.message === "" ? "The run is over." : event.message,
        ...(event.end === "turn_limit" && { setting: "cloakroom.maxTurns" }),
      };
    default:
      return unreachable(event);
  }
}

const worded = (code: string): string => code.replaceAll("_", " ");

function requestRule({ prefix }: EventOf<"requested">): string {
  if (!prefix) return "Another program sent it, and nobody wrote down what.";
  if (prefix.messages < 0 && prefix.by === null) return "The first request of the session.";
  if (prefix.by === null) return "It begins as the one before did, with messages added.";
  return `It is as the one before up to message ${prefix.messages + 1}; event ${prefix.by.n} (${prefix.by.type}) made the difference.`;
}

function replyRule({ end, calls, error }: EventOf<"replied">): string {
  if (end === "calls") return `The model asked for ${calls.length} call${calls.length === 1 ? "" : "s"}.`;
  if (end === "failed") return error ?? "The model failed.";
  return end === "stopped" ? "You stopped it." : "The model answered.";
}

function permissionRule({ granted, by, reason }: EventOf<"authorised">): string {
  const who = { rule: "A rule", user: "You", session: "You, for the whole session,", check: "A check" }[by];
  return `${who} ${granted ? "allowed" : "refused"} it: ${worded(reason)}`;
}

const STAND_INS: Readonly<Record<EventOf<"remembered">["shown"], Answer>> = {
  inline: { rule: "It is shown whole", setting: "cloakroom.claimCheck.thresholdChars" },
  ticket: { rule: "Its beginning and a handle are shown", setting: "cloakroom.claimCheck.thresholdChars" },
  page: { rule: "The first page of the list is shown", setting: "cloakroom.claimCheck.thresholdChars" },
  projection: { rule: "Its first records are shown", setting: "cloakroom.resultLimits.responseBytes" },
  branch: { rule: "An answer made from it is shown", setting: "cloakroom.resultLimits.microContext" },
  cut: { rule: "It was cut, and the rest is not kept", setting: "cloakroom.claimCheck.enabled" },
  window: { rule: "A window of a stored result is shown" },
  refusal: { rule: "A refusal is shown" },
};

function shownAnswer({ shown, why, limitChars }: EventOf<"remembered">): Answer {
  const { rule, setting } = STAND_INS[shown];
  const limit = limitChars === null ? "" : ` (limit: ${limitChars} characters)`;
  return { rule: `${rule}: ${worded(why)}${limit}.`, ...(setting !== undefined && { setting }) };
}

const CUT_RULES: Readonly<Record<CutRule, string>> = {
  pays: "What it frees costs more over the requests to come than sending the rest again.",
  cold: "The provider's cache has gone cold: sending the rest again costs nothing more.",
  uncached: "This model caches nothing: shorter is cheaper.",
  overflow: "The request would not fit the model's window.",
};

function agedAnswer({ strategy, cost }: EventOf<"aged">): Answer {
  if (strategy === "person") return { rule: "You shortened it." };
  if (strategy === "recovery") return { rule: "A request did not fit: everything older was shortened." };
  if (!cost)
    return { rule: "It was old enough, whatever the cost.", setting: "cloakroom.ageing.shortenAfterTurns" };
  const { freedTokens, resentTokens, readTokens, requests, profile } = cost;
  const figures =
    `frees ${freedTokens} tokens a request, sends ${resentTokens} again, expects ${readTokens} of reading back, ` +
    `over ${requests} requests; prices: ${profile.name}`;
  return { rule: `${CUT_RULES[cost.rule]} (${figures})`, setting: "cloakroom.ageing.strategy" };
}
