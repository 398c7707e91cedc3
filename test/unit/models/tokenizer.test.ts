/** Counting tokens: as the library counts, whatever the text, in slices. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { root } from "../../../scripts/bootstrap.mjs";
import { SLICE_UNITS, sliceEnd } from "../../../src/models/o200kBase";
import { openTokenizer, openTokens } from "../../../src/models/tokenizer";
import type { TokenCounter } from "../../../src/schema/tokens";

/** Nothing is special. */
const asText = { disallowedSpecial: new Set<string>() };
const fromLibrary = (text: string): number => countTokens(text, asText);

const REAL = ["src/agent/turn.ts", "docs/decisions.md", "package.json", "package-lock.json", "src/cli.ts"];
const CHINESE = "工具的结果太长时，会话里只留下开头和一张票据，其余的都存起来，随时可以再读。";

suite("models/tokenizer", () => {
  let tokens: TokenCounter;
  suiteSetup(async () => {
    tokens = await openTokenizer();
  });

  test("where it cannot be loaded a run goes on with an estimate, which has a name of its own; it is told once", async () => {
    const told: string[] = [];
    const missing = () => Promise.reject(new Error("Cannot find module"));
    const counter = await openTokens((sentence) => told.push(sentence), missing);
    assert.equal(counter.name, "chars/3.3");
    assert.deepEqual(told, [
      "Tokens are estimated (chars/3.3): the tokenizer could not be loaded: Cannot find module",
    ]);
    assert.equal((await openTokens(assert.fail)).name, "o200k_base");
  });

  const slicesOf = (text: string): string[] => {
    const slices: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = sliceEnd(text, from);
      slices.push(text.slice(from, to));
      from = to;
    }
    return slices;
  };

  test("known texts, by name", () => {
    assert.equal(tokens.name, "o200k_base");
    assert.equal(tokens.count(""), 0);
    assert.equal(tokens.count("hello world"), 2);
    assert.equal(tokens.count("a".repeat(64)), 8);
  });

  test("any text that fits one slice counts as the library counts it, twice the same", () => {
    const alphabet = fc.constantFrom(..."ab AB09\n\r\t.,'/{}\"’sé的ไทย🚀👍🏽\ud800\udc00\u0301\u00a0");
    const anyText = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 400 }),
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: alphabet, maxLength: 400 }),
      fc.string({ unit: fc.constantFrom("a", "b", "ab", "abc"), minLength: 200, maxLength: 1500 }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        assert.equal(tokens.count(text), fromLibrary(text));
        assert.equal(tokens.count(text), tokens.count(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("special tokens are text like any other", () => {
    for (const text of [
      "<|endoftext|>",
      "a <|im_start|>user\nhi<|im_end|>",
      "<|endofprompt|>".repeat(2000),
    ]) {
      assert.ok(tokens.count(text) > text.split("<|").length * 2);
      assert.ok(Math.abs(tokens.count(text) - fromLibrary(text)) <= Math.ceil(text.length / SLICE_UNITS));
    }
  });

  test("half of a surrogate pair counts, alone and in a long run", () => {
    assert.equal(tokens.count("\ud800"), tokens.count("\ufffd"));
    assert.equal(tokens.count("a\udc00b"), tokens.count("a\ufffdb"));
    assert.equal(tokens.count("\ud800".repeat(9000)), tokens.count("\ufffd".repeat(9000)));
  });

  test("text that reads like text counts within 1 % of the library's count of the whole", () => {
    const code = readFileSync(path.join(root, "node_modules/typescript/lib/typescript.js"), "utf8");
    const texts = [
      ...REAL.map((file) => readFileSync(path.join(root, file), "utf8")),
      code.slice(1_000_000, 1_400_000),
      JSON.stringify(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"))),
      CHINESE.repeat(500),
    ];
    for (const text of texts) {
      const whole = fromLibrary(text);
      assert.ok(text.length > SLICE_UNITS || whole > 0);
      assert.ok(Math.abs(tokens.count(text) - whole) <= whole / 100, `${tokens.count(text)} of ${whole}`);
    }
  });

  test("where spaces part words a cut changes nothing at all", () => {
    const words = readFileSync(path.join(root, "docs/decisions.md"), "utf8").replace(/[^!-~]+/g, " ");
    assert.ok(slicesOf(words).length > 3);
    assert.equal(tokens.count(words), fromLibrary(words));
  });

  test("slices are the text, none is longer than 4096 code units, and no pair is split", () => {
    const unit = fc.constantFrom("a", " ", "\n", "é", "🚀", "👍🏽", "x".repeat(300), "的");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 6000 }), fc.nat(1), (made, shift) => {
        const text = "x".repeat(shift) + made + "🚀".repeat(4100);
        const slices = slicesOf(text);
        assert.equal(slices.join(""), text);
        for (const slice of slices) {
          assert.ok(slice.length > 0 && slice.length <= SLICE_UNITS);
          assert.ok(slice.isWellFormed());
        }
      }),
      { numRuns: 100 },
    );
  });

  test("a run without a break counts in step with its length", () => {
    for (const run of ["a", "ab", "🚀", "\ud800", "的", "\n", " ", "Aa0+"]) {
      const slice = SLICE_UNITS / run.length;
      assert.equal(tokens.count(run.repeat(slice * 50)), 50 * tokens.count(run.repeat(slice)), run);
    }
  });
});
