/** Which images become lines before a request: who goes first, and who never goes. Sizes in bytes. */
import assert from "node:assert/strict";
import { type HistoryState, historyFold, type ResultFacts } from "../../../src/history/fold";
import { type ImageRules, imagesToReplace } from "../../../src/history/images";
import type { MediaShown, Message } from "../../../src/schema/message";
import { DEFAULT_SETTINGS } from "../../../src/schema/settings";
import { hash } from "../../support/house";

const { ageing } = DEFAULT_SETTINGS;
const RULES: ImageRules = { acceptsImages: true, ageing, perTurnBytes: 100_000, isExempt: () => false };
const AGE: ImageRules = { ...RULES, ageing: { ...ageing, strategy: "age" } };

type Result = Partial<ResultFacts> & { readonly sizes: readonly number[]; readonly text?: string };

/** A conversation of these results, one per turn unless they say otherwise; the last turn is the newest one's. */
function stateOf(results: readonly Result[], more: Partial<HistoryState> = {}): HistoryState {
  const messages: Message[] = [{ role: "user", text: "Look." }];
  const facts = new Map<string, ResultFacts>();
  results.forEach(({ sizes, text = "", ...about }, at) => {
    const turn = about.turn ?? at + 1;
    const call = `t${turn}c${at}`;
    const one = { call, id: call, name: about.tool ?? "look" };
    messages.push({ role: "assistant", text: "", calls: [{ ...one, arguments: "{}" }] });
    const media = sizes.map((bytes): MediaShown => {
      const sha256 = hash(`${call} ${bytes}`);
      return {
        shown: "image",
        handle: `claim:${sha256.slice(0, 32)}` as never,
        sha256,
        mediaType: "image/png",
        bytes,
      };
    });
    messages.push({ role: "tool", ...one, text, isError: about.isError ?? false, media });
    facts.set(call, {
      call,
      at: messages.length - 1,
      turn,
      tool: one.name,
      class: "read",
      isError: false,
      shown: "inline",
      handle: null,
      tainted: false,
      level: 0,
      isPinned: false,
      isShortened: false,
      whole: null,
      readBackBy: null,
      ...about,
    });
  });
  const turn = Math.max(...[...facts.values()].map((one) => one.turn));
  const state = { ...historyFold.begin(), hasMedia: true, requests: turn };
  return { ...state, turn, messages, results: facts, ...more };
}

const cutsOf = (state: HistoryState, rules: ImageRules) =>
  imagesToReplace(state, rules).map(
    ({ why, images }) => `${why} ${images.map(({ call, part }) => `${call}/${part}`).join(" ")}`,
  );

test("B10 of one turn the largest go first, each only where it is needed; of equal ones the first", () => {
  const one = (...sizes: number[]) => cutsOf(stateOf([{ sizes }]), RULES);
  assert.deepEqual(one(30_000, 60_000, 20_000), ["perTurnBytes t1c0/1"]);
  assert.deepEqual(one(40_000, 40_000, 40_000), ["perTurnBytes t1c0/0"]);
  assert.deepEqual(one(90_000, 9000), []);
  const small = stateOf([{ sizes: [100], text: "x".repeat(100_500) }]);
  assert.deepEqual(cutsOf(small, RULES), []); // its line would be longer
});

test("B10 of the whole conversation the oldest go first, and text counts with them", () => {
  const sizes = [30_000];
  assert.deepEqual(cutsOf(stateOf([{ sizes }, { sizes }, { sizes }]), RULES), []);
  assert.deepEqual(cutsOf(stateOf([{ sizes }, { sizes }, { sizes }, { sizes }]), RULES), [
    "perTurnBytes t1c0/0",
  ]);
  const text = "é".repeat(10_000);
  assert.deepEqual(cutsOf(stateOf([{ sizes, text }, { sizes }, { sizes }]), RULES), ["perTurnBytes t1c0/0"]);
});

test("§4 an image ages where a text would be a line: never of errors, writes and commands, never where ageing is off", () => {
  const old = (about: Partial<ResultFacts> = {}) =>
    stateOf([
      { sizes: [900], ...about },
      { turn: 4, sizes: [] },
    ]);
  assert.deepEqual(cutsOf(old(), AGE), ["age t1c0/0"]);
  assert.deepEqual(cutsOf(stateOf([{ sizes: [900] }, { turn: 3, sizes: [] }]), AGE), []);
  assert.deepEqual(cutsOf(old(), RULES), []);
  assert.deepEqual(cutsOf(old({ isError: true }), AGE), []);
  assert.deepEqual(cutsOf(old({ class: "execute" }), AGE), []);
  assert.deepEqual(cutsOf(old({ tool: "edit" }), { ...AGE, isExempt: (tool) => tool === "edit" }), []);
});

test("002 what no model has seen goes after two failures in a row, what one has seen stays", () => {
  const results = [{ sizes: [900] }, { sizes: [900, 901] }];
  assert.deepEqual(cutsOf(stateOf(results, { failedInARow: 1 }), RULES), []);
  assert.deepEqual(cutsOf(stateOf(results, { failedInARow: 2 }), RULES), ["failed t2c1/0 t2c1/1"]);
});

test("002 a model that takes no images gets none", () => {
  const results = [{ sizes: [900] }, { sizes: [900] }];
  assert.deepEqual(cutsOf(stateOf(results), { ...RULES, acceptsImages: false }), ["model t1c0/0 t2c1/0"]);
});
