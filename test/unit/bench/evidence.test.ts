/** What a reply shows it was read: words and lines that had stood in one result alone. */
import assert from "node:assert/strict";
import type { Session } from "../../../src/inspector/whatIf/types";
import { sessionOf, type Told } from "../../support/benchSession";

/** Per reply: from which item, which words, at which places. */
function check(told: readonly Told[], expected: readonly string[]): void {
  assert.deepEqual(pictureOf(sessionOf(...told)), expected);
}

const pictureOf = ({ items, requests }: Session): string[] =>
  requests.map(({ evidence }) =>
    evidence
      .map(({ at, spans }) => {
        const words = spans.map(({ kind, places }) => {
          const [[from, to] = [0, 0]] = places;
          const text = items[at]?.text.slice(from, to);
          return `${kind === "line" ? "line " : ""}${text}@${places.map(([start]) => start).join("+")}`;
        });
        return `${at}: ${words.join(", ")}`;
      })
      .join("; "),
  );

test("tokens are runs of letters, digits and _, and two of one result count", () => {
  check(
    [{ u: "q" }, { a: "look" }, { t: "a_1(Größe) + b-2" }, { a: "a_1 Größe" }],
    ["", "2: a_1@0, Größe@4"],
  );
  check([{ u: "q" }, { a: "look" }, { t: "one two" }, { a: "one and 2" }], ["", ""]);
});

test("each place of a token is told", () => {
  check([{ u: "q" }, { a: "look" }, { t: "one two one" }, { a: "one two" }], ["", "2: one@0+8, two@4"]);
});

test("what the person, a reply, its arguments or another result had is not of one result", () => {
  const result = { t: "one two three four five" };
  const reply = { a: "one two three four five" };
  check([{ u: "one two three" }, { a: "look" }, result, reply], ["", "2: four@14, five@19"]);
  check([{ u: "q" }, { a: "one two three four" }, result, reply], ["", ""]);
  check(
    [{ u: "q" }, { a: "", args: '{"n":["one two",{"three":4}]}' }, result, reply],
    ["", "2: four@14, five@19"],
  );
  check([{ u: "q" }, { a: "look" }, result, { t: "two one" }, reply], ["", "2: three@8, four@14, five@19"]);
  check(
    [{ u: "q" }, { a: "look" }, result, reply, { u: "r" }, reply],
    ["", "2: one@0, two@4, three@8, four@14, five@19", ""],
  );
});

test("what stands in the same reply, or comes later, takes nothing away", () => {
  check(
    [{ u: "q" }, { a: "look" }, { t: "one two" }, { a: "one two" }, { t: "one two" }],
    ["", "2: one@0, two@4"],
  );
});

test("strings of arguments count decoded, their keys and numbers do not", () => {
  check(
    [{ u: "q" }, { a: "look" }, { t: "one two" }, { a: "", args: '{"x":["one\\ntwo"]}' }],
    ["", "2: one@0, two@4"],
  );
  check([{ u: "q" }, { a: "look" }, { t: "one 2 true" }, { a: "", args: '{"one":2,"two":true}' }], ["", ""]);
  check(
    [{ u: "q" }, { a: "look" }, { t: "one two" }, { a: "", args: '{"x":"one two' }],
    ["", "2: one@0, two@4"],
  );
});

test("a line of 24 characters, trimmed, counts alone; a shorter one, or part of one, does not", () => {
  const line = "-".repeat(23);
  check(
    [{ u: "q" }, { a: "look" }, { t: `x\r\n\t${line}+ \r\ny` }, { a: `  ${line}+` }],
    ["", `2: line ${line}+@4`],
  );
  check([{ u: "q" }, { a: "look" }, { t: `x\n${line}\ny` }, { a: line }], ["", ""]);
  check([{ u: "q" }, { a: "look" }, { t: `x\n${line}+++\ny` }, { a: `${line}+` }], ["", ""]);
  check([{ u: `${line}+` }, { a: "look" }, { t: `x\n${line}+\ny` }, { a: `${line}+` }], ["", ""]);
});
