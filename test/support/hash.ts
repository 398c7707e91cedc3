/** The hash port, for tests. */
import { createHash } from "node:crypto";
import type { Digest, Hash } from "../../src/schema/claim";

export const sha256: Hash = (text) => createHash("sha256").update(text, "utf8").digest("hex") as Digest;
