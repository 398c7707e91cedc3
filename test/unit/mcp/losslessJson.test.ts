/** CONFORMANCE §5, Adapters: which arguments survive being an object. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readLossless } from "../../../src/mcp/losslessJson";

const kindOf = (text: string): string => readLossless(text).kind;

suite("mcp/losslessJson", () => {
  test("numbers that a double cannot hold to the last digit are lossy, all others are not", () => {
    const lossless =
      "0 -1 9007199254740991 9007199254740992 0.1 1.10 1e3 500.0 1E+2 1e-7 123456789012345680000 5e-324";
    const lossy =
      "9007199254740993 12345678901234567890 -9223372036854775807 0.12345678901234567890123 1e400 -0 1e-400 3.0000000000000000001";
    for (const number of lossless.split(" ")) assert.equal(kindOf(`{"a":[${number}]}`), "lossless", number);
    for (const number of lossy.split(" ")) assert.equal(kindOf(`{"a":[${number}]}`), "lossy", number);
    assert.equal(kindOf(`{"a":1${"0".repeat(100_000)}1}`), "lossy");
    assert.equal(kindOf(`{"a":0.${"0".repeat(100_000)}1}`), "lossy");
  });

  test("a name that occurs twice in one object, at any depth and however it is written", () => {
    for (const text of ['{"a":1,"a":1}', '{"x":[{"a":1,"\\u0061":2}]}', '{"a":{},"b":[],"a" : 3}'])
      assert.equal(kindOf(text), "lossy", text);
    for (const text of [
      '{"a":{"a":1},"b":"a"}',
      '[{"a":1},{"a":2}]',
      '{"a":"\\"a\\":1,\\"a\\":","b":"\\\\"}',
    ])
      assert.equal(kindOf(text), "lossless", text);
  });

  test("digits and braces in strings are text", () => {
    assert.equal(kindOf('{"id":"12345678901234567890","s":"{\\"a\\":1e999}"}'), "lossless");
  });

  test("what is no JSON, or deeper than any arguments, is invalid", () => {
    for (const text of ["", '{"a":', "{'a':1}", `${"[".repeat(500)}${"]".repeat(500)}`])
      assert.equal(kindOf(text), "invalid", text.slice(0, 20));
  });

  test("any JSON that JavaScript writes is lossless, and reads the same", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const read = readLossless(JSON.stringify(JSON.parse(text)));
        assert.deepEqual(read, { kind: "lossless", value: JSON.parse(text) });
      }),
    );
  });

  test("any integer is lossless exactly where what is sent is the same integer", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), (integer) => {
        const isSame = BigInt(JSON.stringify(Number(integer))) === integer;
        assert.equal(kindOf(`[${integer}]`), isSame ? "lossless" : "lossy");
      }),
    );
  });
});
