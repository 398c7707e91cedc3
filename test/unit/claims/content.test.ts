/** What of a text that stands for a longer one is content: for every wording of ticket.ts and apart.ts. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { branchFailedLine, branchText, projectionText } from "../../../src/claims/apart";
import { contentIn } from "../../../src/claims/content";
import { handleOf } from "../../../src/claims/handle";
import {
  cutText,
  headlessTicketOf,
  opaqueTicketOf,
  projectionTicketOf,
  ticketOf,
} from "../../../src/claims/ticket";
import { charLength } from "../../../src/schema/text";
import { sha256 } from "../../support/hash";

const handle = handleOf("00112233445566778899aabbccddeeff", sha256("content"), sha256);
const DISCLOSED = "\n\n[limit lowered from 50 to 10 by policy; later items were not requested. Ask again.]";
const FAILED = `\n\n${branchFailedLine("deadline")}`;

const line = fc.constantFrom(
  "",
  "Clause 1.",
  "[a]",
  "[3]: see there",
  "[… 7 characters not shown here …]",
  "{}",
);
const content = fc
  .array(line, { minLength: 1, maxLength: 6 })
  .map((lines) => lines.join("\n"))
  .filter((text) => text !== "");
const facts = fc.record({
  tool: fc.constantFrom("read_contract", "srv__[x]", ""),
  totalChars: fc.integer({ min: 5000, max: 9000 }),
  tainted: fc.boolean(),
  note: fc.constantFrom(null, "the pointer leads nowhere"),
  more: fc.constantFrom("", DISCLOSED, FAILED, `${FAILED}${DISCLOSED}`),
});

test("the content of a ticket, values, a projection, an answer and a cut, fenced or not, is what went in", () => {
  fc.assert(
    fc.property(content, content, facts, fc.boolean(), (head, end, { more, ...given }, hasTail) => {
      const about = { ...given, handle, what: "1403 lines, text" };
      const { tainted } = given;
      const tail = hasTail ? end : "";
      const sizes = { head, headChars: charLength(head), tail, tailChars: charLength(tail) };
      const exceeded = { dimension: "items", actual: 37, limit: 10 } as const;
      const shown = { records: 3, totalRecords: 37, pointer: "/items", leftOut: 1 };
      const said = { text: head, completeness: "partial", dropped: 1 } as const;
      const texts: readonly (readonly [string, string])[] = [
        [ticketOf({ ...about, ...sizes }), head + tail],
        [projectionTicketOf(about, { text: head, values: 2, chars: charLength(head) }), head],
        [projectionText(about, exceeded, { records: shown as never, text: head }), head],
        [branchText(about, exceeded, { ...said, next: null }), head],
        [branchText(about, exceeded, { ...said, next: 4000 }), head],
        [cutText({ ...about, ...sizes, why: "the disk is full" }), head],
        [headlessTicketOf(about), ""],
        [opaqueTicketOf({ ...about, bytes: 9000, sha256: sha256("content") }), ""],
      ];
      for (const [text, expected] of texts)
        assert.equal(contentIn(`${text}${more}`, tainted), expected, text);
    }),
  );
});

test("a text of another shape has no content that stands for more", () => {
  for (const text of ["", "Clause 1.", "[a]\n\nb\n\n[c]"]) assert.equal(contentIn(text, false), "");
});
