/** What a session is about, from the beginning of its file: its title, or the first words of the person. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { isRecord, type Json, listOf, parseJson, recordOf, recordsOf, textOf } from "./json";
import { unpackedHead } from "./packed";
import type { Agent } from "./places";

const HEAD_BYTES = 64 * 1024;
const TITLE_CHARS = 100;

/** Null where nothing is found, or it cannot be read. */
export async function titleOf(file: string, agent: Agent): Promise<string | null> {
  const [, checkpoint] = /^checkpoint-(.*)\.json$/.exec(path.basename(file)) ?? [];
  if (agent === "Gemini CLI" && checkpoint !== undefined) return plain(decoded(checkpoint));
  const head = await headOf(file);
  if (head === null) return null;
  const isPatches = head.startsWith('{"kind":'); // of a document, whose first state may be longer than what is read here
  return /\.jsonl(\.zst)?$/.test(file) && !isPatches ? titleInLines(head) : titleInDocument(head, agent);
}

/** The whole file where it is shorter. What became a link since it was found is not opened. */
async function headOf(file: string): Promise<string | null> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const head = await unpackedHead(buffer.subarray(0, bytesRead), HEAD_BYTES);
      return head.toString("utf8");
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (typeof (cause as NodeJS.ErrnoException).code !== "string") throw cause;
    return null;
  }
}

function titleInLines(head: string): string | null {
  let words: string | null = null;
  for (const line of head.split("\n")) {
    const record = parseJson(line); // the last line may have been cut
    if (!isRecord(record)) continue;
    const title = [record.customTitle, record.aiTitle, record.summary, recordOf(record.$set).summary]
      .map(textOf)
      .find((text) => text !== "");
    if (title !== undefined) return plain(title);
    words ??= wordsIn(record);
  }
  return words;
}

/** Formats say who speaks at the top, or in what they wrap a message with. */
function wordsIn(record: Json): string | null {
  const inner = [record, recordOf(record.message), recordOf(record.payload), recordOf(record.data)];
  const isPerson =
    inner.some(({ role }) => role === "user") ||
    inner.some(({ type }) => ["user", "user.message", "user_message", "turn.prompt"].includes(textOf(type)));
  if (!isPerson || record.isMeta === true) return null;
  for (const { content, text, message, input } of inner)
    for (const part of [content, text, message, input].flatMap(textsIn)) {
      const words = spoken(part);
      if (words !== null) return words;
    }
  return null;
}

const textsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : recordsOf(listOf(value)).map(({ text }) => textOf(text));

/** Without what a program put in: environments, reminders, instructions. */
function spoken(text: string): string | null {
  const task = /^\s*<(task|user_input|user_message)[^>]*>([\s\S]*?)(?:<\/\1>|$)/.exec(text)?.[2] ?? text;
  return /^\s*(?:<|# AGENTS\.md|Caveat:)/.test(task) ? null : plain(task);
}

/** Where a document of an agent has one, and what the person said: by what stands before it. */
const PLACES: Partial<Record<Agent, { readonly title: string; readonly words?: string }>> = {
  "Copilot Chat": {
    title: String.raw`"customTitle"\s*:|"k":\["customTitle"\],"v":`,
    words: String.raw`"message"\s*:\s*\{\s*"text"\s*:`,
  },
  Continue: { title: String.raw`"title"\s*:` },
  "Gemini CLI": {
    title: String.raw`\n {2}"summary"\s*:`, // its own, not an argument of a call: it indents
    words: String.raw`"type"\s*:\s*"user",\s*"content"\s*:(?:\s*\[\s*\{\s*"text"\s*:)?`,
  },
};
const TEXT = String.raw`"text"\s*:`;

/** One JSON value, or patches of one, of which the end may be missing: by the names of its fields. */
function titleInDocument(head: string, agent: Agent): string | null {
  const { title, words = TEXT } = PLACES[agent] ?? {};
  const titles = title === undefined ? [] : [...textsBehind(head, title)];
  const given = agent === "Copilot Chat" ? titles.at(-1) : titles[0];
  if (given !== undefined) return plain(given);
  for (const before of [words, TEXT])
    for (const text of textsBehind(head, before)) {
      const said = spoken(text);
      if (said !== null) return said;
    }
  return null;
}

function* textsBehind(head: string, before: string): Generator<string> {
  const pattern = new RegExp(`(?:${before})\\s*("(?:[^"\\\\]|\\\\.){1,20000}")`, "g");
  for (const [, value] of head.matchAll(pattern)) yield textOf(parseJson(value ?? ""));
}

function plain(text: string): string | null {
  const line = text.split(/[\r\n]+/).find((one) => one.trim() !== "") ?? "";
  const title = line
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return title === "" ? null : [...title].slice(0, TITLE_CHARS).join("").toWellFormed();
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // it was never encoded
  }
}
