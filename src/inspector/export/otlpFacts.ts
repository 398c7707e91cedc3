/** What a span event says of an event of the log: sizes, digests, handles, decisions. Never what a person, a model or a tool wrote. */

import type { Exceeded } from "../../schema/branch";
import type { Claim } from "../../schema/claim";
import type { EventOf, Logged, Shortening } from "../../schema/event";
import { unreachable } from "../../schema/failure";
import { charLength } from "../../schema/text";
import type { Attributes } from "./otlpJson";

/** Without the `cloakroom.` that each name has in the file. Every event of the log is a span event somewhere. */
export function factsOf(event: Logged): Attributes {
  switch (event.type) {
    case "session_started": {
      const { format, from } = event;
      return { format, "from.kind": from?.kind, "from.session": from?.session };
    }
    case "adopted":
      return { from: event.from, handles: handlesOf(event.claims), missing: event.missing.length };
    case "configured":
      return configuredFacts(event);
    case "resumed":
      return { turn: event.turn };
    case "asked":
      return { turn: event.turn, chars: charLength(event.text) };
    case "requested":
      return requestedFacts(event);
    case "replied": {
      const { turn, end, calls, elapsedMs, text } = event;
      return { turn, end, calls: calls.length, chars: charLength(text), elapsed_ms: elapsedMs };
    }
    case "clamped":
      return clampedFacts(event);
    case "authorised":
      return { granted: event.granted, by: event.by };
    case "executed": {
      const { outcome, code, items, elapsedMs } = event;
      return { outcome, code, items, elapsed_ms: elapsedMs };
    }
    case "redacted":
      return redactedFacts(event);
    case "measured": {
      const { items, chars, bytes, mediaBytes, tokensEstimated, estimator } = event;
      return { items, chars, bytes, media_bytes: mediaBytes, tokens_estimated: tokensEstimated, estimator };
    }
    case "tool_result_stored":
      return storedFacts(event);
    case "projected": {
      const { handle, mode, exceeded, records, reason } = event;
      const shown = { records: records?.records, total_records: records?.totalRecords };
      return { handle, mode, ...exceededFacts(exceeded), ...shown, reason };
    }
    case "branched":
      return branchedFacts(event);
    case "covered": {
      const { handle, format, pages, complete, limitedBy, skipped, total, page } = event;
      const list = { format, pages, complete: String(complete), limited_by: limitedBy, skipped };
      return { handle, ...list, ...pageFacts(page), total };
    }
    case "paged":
      return { handle: event.handle, ...pageFacts(event), total: event.total };
    case "gated": {
      const { turn, verdict, unread } = event;
      return { turn, verdict, handles: handlesOf(unread), inspected: unread.map((one) => one.inspected) };
    }
    case "remembered": {
      const { shown, limitChars, handle, isError, tainted, text } = event;
      const how = { shown, class: event.class, limit_chars: limitChars, handle, is_error: isError };
      return { ...how, tainted, shown_chars: charLength(text), media: event.media?.length };
    }
    case "redeemed": {
      const { handle, selector, offset, chars, totalChars, matches, record } = event;
      return { handle, selector, offset, chars, total_chars: totalChars, matches, record };
    }
    case "redemption_refused":
      return { reason: event.reason };
    case "repaired": {
      const { turn, repairs } = event;
      const calls = repairs.flatMap(({ call }) => call ?? []);
      return { turn, repairs: repairs.map(({ kind }) => kind), calls };
    }
    case "aged":
      return agedFacts(event);
    case "pinned":
      return { call: event.call, pinned: event.isPinned };
    case "overflowed": {
      const { turn, step, tokensBefore, tokensAfter, counter } = event;
      return { turn, step, tokens_before: tokensBefore, tokens_after: tokensAfter, counter };
    }
    case "pruned": {
      const { turn, messages, named, unnamed } = event;
      return { turn, messages, handles: handlesOf(named), unnamed };
    }
    case "budgeted":
      return { turn: event.turn, limit: event.limit, ...shorteningFacts(event.cuts) };
    case "media_replaced": {
      const { turn, why, parts } = event;
      return { turn, why, calls: parts.map(({ call }) => call), handles: handlesOf(parts) };
    }
    case "forgotten":
      return { handle: event.handle, sha256: event.sha256 };
    case "recovered":
      return { what: event.what };
    case "run_ended":
      return { turn: event.turn, end: event.end };
    default:
      return unreachable(event);
  }
}

const handlesOf = (named: readonly { readonly handle: string }[]): string[] =>
  named.map(({ handle }) => handle);

function configuredFacts({
  model,
  tools,
  settings,
  policyIdentity,
  intent,
  exemptions,
}: EventOf<"configured">): Attributes {
  const { name, version, sha256, rulesSha256 } = policyIdentity;
  const policy = { "policy.name": name, "policy.version": version, "policy.sha256": sha256 };
  const limits = { limits: settings.limits.mode, intent, exemptions: exemptions?.length };
  return { model: model.id, tools: tools.length, ...policy, "policy.rules_sha256": rulesSha256, ...limits };
}

export function requestedFacts(event: EventOf<"requested">): Attributes {
  const { turn, messages, chars, bytes, imageBytes, sha256, prefix } = event;
  return {
    turn,
    messages,
    chars,
    bytes,
    image_bytes: imageBytes,
    sha256,
    total_tokens: prefix?.totalTokens,
    reused_tokens: prefix?.tokens,
    counter: prefix?.counter,
    changed_by: prefix?.by?.type,
    changed_by_n: prefix?.by?.n,
  };
}

function clampedFacts({ argumentsSource, proposal }: EventOf<"clamped">): Attributes {
  const { decision, reason, mode, changes, proposedChanges, originalSha256, effectiveSha256 } = proposal;
  const [change] = [...changes, ...proposedChanges];
  return {
    decision,
    reason,
    mode,
    path: change?.path,
    requested: change && String(change.from), // may be larger than a number can say
    effective: change && changes.length > 0 ? change.to : undefined,
    proposed: change && changes.length === 0 ? change.to : undefined,
    original_sha256: originalSha256,
    effective_sha256: effectiveSha256,
    arguments_source: argumentsSource,
  };
}

function redactedFacts({ refused, forgedMarkers, loneSurrogates, secrets }: EventOf<"redacted">): Attributes {
  const count = Object.values(secrets).reduce((sum, one) => sum + one, 0);
  const changes = { forged_markers: forgedMarkers, lone_surrogates: loneSurrogates, secrets: count };
  return { refused: refused !== null, ...changes, secret_kinds: Object.keys(secrets) };
}

function storedFacts(event: EventOf<"tool_result_stored">): Attributes {
  const { handle, sha256, chars, bytes, lines, mediaType, reclaimable, tainted }: Claim = event;
  const sizes = mediaType === undefined ? { chars, bytes, lines } : { bytes };
  return { handle, sha256, class: event.class, ...sizes, media_type: mediaType, reclaimable, tainted };
}

const exceededFacts = ({ dimension, actual, limit }: Exceeded): Attributes => ({ dimension, actual, limit });

function branchedFacts(event: EventOf<"branched">): Attributes {
  const { handle, mode, exceeded, outcome, failure, model, modelCalls, usage, elapsedMs } = event;
  const { givenChars, totalChars, citations, completeness, requestSha256 } = event;
  return {
    ...{ handle, mode, ...exceededFacts(exceeded), outcome, failure, model, model_calls: modelCalls },
    ...{
      request_sha256: requestSha256,
      input_tokens: usage?.inputTokens,
      output_tokens: usage?.outputTokens,
    },
    ...{ elapsed_ms: elapsedMs, given_chars: givenChars, total_chars: totalChars },
    ...{ citations: citations.given, citations_verified: citations.verified, completeness },
  };
}

const pageFacts = ({ first, last, references }: EventOf<"covered">["page"]): Attributes => ({
  first,
  last,
  references: references.length,
});

function agedFacts({ turn, strategy, decisions, cost }: EventOf<"aged">): Attributes {
  const levels = decisions.map(({ level }) => level);
  return {
    ...{ turn, strategy, ...shorteningFacts(decisions), levels },
    ...(cost && {
      ...{ "cost.rule": cost.rule, "cost.profile": cost.profile.name, "cost.requests": cost.requests },
      ...{ "cost.idle_seconds": { fraction: cost.idleSeconds }, "cost.total_tokens": cost.totalTokens },
      ...{ "cost.spent_tokens": cost.spentTokens, "cost.freed_tokens": cost.freedTokens },
      ...{ "cost.resent_tokens": cost.resentTokens, "cost.read_tokens": cost.readTokens },
      "cost.counter": cost.counter,
    }),
  };
}

const shorteningFacts = (cuts: readonly Shortening[]): Attributes => ({
  calls: cuts.map(({ call }) => call),
  handles: handlesOf(cuts),
  chars_before: cuts.map(({ charsBefore }) => charsBefore),
  chars_after: cuts.map(({ charsAfter }) => charsAfter),
});
