/** CONFORMANCE §6's hostile lists and cursors; the bench counts the same cases. */
import assert from "node:assert/strict";
import { ADVERSARIAL } from "../../../bench/coverage/adversarial";

suite("coverage, adversarial", () => {
  const proved = new Set<string>();
  const proves = (name: keyof typeof ADVERSARIAL): void => {
    proved.add(name);
    test(name, ADVERSARIAL[name]);
  };
  proves("an empty list is complete");
  proves("an envelope that is too small is refused, and its minimum is not");
  proves("an unknown cursor is refused");
  proves("a corrupt resource is refused");
  proves("a cursor of another snapshot is refused");
  proves("a cursor that leads back is refused");
  proves("ids of 19 digits keep their digits");
  proves("lone surrogate escapes stay as they are");
  proves("duplicate keys stay as they are");
  proves("10 000 records come back in order");
  proves("a record of 5 MB is a reference, read back whole");

  test("every hostile case is one of these", () => {
    assert.deepEqual([...proved], Object.keys(ADVERSARIAL));
  });
});
