// test/support: a process of its own that does one thing to a store, and stops for ever before a step of it.
//   carer ROOT WORKSPACE ACT STEP [SESSION|FILE|AHEAD_MS]     prints "step NAME" before each, "at NAME" where it stops, "done JSON"
import { StoreCare } from "../../src/store/care";

const [root = "", workspace = "", act = "", until = "", ...rest] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);
const [step, nth] = until.split("#"); // "unlink#2": the second time
let seen = 0;

async function stopAt(name: string): Promise<void> {
  say(`step ${name}`);
  if (name !== step || ++seen < Number(nth ?? 1)) return;
  say(`at ${name}`);
  setInterval(() => undefined, 1000);
  await new Promise(() => undefined);
}

const care = await StoreCare.open(
  root,
  workspace,
  { now: () => Date.now() + (act === "sweep" ? Number(rest[0] ?? 0) : 0) },
  undefined,
  { onStep: stopAt },
);

const [first = "", second = ""] = rest;
const acts: Record<string, () => Promise<unknown>> = {
  sweep: () => care.sweep(),
  forget: () => care.forgetSession(first),
  forgetWorkspace: () => care.forgetWorkspace(),
  forgetEverything: () => care.forgetEverything(),
  fork: () => care.fork(first),
  export: () => care.export(first, second),
  import: () => care.import(first),
  verify: () => care.verify({ everywhere: true }),
};
say(`done ${JSON.stringify(await acts[act]?.())}`);
