/** CONFORMANCE §2: pairing, as pictures of the history before and after. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { blockStarts, pair, pendingCalls, syntheticText } from "../../../src/history/pair";
import type { Message } from "../../../src/schema/message";
import { linesOf, messagesFrom, pictureOfMessages, problemOf } from "../../support/pictures";

const nothingKnown = () => undefined;

function check(before: string, after: string): void {
  const messages = messagesFrom(before);
  const paired = pair(messages, nothingKnown);
  assert.deepEqual(pictureOfMessages(paired.messages), linesOf(after));
  assert.equal(problemOf(paired.messages), null);
  const again = pair(paired.messages, nothingKnown);
  assert.equal(again.messages, paired.messages, "pairing twice is pairing once");
  assert.deepEqual(applied(messages, paired.splices), paired.messages, "the splices say the same");
}

function unchanged(picture: string): void {
  const messages = messagesFrom(picture);
  assert.equal(problemOf(messages), null, "the case itself is valid");
  assert.equal(pair(messages, nothingKnown).messages, messages);
}

/** Splices as whoever reads the log applies them. */
function applied(messages: readonly Message[], splices: ReturnType<typeof pair>["splices"]): Message[] {
  const next = [...messages];
  for (const { at, remove, insert } of splices.toReversed())
    next.splice(
      at,
      remove,
      ...insert.map((item) => (typeof item === "number" ? (messages[item] as Message) : item)),
    );
  return next;
}

test("P1 a valid history comes back by reference", () => {
  unchanged("");
  unchanged("u: hello");
  unchanged(`
    u: go
    a: reading · call x · call y
    t: x = first
    t: y = second
    a: done
    u: more
    a: call x
    t: x = third`);
});

test("P2 ids reused in a later turn are answered where they were asked", () => {
  check(
    `
    a: call x
    t: x = first
    a: call x
    u: go on`,
    `
    a: call x
    t: x = first
    a: call x
    t: x = (interrupted)
    u: go on`,
  );
});

test("P3 a dangling first block is closed, a later one that reuses its ids keeps its results", () => {
  check(
    `
    a: call x · call y
    u: again
    a: call x · call y
    t: x = first
    t: y = second`,
    `
    a: call x · call y
    t: x = (interrupted)
    t: y = (interrupted)
    u: again
    a: call x · call y
    t: x = first
    t: y = second`,
  );
});

test("P4 results move up over text that came between", () => {
  check(
    `
    a: call x · call y
    u: hurry
    t: y = second
    u: please
    t: x = first`,
    `
    a: call x · call y
    t: x = first
    t: y = second
    u: hurry
    u: please`,
  );
});

test("P5 a lone result goes", () => {
  check("t: x = lost", "");
  check(
    `
    u: hello
    t: x = lost
    a: hi
    t: y = lost too
    u: bye`,
    `
    u: hello
    a: hi
    u: bye`,
  );
});

test("P6 three calls, one result: the real one, then two that say what happened", () => {
  check(
    `
    a: call x · call y · call z
    t: x = first`,
    `
    a: call x · call y · call z
    t: x = first
    t: y = (interrupted)
    t: z = (interrupted)`,
  );
});

test("P7 a copy of a call goes; a different call under the same id gets an id of its own", () => {
  check(
    `
    a: call x read {"path":"a"} · call x read {"path":"a"}
    t: x = a`,
    `
    a: call x read {"path":"a"}
    t: x = a`,
  );
  check(
    `
    a: call x read {"path":"a"} · call x read {"path":"b"} · call x~2 read {"path":"c"}
    t: x = a
    t: x = b
    t: x~2 = c`,
    `
    a: call x read {"path":"a"} · call x~2~ read {"path":"b"} · call x~2 read {"path":"c"}
    t: x = a
    t: x~2~ = b
    t: x~2 = c`,
  );
});

test("P7 of calls that share an id, a result answers the one that it names, whichever came back first", () => {
  const [reply, ...results] = messagesFrom(`
    a: call x read {"path":"a"} · call x read {"path":"b"}
    t: x = a
    t: x = b`) as [Message, ...Message[]];
  const { messages } = pair([reply, ...results.toReversed()], nothingKnown);
  assert.deepEqual(
    pictureOfMessages(messages),
    linesOf(`
    a: call x read {"path":"a"} · call x~2 read {"path":"b"}
    t: x = a
    t: x~2 = b`),
  );
});

test("P8 a result behind the next reply is an orphan there and missing where it belongs", () => {
  check(
    `
    a: call x
    a: on we go
    t: x = late`,
    `
    a: call x
    t: x = (interrupted)
    a: on we go`,
  );
});

test("P9 synthetic results are errors, carry the code, and say only what is known", () => {
  const [, result] = pair(messagesFrom("a: call x"), nothingKnown).messages;
  assert.ok(result?.role === "tool" && result.isError && result.text.startsWith("[interrupted: "));
  const handle = `claim:${"a".repeat(32)}` as never;
  const cases = [
    ["proposed", /never started.*Nothing was changed/],
    ["refused", /never started.*Nothing was changed/],
    ["started", /may have run in part: check the state first/],
    ["returned", /ran, but its result was lost.*Check the state first/],
    [{ stored: handle }, /stored whole: read handle='claim:a{32}'/],
    [undefined, /no result of this call was recorded. It may have run in part/],
  ] as const;
  for (const [progress, expected] of cases) assert.match(syntheticText(progress), expected);
  for (const [progress] of cases)
    assert.match(syntheticText(progress), /Do not repeat the call blindly|instead of repeating the call/);
});

test("P10 a call without an id goes, and its result with it", () => {
  check(
    `
    a: call  · call y
    t:  = lost
    t: y = second`,
    `
    a: call y
    t: y = second`,
  );
  check("u: go\na: call ", "u: go");
  check("u: go\na: I will read · call ", "u: go\na: I will read");
});

test("P11 results right behind their reply are valid in any order", () => {
  unchanged(`
    a: call x · call y
    t: y = second
    t: x = first`);
});

test("P12 only the last block has pending calls", () => {
  const ids = (picture: string) => pendingCalls(messagesFrom(picture)).map(({ id }) => id);
  assert.deepEqual(ids("a: call x\na: call y · call z\nt: y = second"), ["z"]);
  assert.deepEqual(ids("a: call x\nu: go on\na: done"), []);
  assert.deepEqual(ids("u: hello"), []);
});

test("P13 P14 every block is followed by all its results; a second one for the same call goes", () => {
  check(
    `
    a: call x · call y
    t: x = first
    t: x = again
    t: y = second
    u: go
    a: call x
    u: wait
    t: x = third
    t: x = again`,
    `
    a: call x · call y
    t: x = first
    t: y = second
    u: go
    a: call x
    t: x = third
    u: wait`,
  );
});

test("P5 a reply that says nothing and asks nothing goes: no provider takes it", () => {
  check("u: go\na: \nu: on", "u: go\nu: on");
  check(
    `
    a: call x
    t: x = first
    a:
    t: x = lost
    u: on`,
    `
    a: call x
    t: x = first
    u: on`,
  );
});

const VALID = `
  u: go
  a: reading · call x · call y
  t: y = second
  t: x = first
  u: more
  a: said
  a: call x
  t: x = third
  u: thanks`;

test("P18 a history is cut at the beginning of a block: what is left is valid, and nothing is repaired", () => {
  const messages = messagesFrom(VALID);
  assert.deepEqual(blockStarts(messages), [0, 1, 5, 6]);
  assert.deepEqual(blockStarts([]), []);
  for (const at of blockStarts(messages)) unchanged(pictureOfMessages(messages.slice(at)).join("\n"));
  const lost = messages.flatMap((_, at) =>
    problemOf(messages.slice(at)) === null ? [] : [pictureOfMessages(messages.slice(at, at + 1))],
  );
  assert.deepEqual(
    lost,
    [["t: y = second"], ["t: x = first"], ["t: x = third"]],
    "cut anywhere else it may not be",
  );
});

test("P18 history pruned from the front so that it begins with a result loses that result only (continuedev/continue#4751)", () => {
  check(
    `
    t: y = second
    t: x = first
    u: more
    a: said`,
    `
    u: more
    a: said`,
  );
});

const line = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("u: go", "u: on", "a: said", "a:") },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.tuple(
          fc.constantFrom("", "x", "y", "z", "x~2"),
          fc.constantFrom("", ' read {"a":1}', ' read {"a":2}'),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((calls) => `a: ${calls.map(([id, rest]) => `call ${id}${id === "" ? "" : rest}`).join(" · ")}`),
  },
  { weight: 5, arbitrary: fc.constantFrom("x", "y", "z", "x~2", "", "w").map((id) => `t: ${id} = r`) },
);

test("P15 any history: valid afterwards, the same when paired again, nothing but results and broken calls removed", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const messages = messagesFrom(
        lines.map((text, i) => (text.startsWith("t:") ? `${text}${i}` : text)).join("\n"),
      );
      const { messages: paired, splices } = pair(messages, nothingKnown);
      assert.equal(problemOf(paired), null);
      assert.equal(pair(paired, nothingKnown).messages, paired);
      assert.deepEqual(applied(messages, splices), [...paired]);
      const said = (list: readonly Message[]) => list.flatMap((m) => (m.role === "tool" ? [] : m.text || []));
      assert.deepEqual(said(paired), said(messages), "what people and models said stays, in order");
      if (problemOf(messages) === null) assert.equal(paired, messages);
    }),
    { numRuns: 3000 },
  );
});

test("P18 any history: every place of blockStarts is one where both parts are valid, before and behind (property)", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const { messages } = pair(messagesFrom(lines.join("\n")), nothingKnown);
      const starts = blockStarts(messages);
      assert.equal(starts[0] ?? 0, 0);
      for (const at of starts) {
        for (const part of [messages.slice(0, at), messages.slice(at)]) {
          assert.equal(problemOf(part), null);
          assert.equal(pair(part, nothingKnown).messages, part);
        }
      }
    }),
    { numRuns: 1000 },
  );
});

test("P15 what is known to be valid is not looked at: pairing from there gives the same messages and the same splices (property)", () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 10 }),
      fc.array(line, { maxLength: 8 }),
      fc.nat(3),
      (known, more, later) => {
        const { messages: valid } = pair(messagesFrom(known.join("\n")), nothingKnown);
        const grown = [...valid, ...messagesFrom(more.join("\n")).map((message) => rekeyed(message))];
        const last = blockStarts(valid).at(-1) ?? 0; // what came since may belong to the last block
        const whole = pair(grown, nothingKnown);
        for (const from of [last, Math.min(last + later, valid.length)]) {
          const partly = pair(grown, nothingKnown, from);
          assert.deepEqual(partly, whole);
          assert.deepEqual(applied(grown, partly.splices), [...whole.messages]);
        }
      },
    ),
    { numRuns: 2000 },
  );
  const damaged = messagesFrom("a: call x\na: call y");
  assert.deepEqual(
    pair(damaged, nothingKnown, 1).splices.map(({ at }) => at),
    [1],
    "and the rest is trusted",
  );
});

/** Another session's keys. */
function rekeyed(message: Message): Message {
  if (message.role === "user") return message;
  if (message.role === "tool") return { ...message, call: `n${message.call}` };
  return { ...message, calls: message.calls.map((one) => ({ ...one, call: `n${one.call}` })) };
}

test("P15 no real result of an unambiguous block is lost, wherever in the block it stands", () => {
  const block = fc.uniqueArray(fc.constantFrom("x", "y", "z"), { minLength: 1, maxLength: 3 }).chain((ids) =>
    fc
      .tuple(fc.subarray(ids), fc.array(fc.constantFrom("u: go", "t: w = orphan"), { maxLength: 2 }))
      .chain(([answered, noise]) => {
        const rest = [...answered.map((id) => `t: ${id} = result of ${id}`), ...noise];
        return fc.shuffledSubarray(rest, { minLength: rest.length, maxLength: rest.length }).map((body) => ({
          lines: [`a: ${ids.map((id) => `call ${id}`).join(" · ")}`, ...body],
          results: answered.length,
        }));
      }),
  );
  fc.assert(
    fc.property(fc.array(block, { maxLength: 4 }), (blocks) => {
      const { messages } = pair(messagesFrom(blocks.flatMap(({ lines }) => lines).join("\n")), nothingKnown);
      const real = messages.filter(
        (message) => message.role === "tool" && message.text.startsWith("result of"),
      );
      assert.equal(
        real.length,
        blocks.reduce((sum, { results }) => sum + results, 0),
      );
      for (const message of real)
        if (message.role === "tool") assert.ok(message.text.endsWith(` ${message.id}`));
    }),
    { numRuns: 1000 },
  );
});
