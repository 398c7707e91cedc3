/** SHA-256 for every room that may not reach Node's. */
import { createHash } from "node:crypto";
import type { Digest, Hash } from "../schema/claim";

export const sha256: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;

export const sha256OfBytes = (bytes: Uint8Array): Digest =>
  createHash("sha256").update(bytes).digest("hex") as Digest;
