// test/support: an archive as `Export…` makes one, of any events: what their contents were is not in it.
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import type { Logged } from "../../src/schema/event";
import { LOG_NAME, MANIFEST_NAME, type Manifest } from "../../src/store/archive";
import { CHAIN_START, lineOf } from "../../src/store/chain";
import { contentsOf } from "../../src/store/marks";

/** Writes it to `file`. The first event has to be the session's beginning. */
export async function writeArchive(file: string, events: readonly Logged[]): Promise<void> {
  const [first] = events;
  if (first?.type !== "session_started") throw new Error("a session begins with its beginning");
  let sum = CHAIN_START;
  let log = "";
  for (const event of events) {
    const next = lineOf(event, sum);
    sum = next.sum;
    log += `${next.line}\n`;
  }
  const missing = [...contentsOf(events).values()].map(({ sha256, handle, tool }) => ({
    ...{ sha256, handle, tool, why: "missing" as const },
  }));
  const manifest: Manifest = {
    ...{ format: 1, kind: "cloakroom-session", session: first.session, title: first.title },
    ...{ exportedAt: first.at, contents: [], missing },
    log: { events: events.length, bytes: Buffer.byteLength(log), sum },
  };
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(log), LOG_NAME);
  zip.addBuffer(Buffer.from(JSON.stringify(manifest)), MANIFEST_NAME);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file, { mode: 0o600 }));
}
