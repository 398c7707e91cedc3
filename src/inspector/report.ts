/** A session as plain lines for a terminal: turn by turn, each call with its receipt, handle and sizes. */
import type { CallView, SessionView, TurnView } from "../schema/view";
import { responseWords } from "./apart";
import { harmlessLines } from "./columns";
import { mediaWords } from "./media";

export function reportOf(view: SessionView): readonly string[] {
  return linesOf(view).map((line) => harmlessLines(line).replaceAll("\n", "\n         "));
}

function linesOf(view: SessionView): readonly string[] {
  const { totals } = view;
  const deleted = totals.deletedResults === 0 ? "" : `, ${totals.deletedResults} deleted`;
  return [
    `${view.title}`,
    `${view.model}, result limits ${view.mode}, policy ${view.policy} (${view.policySha256.slice(0, 12)})`,
    ...view.limits.map(({ label, text }) => `! ${label}: ${text}`),
    ...view.notices.map((notice) => `! ${notice}`),
    ...view.turns.flatMap(turnLines),
    "",
    `${totals.calls} calls, ${totals.storedResults} results stored (${totals.storedChars} characters, ${totals.hiddenChars} not shown)${deleted}, ` +
      `${totals.readBacks} read back, ${totals.clamped} lowered, ${totals.proposed} proposed, ${totals.repairs} repairs`,
  ];
}

function turnLines(turn: TurnView): string[] {
  const images = turn.request?.imageBytes ? ` with ${turn.request.imageBytes} bytes of images` : "";
  const size = turn.request
    ? `: ${turn.request.messages} messages, ${turn.request.bytes} bytes sent${images}`
    : "";
  const lines = ["", `Turn ${turn.turn}${size}`];
  if (turn.asked !== null) lines.push(`  you    ${turn.asked}`);
  if (turn.reply?.text) lines.push(`  model  ${turn.reply.text}`);
  if (turn.reply?.error) lines.push(`  ! ${turn.reply.error}`);
  for (const call of turn.calls) lines.push(...callLines(call));
  for (const { text } of turn.notes) lines.push(`  ! ${text}`);
  for (const { detail } of turn.repairs) lines.push(`  repaired: ${detail}`);
  if (turn.ended)
    lines.push(`  ended: ${turn.ended.end}${turn.ended.message ? `: ${turn.ended.message}` : ""}`);
  return lines;
}

function callLines(call: CallView): string[] {
  const lines = [`  call   ${call.tool} ${call.arguments} (${call.state})`];
  const { receipt, stored, redeemed, refusal, result } = call;
  if (receipt) {
    const change = receipt.changes[0] ?? receipt.proposed_changes[0];
    const verb = receipt.changes[0] ? "lowered" : "would be lowered";
    const what = change ? `${change.path} ${verb} from ${change.from} to ${change.to}; ` : "";
    const actual = receipt.actual;
    const came = actual
      ? `; came back: ${actual.items === null ? "" : `${actual.items} items, `}${actual.bytes} bytes`
      : "";
    lines.push(`         receipt: ${receipt.decision} (${receipt.mode}), ${what}${receipt.reason}${came}`);
    if (change)
      lines.push(
        `         arguments sha256 ${receipt.original_args_sha256.slice(0, 16)} → ${receipt.effective_args_sha256.slice(0, 16)}`,
      );
  }
  if (stored)
    lines.push(
      `         stored: ${stored.handle}, ${stored.chars} characters, ${stored.lines} lines; shown ${result?.shownChars ?? 0}`,
    );
  if (call.page) {
    const { first, last, total } = call.page;
    const range = last < first ? "no records" : `records ${first}–${last}`;
    lines.push(`         list: ${range} of ${total}${first > 1 || last < total ? ", incomplete" : ""}`);
  }
  if (call.response) lines.push(`         envelope: ${responseWords(call.response)}`);
  for (const media of call.media)
    lines.push(
      `         ${media.handle === null ? "not stored" : `stored: ${media.handle}`}, ${mediaWords(media)}`,
    );
  if (redeemed) {
    const { selector, offset, chars, totalChars, matches, handle } = redeemed;
    const what =
      selector === "find"
        ? `${matches} matches in ${totalChars}`
        : chars === 0
          ? `none of ${totalChars}`
          : `${offset}–${offset + chars - 1} of ${totalChars}`;
    lines.push(`         read back: characters ${what} from ${handle}`);
  }
  if (refusal) lines.push(`         refused handle: ${refusal.reason}`);
  for (const { by, turn, charsAfter } of call.shortened)
    lines.push(`         shortened by ${by} in turn ${turn} to ${charsAfter} characters`);
  return lines;
}
