// test/support: one bit flipped in a file of a store, and the proof that nothing wrong is served and that it is told.
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { windowOf } from "../../src/claims/window";
import { charLength } from "../../src/schema/text";
import { StoreCare } from "../../src/store/care";
import { sha256 } from "../../src/store/digest";
import { trailerOf } from "../../src/store/frames";
import { listTenants } from "../../src/store/layout";
import { Sessions } from "../../src/store/sessions";
import { sweep } from "../../src/store/sweep";
import { plainRoot } from "../../src/store/vault";
import { type Finding, verify } from "../../src/store/verify";
import { count, ELSEWHERE, folderOfSession, HERE, type Tally } from "./faults";
import { HOUR_MS, LONG, sessionWith } from "./lifetime";
import type { Random } from "./random";

export const FLIPPED = [
  "log",
  "index",
  "blob content",
  "blob rows",
  "blob root",
  "blob footer",
  "format.json",
  "erasures.jsonl",
  "usage.log",
  "lock",
] as const;
export type Flipped = (typeof FLIPPED)[number];

const CONTENTS = [`${"several frames of it. ".repeat(2000)}The end.`, LONG, "short"];
const clock = { now: () => Date.now() };
const ahead = { now: () => Date.now() + 2 * HOUR_MS };
const codeOf = (cause: unknown) => String((cause as { code?: unknown }).code ?? cause);

type Made = Awaited<ReturnType<typeof sessionWith>>;
export type Sound = {
  readonly template: string;
  readonly here: Made;
  readonly next: Made;
  readonly far: Made;
};

/** A store in order: two sessions here, one elsewhere, a deletion behind it and its room counted. */
export async function soundStore(template: string): Promise<Sound> {
  const store = await Sessions.open(template, HERE, clock);
  const here = await sessionWith(store, CONTENTS);
  const next = await sessionWith(store, CONTENTS);
  const far = await sessionWith(await Sessions.open(template, ELSEWHERE, clock), CONTENTS);
  const gone = await sessionWith(store, ["deleted"]);
  await (await StoreCare.open(template, HERE, clock)).forgetSession(gone.id);
  await sweep(plainRoot(template), { clock, keepMs: null });
  return { template, here, next, far };
}

type Place = { readonly file: string; readonly from: number; readonly to?: number };

/** The file, and the bytes of it that are meant. */
function placeOf(root: string, { here }: Sound, kind: Exclude<Flipped, "lock">): Place {
  const folder = folderOfSession(root, HERE, here.id);
  const content = Buffer.from(CONTENTS[0] ?? "");
  const trailer = trailerOf(content);
  const blob = path.join(folder, "blobs", sha256(CONTENTS[0] ?? ""));
  const rows = content.length;
  const footer = content.length + trailer.bytes.length - 24;
  const frameRoot = footer - trailer.root.length;
  switch (kind) {
    case "log":
      return { file: path.join(folder, "log.jsonl"), from: 0 };
    case "index":
      return { file: path.join(folder, "claims.json"), from: 0 };
    case "blob content":
      return { file: blob, from: 0, to: rows };
    case "blob rows":
      return { file: blob, from: rows, to: frameRoot };
    case "blob root":
      return { file: blob, from: frameRoot, to: footer };
    case "blob footer":
      return { file: blob, from: footer };
    default:
      return { file: path.join(root, kind), from: 0 };
  }
}

/** Flips bit number `bit` of what is meant; undefined where there are not so many. Resolves with the bytes as they were. */
async function flip({ file, from, to }: Place, bit: number): Promise<Buffer | undefined> {
  const whole = await readFile(file);
  const at = from + (bit >> 3);
  if (at >= (to ?? whole.length)) return undefined;
  const altered = Buffer.from(whole);
  altered[at] = (altered[at] ?? 0) ^ (1 << (bit & 7));
  await writeFile(file, altered);
  return whole;
}

/** Flips one bit in a copy of the store. `random` chooses it; `bit` names it. What is wrong afterwards goes to `tally`. */
export async function flipOne(
  sound: Sound,
  root: string,
  kind: Flipped,
  random: Random,
  tally: Tally,
  bit?: number,
): Promise<boolean> {
  await cp(sound.template, root, { recursive: true, preserveTimestamps: true });
  const wrong: string[] = [];
  let chosen: number | null;
  try {
    chosen =
      kind === "lock"
        ? await flipLock(sound, root, random, wrong, bit)
        : await flipFile(sound, root, kind, random, wrong, bit);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  if (chosen === null) return false;
  count(tally, `a bit of ${kind}`);
  tally.operations++;
  tally.verifications++;
  tally.losses.push(...wrong.map((what) => `bit ${chosen} of ${kind}: ${what}`));
  return true;
}

/** A session in use stays in use: nobody opens it, sweeps it or deletes it. */
async function flipLock(
  { here }: Sound,
  root: string,
  random: Random,
  wrong: string[],
  given?: number,
): Promise<number | null> {
  const store = await Sessions.open(root, HERE, clock);
  const session = await store.open(here.id);
  const folder = path.join(folderOfSession(root, HERE, here.id), "owner.lock");
  const [name = ""] = await readdir(folder);
  const file = path.join(folder, name);
  const bit = given ?? random((await readFile(file)).length * 8);
  const whole = await flip({ file, from: 0 }, bit);
  if (whole !== undefined) {
    const second = await store.open(here.id).then(async (open) => {
      await open.close();
      return "opened twice";
    }, codeOf);
    if (second !== "session-in-use") wrong.push(second);
    await sweep(plainRoot(root), { clock: ahead, keepMs: 1 });
    const care = await StoreCare.open(root, HERE, clock);
    const erased = await care.forgetSession(here.id).then(() => "deleted while in use", codeOf);
    if (erased !== "session-in-use") wrong.push(erased);
    await session.append({ type: "asked", turn: 1, text: "still here" });
    await session.sync().catch((cause) => wrong.push(codeOf(cause)));
  }
  await session.close();
  return whole === undefined ? null : bit;
}

async function flipFile(
  sound: Sound,
  root: string,
  kind: Exclude<Flipped, "lock">,
  random: Random,
  wrong: string[],
  given?: number,
): Promise<number | null> {
  const place = placeOf(root, sound, kind);
  const { from, to = (await readFile(place.file)).length } = place;
  const bit = given ?? random((to - from) * 8);
  const whole = await flip(place, bit);
  if (whole === undefined) return null;
  if (kind === "format.json") {
    const altered = await readFile(place.file);
    const opened = await Sessions.open(root, HERE, clock).then(() => "opened", codeOf);
    if (opened !== "opened" && opened !== "store-too-new") wrong.push(opened);
    if (!altered.equals(await readFile(place.file)))
      wrong.push("a format that is not known was written over");
    await writeFile(place.file, whole);
  }
  const { here, next, far } = sound;
  const before = await served(root, HERE, here, wrong);
  const findings = (await proved(root)).filter(({ session }) => session === here.id);
  judge(kind, before, here, findings, wrong);
  await sweep(plainRoot(root), { clock: ahead, keepMs: null });
  await opened(root, here, random, before, wrong);
  const after = await served(root, HERE, here, wrong);
  for (const handle of before) if (!after.has(handle)) wrong.push(`${handle} was lost afterwards`);
  for (const [workspace, other] of [
    [HERE, next],
    [ELSEWHERE, far],
  ] as const)
    if ((await served(root, workspace, other, wrong)).size < CONTENTS.length)
      wrong.push(`${other.id} was harmed`);
  const rest = (await proved(root)).filter(
    ({ weight, session }) => weight === "problem" && !(session === here.id && before.size < CONTENTS.length),
  );
  wrong.push(...rest.map(({ what }) => `still told: ${what}`));
  return bit;
}

async function proved(root: string): Promise<readonly Finding[]> {
  return (await verify(plainRoot(root), { tenants: await listTenants(plainRoot(root)) }, clock)).findings;
}

/** The handles that are served. Other bytes than were stored are wrong whatever was flipped. */
async function served(root: string, workspace: string, made: Made, wrong: string[]): Promise<Set<string>> {
  const store = await Sessions.open(root, workspace, clock);
  const good = new Set<string>();
  for (const [at, handle] of made.handles.entries()) {
    const text = await store.content(made.id, handle).catch((cause: unknown) => {
      if (!/^(blob-missing|blob-corrupt|store-too-new)$/.test(codeOf(cause))) wrong.push(codeOf(cause));
      return null;
    });
    if (text === CONTENTS[at]) good.add(handle);
    else if (text !== null) wrong.push(`other bytes were served for ${handle}`);
  }
  return good;
}

/** Verify is clean, or says precisely what is gone. */
function judge(
  kind: Flipped,
  served: ReadonlySet<string>,
  { handles }: Made,
  findings: readonly Finding[],
  wrong: string[],
): void {
  const told = findings.map(({ what }) => what);
  const lost = handles.filter((handle) => !served.has(handle));
  if (kind.startsWith("blob")) {
    if (lost.join() !== handles[0]) wrong.push(`lost: ${lost.join()}`);
    if (told.join() !== `stored result ${handles[0]} of read_file is corrupt`)
      wrong.push(`told: ${told.join()}`);
  } else if (kind === "log") {
    if (!/^(cannot be read: log\.jsonl: line \d+ |the log's last line was cut short)/.test(told[0] ?? ""))
      wrong.push(`told: ${told.join()}`);
  } else {
    if (lost.length > 0) wrong.push(`lost: ${lost.join()}`);
    if (kind !== "index" && told.length > 0) wrong.push(`told: ${told.join()}`);
  }
}

/** The session as the loop has it: every window is the content's or is refused; what was served is served. */
async function opened(
  root: string,
  { id, handles }: Made,
  random: Random,
  before: ReadonlySet<string>,
  wrong: string[],
): Promise<void> {
  const store = await Sessions.open(root, HERE, clock);
  const session = await store.open(id).catch((cause: unknown) => {
    if (codeOf(cause) !== "log-damaged") wrong.push(codeOf(cause));
    return null;
  });
  if (session === null) return;
  const isTold = session.events.some(({ type }) => type === "recovered");
  for (const [at, handle] of handles.entries()) {
    const claim = session.find(handle);
    const content = CONTENTS[at] ?? "";
    if (claim === undefined) {
      if (before.has(handle) || !isTold) wrong.push(`${handle} was forgotten`);
      continue;
    }
    const offset = random(charLength(content) + 1);
    const window = await session.window(claim, offset).catch((cause: unknown) => {
      if (codeOf(cause) !== "blob-corrupt" || before.has(handle)) wrong.push(`${handle}: ${codeOf(cause)}`);
      return null;
    });
    if (window !== null && window.text !== windowOf(content, offset).text)
      wrong.push(`a wrong window of ${handle}`);
  }
  await session.close();
}
