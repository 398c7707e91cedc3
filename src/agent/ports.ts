/** What the loop needs from outside. Edge rooms satisfy these shapes; `extension.ts` and `cli.ts` bring them together. */
import type { ContentWindow } from "../claims/window";
import type { Claim, Digest, Handle, Hash, Matches } from "../schema/claim";
import type { Logged, SessionEvent } from "../schema/event";
import type { ChatModel } from "../schema/model";
import type { SafeText } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";
import type { Tool, ToolPreview, ToolSpec } from "../schema/tool";

/**
 * The session log. `append` adds one event in order; `sync` resolves once everything appended is on disk. Both throw
 * `Failure("log-unwritable")`: nothing may be shown to the model that the log could not take.
 */
export type Log = {
  append(event: SessionEvent): Promise<Logged>;
  sync(): Promise<void>;
};

/** Names a stored content, and the frame table that proves windows of it. */
export type BlobName = { readonly sha256: Digest; readonly frames: Digest; readonly bytes: number };

/** The session's stored results. Contract: when `put` resolves, the content is on disk and readable by its digest. */
export type Claims = {
  put(text: SafeText): Promise<BlobName>;
  /** The same for content that is not text. */
  putBytes(bytes: Uint8Array): Promise<BlobName>;
  /** Reading throws `Failure("blob-missing" | "blob-corrupt")`, or the disk's own error. */
  read(sha256: Digest): Promise<SafeText>;
  readBytes(sha256: Digest): Promise<Uint8Array>;
  /** One window, proven without reading the rest. Offsets in chars from 0, lines from 1. */
  window(name: BlobName, offset: number, maximumChars?: number): Promise<ContentWindow>;
  /** UTF-8 bytes of the content, `to` excluded, proven the same way. */
  range(name: BlobName, from: number, to: number): Promise<Uint8Array>;
  charOfLine(name: BlobName, line: number): Promise<number>;
  search(name: BlobName, needle: string): Promise<Matches>;
  /** Removes contents that a `forgotten` event is on disk for, unless another claim has the same. */
  removeForgotten(): Promise<void>;
  /** The index: only handles that this session issued. */
  find(handle: Handle): Claim | undefined;
  /** Writes the index where it changed. Called at the end of a turn: the log already has everything. */
  checkpoint(): Promise<void>;
};

/** What the person is asked before a write or execute call. Arguments are JSON text. */
export type Question = {
  readonly session: string;
  readonly call: string;
  readonly tool: ToolSpec;
  readonly preview: ToolPreview;
  /** What an "always" is for: the tool as it is now. A server's tool that says otherwise of itself is another. */
  readonly allowance: string;
  /** An earlier "always" does not count, `because` of what the call touches, carries, or comes after. */
  readonly alwaysAsk: boolean;
  readonly because: "sensitive" | "secret" | "outside" | null;
};
export type Verdict = {
  readonly granted: boolean;
  readonly by: "rule" | "user" | "session";
  readonly reason: string;
};

/** Who may do what. `ask` resolves to a refusal when `signal` aborts: a stop never waits for an answer. */
export type Approver = {
  isTrusted(): boolean;
  ask(question: Question, signal: AbortSignal): Promise<Verdict>;
};

/** Unix milliseconds. `sleep` resolves early when the signal aborts, and leaves no timer behind. */
export type Clock = { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };

/** Live text for whoever watches; not events, never in the log. */
export type Watcher = {
  replyText(turn: number, text: string): void;
  toolProgress(call: string, text: string): void;
};

export type Ports = {
  readonly log: Log;
  readonly claims: Claims;
  readonly model: ChatModel;
  readonly tools: readonly Tool[];
  readonly approver: Approver;
  readonly clock: Clock;
  readonly hash: Hash;
  /** Every figure in tokens is counted by it, and has its name. */
  readonly tokens: TokenCounter;
  readonly watcher: Watcher;
};
