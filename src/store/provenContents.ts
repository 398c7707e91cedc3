/** What of a session's contents can be exported: each was read and proved, or is listed with what is wrong with it. */
import type { Claim, Digest } from "../schema/claim";
import type { Manifest } from "./archive";
import { type Blobs, plainNameOf } from "./blobs";
import { contentsOf, type Names } from "./marks";
import { blobState, type FolderState } from "./sessionFolder";

/** `names`: what a sealed session's contents are called where they are plain; empty for a plain one. */
export type Proven = {
  readonly contents: readonly Claim[];
  readonly missing: Manifest["missing"];
  readonly names: Names;
};

/** One content is in memory at a time. */
export async function provenContents(state: FolderState & { kind: "begun" }): Promise<Proven> {
  const { events, blobs, keeping } = state;
  const contents: Claim[] = [];
  const missing: Manifest["missing"] = [];
  for (const claim of contentsOf(events).values()) {
    const { sha256, handle, tool } = claim;
    const found = await blobState(blobs, sha256);
    if (found === "unreadable" && keeping.isRemote) await keeping.files.list(); // only away: told as that, not as lost
    if (found === "whole") contents.push(claim);
    else missing.push({ sha256, handle, tool, why: found });
  }
  return { contents, missing, names: keeping.seal ? await plainNames(blobs, contents) : new Map() };
}

async function plainNames(blobs: Blobs, contents: readonly Claim[]): Promise<Names> {
  const names = new Map<Digest, ReturnType<typeof plainNameOf>>();
  for (const { sha256 } of contents) names.set(sha256, plainNameOf(await blobs.readBytes(sha256)));
  return names;
}
