/** What a session is about, from the beginning of its file: its title, or the first words of the person. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { isRecord, type Json, listOf, parseJson, recordOf, recordsOf, textOf } from "./json";
import type { Agent } from "./places";

const HEAD_BYTES = 64 * 1024;
const TITLE_CHARS = 100;

/** Null where nothing is found, or it cannot be read. */
export async function titleOf(file: string, agent: Agent): Promise<string | null> {
  const name = path.basename(file);
  if (agent === "Gemini CLI") return plain(decoded(name.slice("checkpoint-".length, -".json".length)));
  const head = await headOf(file);
  if (head === null) return null;
  return name.endsWith(".jsonl") ? titleInLines(head) : titleInDocument(head, agent);
}

/** The whole file where it is shorter. What became a link since it was found is not opened. */
async function headOf(file: string): Promise<string | null> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.toString("utf8", 0, bytesRead);
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
    const title = [record.customTitle, record.aiTitle, record.summary]
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

/** Where a document of an agent has one. */
const TITLES: Partial<Record<Agent, string>> = { "Copilot Chat": "customTitle", Continue: "title" };

/** One JSON value, of which the end may be missing: by the names of its fields. */
function titleInDocument(head: string, agent: Agent): string | null {
  const field = TITLES[agent];
  const [title] = field === undefined ? [] : valuesOf(head, field);
  if (title !== undefined && title !== "") return plain(title);
  for (const text of valuesOf(head, "text")) {
    const words = spoken(text);
    if (words !== null) return words;
  }
  return null;
}

function* valuesOf(head: string, field: string): Generator<string> {
  const pattern = new RegExp(`"${field}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,20000}")`, "g");
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
