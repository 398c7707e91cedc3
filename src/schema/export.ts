/** A session for other programs: what it is made of, and what can be made of it. */
import * as z from "zod";
import type { Claim, Handle, Hash } from "./claim";
import type { Logged } from "./event";

/** `archive` is the one that can be imported again; the others are made from the same log, for people and other tools. */
export const ExportFormat = z.enum(["archive", "json", "otlp", "html"]);
export type ExportFormat = z.infer<typeof ExportFormat>;
export type DocumentFormat = Exclude<ExportFormat, "archive">;

/** `withContents`: JSON embeds stored results; OTLP has messages, arguments and results. A report has neither. */
export type ExportOptions = { readonly format: ExportFormat; readonly withContents: boolean };

/** One content of a session, under the handles it was given. `why`: it is not to be had; null where nobody looked. */
export type ExportedContent = Pick<Claim, "sha256" | "tool" | "chars" | "bytes" | "lines" | "mediaType"> & {
  readonly handles: readonly Handle[];
  readonly why: "missing" | "corrupt" | "unreadable" | null;
};

/** Digests are those of the plain contents. `pieces`: a content's text, or its bytes in base64, a stretch at a time. */
export type ExportedSession = {
  readonly events: readonly Logged[];
  readonly contents: readonly ExportedContent[];
  readonly pieces: (content: ExportedContent) => AsyncIterable<string>;
};

/** `timeOf`: a point in time as people read it, in UTC. */
export type ExportPorts = { readonly hash: Hash; readonly timeOf: (at: number) => string };

/** The file's text, in order. Nothing of it is needed again once it was taken: whoever writes need not keep it. */
export type WriteDocument = (
  session: ExportedSession,
  withContents: boolean,
  ports: ExportPorts,
) => Iterable<string> | AsyncIterable<string>;
export type DocumentWriters = Readonly<Record<DocumentFormat, WriteDocument>>;
