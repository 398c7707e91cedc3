// test/support: a process of its own that opens a large transcript as Analyze Session… does, and says what it took.
//   largeTranscript FILE      prints { turns, details, heapMegabytes } as JSON

import { sessionsOf } from "./lookedAt";

const [file = ""] = process.argv.slice(2);
const [log] = await sessionsOf(file);
if (!log) throw new Error("no session");
const { session, fold } = log;
const last = fold.turns.numbers.at(-2) ?? 0; // the one after it only answers
const key = `${session}/t${last}/t${last}c0/result`;
const details = await log.answer({ type: "wantDetails", session, key });
const returned = details?.type === "details" ? details.details.returned : null;
const begunBytes = JSON.stringify(log.begun()).length;
process.stdout.write(
  JSON.stringify({
    turns: fold.turns.numbers.length,
    returnedChars: returned?.totalChars ?? 0,
    begunBytes,
    heapMegabytes: Math.round(process.memoryUsage().heapUsed / 1024 / 1024),
  }),
);
