// test/support: a process that stores and reads back in sessions of its own, until it has done enough or somebody ends it.
//   storeWriter ROOT WORKSPACE SEED OPERATIONS SESSIONS BACK_MS
// Prints "ack SESSION HANDLE SHA256" once content and event are on disk, "wrong WORDS" for anything that was served and
// should not have been, "done PUTS FETCHES". Its clock goes back by BACK_MS at every operation.
import { windowOf } from "../../src/claims/window";
import type { Handle } from "../../src/schema/claim";
import { charLength } from "../../src/schema/text";
import { sha256 } from "../../src/store/digest";
import type { OpenSession } from "../../src/store/openSession";
import { Sessions } from "../../src/store/sessions";
import { keep } from "./lifetime";
import { randomFrom } from "./random";

const [root = "", workspace = "", seed = "0", operations = "0", sessions = "3", back = "0"] =
  process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const random = randomFrom(Number(seed));
let behind = 0;
const clock = { now: () => Math.max(1, Date.now() - behind) };

const PIECES = ["a word ", "漢字", "😀", "\r\n", "\n", "e\u0301 ", "\x1b[31m", "\0", "long line ".repeat(50)];
const text = (mark: string): string => {
  const pieces = Array.from({ length: random(4) === 0 ? random(3000) : random(60) }, () => {
    return PIECES[random(PIECES.length)];
  });
  return `${mark} ${pieces.join("")}`;
};

type Kept = { readonly session: string; readonly handle: Handle; readonly content: string };
const kept: Kept[] = [];
const KEPT = 300;

const store = await Sessions.open(root, workspace, clock);
const open: OpenSession[] = [];
for (let n = 0; n < Number(sessions); n++)
  open.push(await store.create({ workspace: "work", title: `writer ${process.pid} ${n}` }));

async function put(session: OpenSession, n: number): Promise<void> {
  const content = text(`${workspace} ${session.id} ${n}`);
  const handle = await keep(session, content, `t1c${n}`);
  await session.sync();
  say(`ack ${session.id} ${handle} ${sha256(content)}`);
  kept.push({ session: session.id, handle, content });
  if (kept.length > KEPT) kept.splice(random(KEPT), 1);
}

async function fetch(session: OpenSession): Promise<void> {
  const one = kept[random(kept.length)];
  if (one === undefined) return;
  const claim = session.find(one.handle);
  if (one.session !== session.id) {
    if (claim !== undefined) say(`wrong ${session.id} knows ${one.handle} of ${one.session}`);
    return;
  }
  if (claim === undefined) return void say(`wrong ${session.id} does not know its own ${one.handle}`);
  const offset = random(charLength(one.content) + 2);
  const served = await session.window(claim, offset);
  if (served.text !== windowOf(one.content, offset).text) say(`wrong window of ${one.handle} at ${offset}`);
}

/** Closes and opens again; a sweep or an erase beside may have the lock for a moment. */
async function reopen(at: number): Promise<void> {
  const session = open[at] as OpenSession;
  await session.close();
  for (let tries = 0; ; tries++) {
    try {
      open[at] = await store.open(session.id);
      return;
    } catch (cause) {
      if ((cause as { code?: unknown }).code !== "session-in-use" || tries > 50) throw cause;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

let puts = 0;
let fetches = 0;
while (puts + fetches < Number(operations)) {
  const at = random(open.length);
  const session = open[at] as OpenSession;
  const what = random(20);
  behind += Number(back);
  if (what < 9) await put(session, puts++);
  else if (what < 18) await fetch(session).then(() => fetches++);
  else if (what < 19) await session.checkpoint();
  else await reopen(at);
}
for (const session of open) await session.close();
say(`done ${puts} ${fetches}`);
