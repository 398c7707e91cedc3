/** The peers' rules, pinned at their edges: a rule that is not theirs would make the comparison worthless. */
import assert from "node:assert/strict";
import { chatcli, previewOf, shortened, summarised } from "../../../bench/traces/peers/chatcli";
import { clearToolUses } from "../../../bench/traces/peers/clearToolUses";
import { copilot, spilled } from "../../../bench/traces/peers/copilot";
import { deepagents, evicted } from "../../../bench/traces/peers/deepagents";
import { gemini, masked, maskOf } from "../../../bench/traces/peers/gemini";
import { naive } from "../../../bench/traces/peers/naive";
import { opencode } from "../../../bench/traces/peers/opencode";
import { PROFILES } from "../../../src/inspector/whatIf/profiles";
import { whole } from "../../../src/inspector/whatIf/session";
import { simulate } from "../../../src/inspector/whatIf/simulate";
import type { Item, Policy, Profile, Shown } from "../../../src/inspector/whatIf/types";
import { resultOf, sessionOf, type Told, units } from "../../support/benchSession";

const PATH = "/tmp/results/00001.txt";
const [ANTHROPIC] = PROFILES as [Profile];
const x = (length: number): string => "x".repeat(length);
const bytes = (text = ""): number => Buffer.byteLength(text);

/** What a policy makes of the session: before each request, the lengths of its results as they are shown. */
function lengthsOf(policy: Policy, ...told: readonly Told[]): readonly (readonly number[])[] {
  const lengths: (readonly number[])[] = [];
  const watching: Policy = {
    name: policy.name,
    open(tokens, profile) {
      const ask = policy.open(tokens, profile);
      return (items, moment) => {
        const changes = ask(items, moment);
        const shownAt = new Map(changes.map(({ at, shown }) => [at, shown]));
        lengths.push(
          items.flatMap((item, at) =>
            item.kind === "result" ? [bytes((shownAt.get(at) ?? item.shown).text)] : [],
          ),
        );
        return changes;
      };
    },
  };
  simulate(sessionOf(...told), watching, ANTHROPIC, units, { redemption: "none" });
  return lengths;
}

/** The result as it is shown when it comes. */
const arrived = (policy: Policy, text: string): number | undefined =>
  lengthsOf(policy, { u: "q" }, { a: "look" }, { t: text }, { a: "end" }).at(-1)?.[0];

/** What is shown is what is said to be kept of the original. */
function assertKept(text: string, { text: shown, kept }: Shown): void {
  for (const [from, to] of kept) assert.ok(shown.includes(text.slice(from, to)), `${from} to ${to}`);
}

test("naive: nothing changes", () => {
  assert.equal(arrived(naive, x(100_000)), 100_000);
});

test("chatcli: a result of 20,001 bytes becomes 5,077, one of 20,000 stays", () => {
  assert.equal(arrived(chatcli, x(20_000)), 20_000);
  assert.equal(arrived(chatcli, x(20_001)), 5077);
  const { text, kept, isKept } = previewOf(x(20_001), PATH);
  assert.equal(bytes(PATH), 22); // the length that makes it 5,077
  assert.equal(text, `${x(4000)}\n\n... [15001 chars omitted — full output saved to ${PATH}]\n\n${x(1000)}`);
  assert.deepEqual(
    { kept, isKept },
    {
      kept: [
        [0, 4000],
        [19_001, 20_001],
      ],
      isKept: true,
    },
  );
});

test("chatcli: heads end at the last line break of their second half, tails begin at the first of their first", () => {
  const lines = `${x(1999)}\n${x(1000)}\n${x(17_000)}\n${x(899)}`;
  const { kept } = previewOf(lines, PATH);
  assert.deepEqual(kept, [
    [0, 3001],
    [lines.length - 899, lines.length],
  ]);
  const early = `${x(1999)}\n${x(18_000)}\n${x(400)}`;
  assert.deepEqual(previewOf(early, PATH).kept, [
    [0, 4000],
    [early.length - 1000, early.length],
  ]);
  assertKept(lines, previewOf(lines, PATH));
});

test("chatcli: lengths are bytes, and no character is parted", () => {
  assert.equal(arrived(chatcli, "é".repeat(10_000)), 20_000);
  const euros = `${"€".repeat(6667)}x`;
  const { kept } = previewOf(euros, PATH);
  assert.deepEqual(kept, [
    [0, 1333],
    [euros.length - 334, euros.length],
  ]);
  const faces = "😀".repeat(5001);
  assert.deepEqual(previewOf(faces, PATH).kept, [
    [0, 2000],
    [9502, 10_002],
  ]);
});

test("chatcli: over 200,000 bytes in a turn the largest results follow until it fits", () => {
  const turn = (...sizes: number[]) =>
    lengthsOf(chatcli, { u: "q" }, { a: "look" }, ...sizes.map((size) => ({ t: x(size) })), { a: "end" }).at(
      -1,
    );
  const ten = Array<number>(10).fill(19_000);
  assert.deepEqual(turn(...ten, 10_000), [...ten, 10_000]);
  assert.deepEqual(turn(10_001, ...ten), [10_001, 5077, ...ten.slice(1)]);
  assert.deepEqual(turn(20_000, ...ten, 16_000), [5077, 5077, ...ten.slice(1), 16_000]);
});

test("chatcli: a result shows less after two turns, and one line after four; below 3,000 bytes it stays", () => {
  const turns = [
    { a: "1" },
    { u: "." },
    { a: "2" },
    { u: "." },
    { a: "3" },
    { u: "." },
    { a: "4" },
    { u: "." },
    { a: "5" },
    { u: "." },
    { a: "6" },
  ];
  const after = (size: number) => {
    const [first, ...rest] = turns;
    return lengthsOf(chatcli, { u: "q" }, first as Told, { t: x(size) }, ...(rest as Told[])).map(
      ([length]) => length,
    );
  };
  const [short, line] = [2500 + 50 + 25, 55 + 25];
  assert.deepEqual(after(2999), [undefined, 2999, 2999, 2999, 2999, 2999]);
  assert.deepEqual(after(3000), [undefined, 3000, 3000, short, short, line]);
  assert.deepEqual(after(20_001), [undefined, 5077, 5077, short + 1, short + 1, line]);
});

test("chatcli: what it says of old results", () => {
  const text = `package main\n${x(3000)}`;
  const old = shortened(text, whole(text), 1);
  assert.equal(
    old.text,
    `package main\n${x(1987)}\n[... 513 chars omitted from old tool result ...]\n${x(500)}\n<<ccr:0000000000000001>>`,
  );
  assert.deepEqual(old.kept, [
    [0, 2000],
    [2513, 3013],
  ]);
  assert.equal(
    summarised(whole(text), 1).text,
    "[Old tool result cleared — 2 lines, 3013 chars, Go source]\n<<ccr:0000000000000001>>",
  );
  const kinds = ['{"a":1}', "import os", "def f():", "function f", "diff --git", "commit 1", "words"];
  assert.deepEqual(
    kinds.map((kind) => /chars, (.*)\]/.exec(summarised(whole(kind), 1).text)?.[1]),
    ["JSON", "source code", "Python source", "JavaScript source", "diff", "git log", "text"],
  );
});

/** 10,000 tokens by the estimate of four characters each. */
const TEN = x(40_000);
const after = (results: readonly string[], ...more: readonly Told[]): readonly Told[] => [
  { u: "q" },
  { a: "look" },
  ...results.map((t) => ({ t })),
  ...more,
];
const THREE_TURNS: readonly Told[] = [{ a: "so" }, { u: "r" }, { a: "so" }, { u: "s" }, { a: "end" }];

test("opencode: what is before the latest 40,000 tokens goes if it is more than 20,000", () => {
  const last = (results: readonly string[]) =>
    lengthsOf(opencode, ...after(results, { u: "." }, ...THREE_TURNS)).at(-1);
  const six = Array<string>(6).fill(TEN);
  assert.deepEqual(
    last(six),
    six.map(() => 40_000),
  ); // 20,000 to free are not more
  assert.deepEqual(last([`${TEN}xxxx`, ...six.slice(1)]), [33, 33, 40_000, 40_000, 40_000, 40_000]);
  assert.deepEqual(last([TEN, ...six]), [33, 33, 33, 40_000, 40_000, 40_000, 40_000]);
});

test("opencode: the two latest turns are skipped, and it acts when the person goes on", () => {
  const seven = Array<string>(7).fill(TEN);
  const shown = lengthsOf(opencode, ...after(seven, ...THREE_TURNS, { u: "t" }, { a: "end" }));
  // The question is of turn 1: with r and s it is the third from the end only when the person goes on after s.
  assert.deepEqual(
    shown.map((lengths) => lengths.filter((length) => length === 33).length),
    [0, 0, 0, 0, 3],
  );
});

test("opencode: nothing is cleared in the middle of a run", () => {
  const seven = Array<string>(7).fill(TEN);
  const run: readonly Told[] = [
    { a: "so" },
    { u: "r" },
    { a: "so" },
    { u: "s" },
    { a: "look" },
    { t: "." },
    { a: "end" },
  ];
  const last = (...more: readonly Told[]) =>
    lengthsOf(opencode, ...after(seven, ...run, ...more))
      .at(-1)
      ?.slice(0, 4);
  assert.deepEqual(last(), [40_000, 40_000, 40_000, 40_000]);
  assert.deepEqual(last({ u: "t" }, { a: "end" }), [33, 33, 33, 40_000]);
});

test("opencode: nothing behind a cleared result is counted again", () => {
  const seven = Array<string>(7).fill(TEN);
  const more = (results: readonly string[]): readonly Told[] => [
    ...after(seven, { u: "." }, ...THREE_TURNS, { u: "." }, { a: "look" }),
    ...results.map((t) => ({ t })),
    ...THREE_TURNS,
    { u: "." },
    { a: "end" },
  ];
  const cleared = (results: readonly string[]) =>
    lengthsOf(opencode, ...more(results))
      .at(-1)
      ?.filter((length) => length === 33).length;
  assert.equal(cleared([TEN, TEN]), 3); // 20,000 more are not more than 20,000
  assert.equal(cleared([TEN, TEN, TEN]), 6);
});

test("opencode: failed results and skills stay", () => {
  const tell = (more: object) => [
    { u: "q" },
    { a: "look" },
    { t: TEN, ...more },
    ...Array<Told>(7).fill({ t: TEN }),
    { u: "." },
    ...THREE_TURNS,
  ];
  const last = (more: object) =>
    lengthsOf(opencode, ...tell(more))
      .at(-1)
      ?.slice(0, 2);
  assert.deepEqual(last({}), [33, 33]);
  assert.deepEqual(last({ isError: true }), [40_000, 33]);
  assert.deepEqual(last({ tool: "skill" }), [40_000, 33]);
});

test("gemini: what is before the latest 50,000 tokens is masked if it is 30,000 or more", () => {
  const of = (sizes: readonly number[], tool = "tool"): readonly Item[] => [
    ...sizes.map((size) => resultOf(x(size), { tool })),
    { kind: "assistant", text: "so", tokens: 2 },
    resultOf(x(900_000)), // the latest message is not looked at
  ];
  // 1 for the name, 13 characters of JSON around the text: 40,000 - 17 characters are 10,000 tokens.
  const ten = 40_000 - 17;
  const count = (...sizes: readonly number[]) => masked(of(sizes)).length;
  assert.equal(count(ten, ten, ten, ten, ten, ten, ten, ten), 3);
  assert.equal(count(ten - 4, ten, ten, ten, ten, ten, ten, ten), 0);
  assert.equal(count(ten, ten, ten + 4, ten, ten, ten, ten, ten), 3);
  assert.equal(count(ten, ten, ten, ten, ten, ten, ten + 4), 3); // the one that crosses is masked
});

test("gemini: a mask has 250 characters of either end, of a shell ten lines, and is left off where it saves nothing", () => {
  const text = `${x(300)}${"y".repeat(300)}`;
  const plain = maskOf("read_file", text, PATH);
  assert.deepEqual(plain.kept, [
    [0, 250],
    [350, 600],
  ]);
  assert.equal(bytes(plain.text), 21 + (500 + 21) + 2 + 44 + 22 + 22);
  assertKept(text, plain);
  const lines = Array.from({ length: 31 }, (_, n) => `line ${n}`).join("\n");
  const shell = maskOf("run_shell_command", lines, PATH);
  assertKept(lines, shell);
  assert.deepEqual(shell.kept, [
    [0, 69],
    [lines.length - 79, lines.length],
  ]);
  assert.match(shell.text, /line 9\n\n\.\.\. \[11 lines omitted\] \.\.\.\n\nline 21/);
  const oneLine: readonly Item[] = [
    resultOf(x(400_000), { tool: "bash" }),
    resultOf(x(400_000)),
    { kind: "assistant", text: "", tokens: 0 },
    { kind: "user", text: "q", tokens: 1 },
  ];
  assert.deepEqual(
    masked(oneLine).map(({ at }) => at),
    [1],
  );
});

test("gemini: what is masked is not masked again", () => {
  const told: Told[] = [
    ...after(
      Array<string>(3).fill(x(150_000)),
      { a: "so" },
      { u: "r" },
      { a: "so" },
      { u: "s" },
      { a: "end" },
    ),
  ];
  const shown = lengthsOf(gemini, ...told).map((lengths) => lengths.filter((length) => length < 1000).length);
  assert.deepEqual(shown, [0, 0, 2, 2]);
});

test("gemini: what is masked does not count again", () => {
  const fifteen = x(60_100);
  const told = (more: number) => [
    ...after(Array<string>(5).fill(fifteen), { a: "so" }, { u: "r" }, { a: "look" }),
    ...Array<Told>(more).fill({ t: fifteen }),
    { a: "so" },
    { u: "s" },
    { a: "end" },
  ];
  const maskedAtEnd = (more: number) =>
    lengthsOf(gemini, ...told(more))
      .at(-1)
      ?.filter((length) => length < 1000).length;
  assert.deepEqual([0, 1, 2].map(maskedAtEnd), [2, 2, 4]);
});

test("clear_tool_uses: above 100,000 input tokens all but the 3 latest results are cleared", () => {
  const five = (size: number) => after([x(size), "two", "three", "four", "five"], { a: "end" });
  const rest = 12_000 + 1 + 4 + 3 + 5 + 4 + 4;
  assert.deepEqual(lengthsOf(clearToolUses, ...five(100_000 - rest)).at(-1), [100_000 - rest, 3, 5, 4, 4]);
  assert.deepEqual(lengthsOf(clearToolUses, ...five(100_001 - rest)).at(-1), [33, 33, 5, 4, 4]);
});

test("clear_tool_uses: the history counts before any clearing, so that each later result clears one", () => {
  const told = after([x(200_000), "two", "three", "four"], { a: "look" }, { t: "five" }, { a: "end" });
  assert.deepEqual(lengthsOf(clearToolUses, ...told).slice(1), [
    [33, 3, 5, 4],
    [33, 33, 5, 4, 4],
  ]);
});

test("deepagents: a result over 80,000 characters keeps the first and the last five lines, of 1,000 characters each", () => {
  const lines = Array.from({ length: 8000 }, (_, n) => String(n).padStart(9, "0"));
  const exact = lines.join("\n").slice(0, 80_000);
  assert.equal(arrived(deepagents, exact), 80_000 - 1);
  assert.equal(arrived(deepagents, `${exact}x`), 80_000);
  const text = `${exact}xx`;
  const shown = evicted(text, PATH) as Shown;
  assertKept(text, shown);
  assert.deepEqual(shown.kept.slice(0, 2), [
    [0, 9],
    [10, 19],
  ]);
  assert.equal(shown.kept.length, 10);
  const notice = 105 + 129 + 179 + 22 + (57 + 3 + 99 + 1) + 4 * 2 + 1;
  const sample = 10 * (9 + 7) + 2 + 8 + "\n... [7990 lines truncated] ...\n".length;
  assert.equal(bytes(shown.text), notice + sample);
  const long = evicted(x(80_001), PATH) as Shown;
  assert.deepEqual(long.kept, [[0, 1000]]);
  assert.equal(bytes(long.text), 105 + 129 + 179 + 22 + (31 + 3 + 76 + 1) + 4 * 2 + 1 + 1007);
});

test("copilot: over 8,192 characters only a notice and a path remain, for JSON a second path", () => {
  assert.equal(arrived(copilot, x(8192)), 8192);
  assert.equal(arrived(copilot, x(8193)), 90 + 22);
  const json = JSON.stringify([x(8189)]);
  assert.equal(arrived(copilot, json), 90 + 22 + 2 + 22 + 22);
  assert.deepEqual(spilled(x(8193), PATH)?.kept, []);
  assert.match(spilled(x(9 * 1024), PATH)?.text ?? "", /\(9KB\)/);
});
