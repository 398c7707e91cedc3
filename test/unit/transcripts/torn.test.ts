/** Files that broke off, lost a line or had one torn: opened with what is there, or refused; told by one format alone. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { foldHistory } from "../../../src/history/fold";
import { projectSession } from "../../../src/inspector/project";
import { Failure } from "../../../src/schema/failure";
import { DOCUMENT_FORMATS, LINE_FORMATS } from "../../../src/transcripts/formats";
import { isRecord, type Json, parseJson } from "../../../src/transcripts/json";
import {
  COPILOT_CHAT_LOG,
  GEMINI_LOG,
  GEMINI_RECORDING,
  KIMI_CONTEXT,
  OPENCODE_EXPORT,
} from "../../support/recordings";
import { assertValid, linesOf, notesOf, pictureOf, readOne, readText } from "../../support/transcripts";

const TEXTS: Readonly<Record<string, string>> = {
  "Copilot chat session": COPILOT_CHAT_LOG,
  "Gemini CLI": GEMINI_LOG,
  "Gemini CLI, in one value": GEMINI_RECORDING,
  "Kimi CLI": KIMI_CONTEXT,
  "opencode export": OPENCODE_EXPORT,
};

/** Read and valid, or refused for a reason. */
async function check(text: string | Buffer): Promise<void> {
  try {
    for (const { events } of (await readText(text)).sessions) {
      assertValid(events);
      foldHistory(events);
      assert.ok(projectSession(events));
    }
  } catch (cause) {
    if (!(cause instanceof Failure && cause.code === "import-unreadable")) throw cause;
  }
}

for (const [what, text] of Object.entries(TEXTS)) {
  const bytes = Buffer.from(text);
  const lines = text.split("\n");
  const at = fc.nat(lines.length - 1);

  test(`${what}: told by its own format and by no other`, () => {
    const records = lines.map(parseJson).filter(isRecord) as Json[];
    const isIndented = parseJson(lines[0] ?? "") === undefined;
    const names = isIndented
      ? DOCUMENT_FORMATS.filter((one) => one.isOne(parseJson(text))).map(({ name }) => name)
      : [
          ...LINE_FORMATS.filter((one) => one.isOne(records)).map(({ name }) => name),
          ...DOCUMENT_FORMATS.filter((one) => records.some((record) => one.isOne(record))).map(
            ({ name }) => name,
          ),
        ];
    assert.deepEqual(names, [what.replace(/,.*/, "")]);
  });

  test(`${what}: any beginning opens or is refused (property)`, () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), (length) => check(bytes.subarray(0, length))),
      { numRuns: 60 },
    ));

  test(`${what}: lines lost, doubled, torn or in another place open or are refused (property)`, () =>
    fc.assert(
      fc.asyncProperty(at, at, fc.constantFrom("lost", "doubled", "torn", "fused", "moved"), (n, to, how) => {
        const line = lines[n] ?? "";
        const other = lines.filter((_, index) => index !== n);
        const damaged = {
          lost: other,
          doubled: lines.toSpliced(n, 0, line),
          torn: lines.with(n, line.slice(0, (line.length * to) / lines.length)),
          fused: lines.toSpliced(n, 2, line + (lines[n + 1] ?? "")),
          moved: other.toSpliced(to, 0, line),
        }[how];
        return check(damaged.join("\n"));
      }),
      { numRuns: 120 },
    ));
}

test("wrong types everywhere in what is new: whatever stands there, it is read or refused (property)", async function () {
  this.timeout(60_000);
  const key = fc.constantFrom(
    ..."kind,k,v,i,id,type,content,toolCalls,result,functionResponse,functionCall,response,args,tokens,input,output,cached,thoughts,timestamp,$set,$rewindTo,messages,summary,sessionId,projectHash,role,tool_calls,tool_call_id,requests,message,text,modelState,metadata,toolCallRounds,info,parts,state,status,time,callID,cache,attachments,url,error".split(
      ",",
    ),
  );
  const word = fc.constantFrom<unknown>(
    ..."user,gemini,info,error,assistant,tool,text,completed,step-start,step-finish,_usage,requests,u,g,\ud800,__proto__".split(
      ",",
    ),
    ...[null, true, -1, 0, 1, 2, 3, 1e308, ""],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      word,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 6 }),
    ),
  }));
  const record = fc.dictionary(key, value, { maxKeys: 8 });
  const heads: readonly object[] = [
    { kind: 0, v: { requests: [{ message: { text: "x" }, response: [] }] } },
    { sessionId: "s", projectHash: "h" },
    { role: "_checkpoint", id: 0 },
    { info: { role: "assistant" } },
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 8 }), fc.nat(4), (records, form) => {
      const [, recording, , reply] = heads;
      const messages = form === 3 ? records : [{ ...reply, parts: records }, ...records];
      return check(
        form >= 3
          ? JSON.stringify({ ...(form === 3 ? recording : { info: {} }), messages }, null, 2)
          : [heads[form], ...records].map((one) => JSON.stringify(one)).join("\n"),
      );
    }),
    { numRuns: 400 },
  );
});

test("what the lines of one session make up is held within a bound, and what is over it counted", async function () {
  this.timeout(60_000);
  const long = "x".repeat(25 * 1024 * 1024);
  const recording = await readOne(
    linesOf(
      { sessionId: "s", projectHash: "h" },
      { id: "a", type: "gemini", content: long },
      { id: "a", type: "gemini", content: long }, // another writing of it takes its place
      { id: "b", type: "gemini", content: long },
      { id: "c", type: "gemini", content: long },
      { id: "d", type: "user", content: "Go on." },
    ),
  );
  assert.equal(pictureOf(recording).length, 3);
  assert.deepEqual(notesOf(recording), ["1 message(s) were not read: a session may have 64 MB"]);
  const request = { message: { text: "Look." }, response: [{ value: long }] };
  const chat = await readOne(
    linesOf(
      { kind: 0, v: { requests: [request] } },
      ...[1, 2].map(() => ({ kind: 2, k: ["requests"], v: [request] })),
      { kind: 1, k: ["customTitle"], v: "A title" },
    ),
  );
  assert.equal(pictureOf(chat).length, 4);
  assert.deepEqual(notesOf(chat), ["1 patch(es) were not read: a session may have 64 MB"]);
});

test("a chat whose first state is too long to be read is refused for that", async () => {
  const [first = "", ...patches] = COPILOT_CHAT_LOG.split("\n");
  const long = first.replace('"Probe"', () => `"${"x".repeat(33 * 1024 * 1024)}"`);
  await assert.rejects(
    readText([long, ...patches].join("\n")),
    /Copilot chat session\) without a conversation: lines of more than 32 MB are not read/,
  );
});

test("Gemini CLI: going back again and again costs what it takes away", async () => {
  const messages = Array.from({ length: 20_000 }, (_, n) => ({ id: `m${n}`, type: "info", content: "" }));
  const back = Array.from({ length: 20_000 }, () => [
    { id: "x", type: "user", content: "No." },
    { $rewindTo: "x" },
  ]).flat();
  const session = await readOne(
    linesOf({ sessionId: "s", projectHash: "h" }, ...messages, ...back, {
      id: "y",
      type: "user",
      content: "Yes.",
    }),
  );
  assert.deepEqual(pictureOf(session), ["u: Yes."]);
  assert.equal(notesOf(session)[0], "20,000 message(s) were taken back by the person");
});

test("Gemini CLI: a message to go back to that is not there takes all with it, as it does there", async () => {
  const session = await readOne(
    linesOf(GEMINI_LOG, { $rewindTo: "nobody" }, { id: "y", type: "user", content: "Anew." }),
  );
  assert.deepEqual(pictureOf(session), ["u: Anew."]);
  assert.deepEqual(notesOf(session), ["7 message(s) were taken back by the person"]);
});
