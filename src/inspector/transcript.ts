/** A session as a document to read: what was asked, said and done, in order. A fold over the log, like everything shown. */
import type { CallView, SessionView, TurnView } from "../schema/view";
import { responseWords } from "./apart";
import { mediaWords } from "./media";

/** Markdown of a session. `live`: text of a reply that is still coming, not in the log yet. */
export function transcriptOf(view: SessionView, live: { turn: number; text: string } | null): string {
  const parts = [`# ${view.title}`];
  if (view.model !== "") parts.push(`${view.model} · result limits: ${view.mode} · ${view.policy}`);
  for (const { label, text, details } of view.limits)
    parts.push(
      [`> ${label}: ${oneLine(text)}`, ...details.map((detail) => `> - ${oneLine(detail)}`)].join("\n"),
    );
  for (const turn of view.turns) parts.push(...turnParts(turn, live?.turn === turn.turn ? live.text : null));
  return `${parts.join("\n\n")}\n`;
}

function turnParts(turn: TurnView, live: string | null): string[] {
  const parts: string[] = [];
  if (turn.asked !== null)
    parts.push(`## ${oneLine(turn.asked)}`, ...(turn.asked.includes("\n") ? [turn.asked] : []));
  const text = turn.reply?.text ?? live ?? "";
  if (text !== "") parts.push(text);
  if (turn.calls.length > 0) parts.push(turn.calls.map((call) => `- ${callLine(call)}`).join("\n"));
  if (turn.reply?.error) parts.push(`> ${turn.reply.error}`);
  for (const { tone, text: words } of turn.notes) if (tone === "warning") parts.push(`> ${oneLine(words)}`);
  for (const repair of turn.repairs) parts.push(`> Repaired: ${repair.detail}`);
  if (turn.ended && turn.ended.end !== "answered") parts.push(`> ${turn.ended.message}`);
  return parts;
}

function callLine(call: CallView): string {
  const facts: string[] = [];
  const change = call.receipt?.changes[0];
  if (change) facts.push(`${change.path.slice(1)} lowered from ${change.from} to ${change.to}`);
  const proposed = call.receipt?.proposed_changes[0];
  if (proposed) facts.push(`${proposed.path.slice(1)} ${proposed.from} would become ${proposed.to}`);
  if (call.stored) facts.push(`stored result, ${call.stored.chars} characters`);
  if (call.response) facts.push(responseWords(call.response));
  for (const media of call.media) facts.push(mediaWords(media));
  if (call.redeemed) facts.push(`read back ${call.redeemed.chars} of ${call.redeemed.totalChars} characters`);
  if (call.state !== "done") facts.push(call.state);
  const args = call.arguments.length > 160 ? `${call.arguments.slice(0, 159)}…` : call.arguments;
  return `\`${call.tool}\` \`${args.replaceAll("`", "'")}\`${facts.length > 0 ? `: ${facts.join("; ")}` : ""}`;
}

const oneLine = (text: string): string => text.trim().split(/\r?\n/, 1)[0] ?? "";
