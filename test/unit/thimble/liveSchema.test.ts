/** A live tool against its contract: what may differ, what may not, and that no name is taken apart. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Contract } from "../../../src/schema/policy";
import { schemaDigest } from "../../../src/thimble/identity";
import { checkLive, type LiveTool, originOf, schemasAt } from "../../../src/thimble/liveSchema";
import { pathOf } from "../../../src/thimble/scan";
import { sha256 } from "../../support/hash";
import { artifactWith, contractWith } from "../../support/thimble";

const SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string" },
    limit: { type: "integer", minimum: 1, maximum: 100 },
    page: { type: "integer", minimum: 1 },
  },
  required: ["query"],
};
const CONTRACT: Partial<Contract> = {
  server: "tracker",
  schema_sha256: schemaDigest(SCHEMA, sha256) ?? assert.fail(),
  continuation: { kind: "page", argument: "/page", first: 1 },
};
const LIVE: LiveTool = { server: "tracker", name: "search", inputSchema: SCHEMA, readOnlyHint: null };

/** A check as a picture: kind, reason, lower bound, notes. */
function picture(live: Partial<LiveTool>, contract: Partial<Contract> = {}): string {
  const merged = contractWith({ ...CONTRACT, ...contract });
  const check = checkLive(merged, artifactWith([merged]), { ...LIVE, ...live }, sha256);
  if ("reason" in check) return `${check.kind} ${check.reason}`;
  return "notes" in check ? [check.kind, check.lowest ?? "-", ...check.notes].join(" ") : check.kind;
}

/** The same schema with another one for `limit`. */
const limited = (limit: unknown): Partial<LiveTool> => ({
  inputSchema: { ...SCHEMA, properties: { ...SCHEMA.properties, limit } },
});

suite("thimble/liveSchema", () => {
  test("the tool that the contract was written for is usable, wherever its layout or order differ", () => {
    assert.equal(picture({}), "usable 1");
    const { properties, ...rest } = SCHEMA;
    assert.equal(picture({ inputSchema: { properties, ...rest } }), "usable 1");
    assert.equal(picture({ readOnlyHint: true }), "usable 1");
    assert.equal(picture({}, { schema_sha256: undefined } as object), "usable 1");
  });

  test("another server, and one that the host does not name, are mismatches; so is another tool", () => {
    assert.equal(picture({ server: "Tracker" }), "mismatch other_server");
    assert.equal(picture({ server: null }), "mismatch other_server");
    assert.equal(picture({ name: "search_issues" }), "mismatch other_tool");
    assert.equal(picture({ server: null }, { server: undefined } as object), "usable 1");
  });

  test("a changed digest alone is a note; a pointer that proves nothing any more is a mismatch", () => {
    const cases: [string, Partial<LiveTool>, string][] = [
      [
        "another description",
        limited({ ...SCHEMA.properties.limit, description: "d" }),
        "usable 1 schema_changed",
      ],
      ["another argument beside it", limited({ type: "integer" }), "usable - schema_changed"],
      ["number", limited({ type: "number", exclusiveMinimum: 0 }), "usable 1 schema_changed"],
      [
        "draft 4 bound",
        limited({ type: "number", minimum: 0, exclusiveMinimum: true }),
        "usable 1 schema_changed",
      ],
      ["nullable type", limited({ type: ["integer", "null"] }), "usable - schema_changed"],
      ["nullable keyword", limited({ type: "integer", nullable: true }), "usable - schema_changed"],
      [
        "anyOf null",
        limited({ anyOf: [{ type: "integer", minimum: 2 }, { type: "null" }] }),
        "usable 2 schema_changed",
      ],
      [
        "oneOf numbers",
        limited({ oneOf: [{ type: "integer" }, { type: "number" }] }),
        "usable - schema_changed",
      ],
      [
        "gone",
        { inputSchema: { ...SCHEMA, properties: { page: { type: "integer" } } } },
        "mismatch argument_gone",
      ],
      [
        "an open object",
        { inputSchema: { type: "object", additionalProperties: { type: "integer" } } },
        "mismatch argument_gone",
      ],
      ["string", limited({ type: "string" }), "mismatch not_a_number"],
      ["boolean", limited({ type: "boolean" }), "mismatch not_a_number"],
      ["no type", limited({}), "mismatch not_a_number"],
      ["null only", limited({ type: "null" }), "mismatch not_a_number"],
      [
        "integer or string",
        limited({ anyOf: [{ type: "integer" }, { type: "string" }] }),
        "mismatch not_a_number",
      ],
      ["types in a list", limited({ type: ["integer", "string"] }), "mismatch not_a_number"],
      [
        "page renamed",
        { inputSchema: { ...SCHEMA, properties: { limit: { type: "integer" }, pageNumber: {} } } },
        "mismatch continuation_gone",
      ],
      ["no schema", { inputSchema: null }, "mismatch argument_gone"],
      ["true", { inputSchema: true }, "mismatch argument_gone"],
      ["list", { inputSchema: [SCHEMA] }, "mismatch argument_gone"],
    ];
    for (const [name, live, expected] of cases) assert.equal(picture(live), expected, name);
  });

  test("a schema that would refuse the ceiling makes the contract invalid; a maximum does not matter", () => {
    assert.equal(picture(limited({ type: "integer", minimum: 11 })), "invalid ceiling_below_schema");
    assert.equal(picture(limited({ type: "integer", exclusiveMinimum: 10 })), "invalid ceiling_below_schema");
    assert.equal(picture(limited({ type: "integer", minimum: 10 })), "usable 10 schema_changed");
    assert.equal(
      picture(limited({ type: "integer", minimum: 11 }), { minimum: 12, maximum: 12 }),
      "usable 11 schema_changed",
    );
    assert.equal(picture(limited({ type: "integer", enum: [25, 50, 100] })), "invalid ceiling_not_allowed");
    assert.equal(picture(limited({ type: "integer", enum: [10, 50] })), "usable - schema_changed");
    assert.equal(picture(limited({ type: "integer", multipleOf: 25 })), "invalid ceiling_not_allowed");
    assert.equal(picture(limited({ type: "integer", maximum: 5 })), "usable - schema_changed");
  });

  test("read-only is what the contract or the annotation says; an annotation against it counts more", () => {
    const silent = { read_only: undefined } as object;
    assert.equal(picture({}, silent), "observe_only 1");
    assert.equal(picture({ readOnlyHint: true }, silent), "usable 1");
    assert.equal(picture({ readOnlyHint: false }), "not_read_only");
    assert.equal(picture({ readOnlyHint: true }, { read_only: false }), "not_read_only");
  });

  test("of an argument and its aliases one has to be there, and each that is has to count", () => {
    const aliases = { argument: "/first", aliases: ["/limit"] };
    assert.equal(picture({}, aliases), "usable 1");
    const both = { inputSchema: { properties: { ...SCHEMA.properties, first: { type: "string" } } } };
    assert.equal(picture(both, aliases), "mismatch not_a_number");
  });

  test("references inside the schema are followed, others and endless ones are not", () => {
    const defined = (limit: unknown, $defs: unknown) => ({
      inputSchema: { ...SCHEMA, $defs, properties: { ...SCHEMA.properties, limit } },
    });
    const ref = { $ref: "#/$defs/count" };
    assert.equal(
      picture(defined(ref, { count: { type: "integer", minimum: 1 } })),
      "usable 1 schema_changed",
    );
    assert.equal(picture(defined(ref, {})), "mismatch argument_gone");
    assert.equal(picture(defined(ref, { count: ref })), "mismatch argument_gone");
    assert.equal(picture(defined({ $ref: "https://example.org/count.json" }, {})), "mismatch argument_gone");
    assert.equal(picture(defined({ $ref: "#/__proto__" }, {})), "mismatch argument_gone");
    const count = { type: "integer" };
    assert.equal(picture(defined({ $ref: "x/$defs/count" }, { count })), "mismatch argument_gone");
    const itself = { anyOf: [count, { $ref: "#/properties/limit" }] };
    assert.equal(picture(defined(itself, {})), "usable - schema_changed");
  });

  test("nested pointers go through properties, items and unions", () => {
    const schema = {
      properties: {
        options: { anyOf: [{ properties: { n: { type: "integer" } } }, { type: "null" }] },
        queries: { type: "array", items: { properties: { limit: { type: "number" } } } },
        pair: { prefixItems: [{ type: "string" }, { type: "integer" }] },
      },
    };
    const types = (pointer: string) => schemasAt(schema, pathOf(pointer)).map(({ type }) => type);
    assert.deepEqual(types("/options/n"), ["integer"]);
    assert.deepEqual(types("/queries/3/limit"), ["number"]);
    assert.deepEqual(types("/pair/1"), ["integer"]);
    for (const pointer of [
      "/options/m",
      "/queries/-/limit",
      "/queries/limit",
      "/pair/2",
      "/constructor",
      "/__proto__",
    ]) {
      assert.deepEqual(types(pointer), [], pointer);
    }
  });

  test("any schema is judged without a throw, deep and cyclic ones included", () => {
    let deep: object = { type: "integer" };
    for (let i = 0; i < 50_000; i++) deep = { anyOf: [deep] };
    assert.match(picture(limited(deep)), /^mismatch/);
    const cyclic: Record<string, unknown> = { type: "object" };
    cyclic.properties = { limit: { type: "integer" }, page: { type: "integer" }, self: cyclic };
    assert.equal(picture({ inputSchema: cyclic }), "usable - schema_not_digestible");
    const lone = limited({ type: "integer", description: "\ud800" });
    assert.equal(picture(lone), "usable - schema_not_digestible");
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        picture({ inputSchema: value });
        picture(limited(value));
      }),
    );
  });

  test("a server is what the host says: nothing is read out of a prefixed or cut name", () => {
    const told = new Map([["mcp_tracker_search", { server: "tracker", tool: "search" }]]);
    assert.deepEqual(originOf("mcp_tracker_search", told), { server: "tracker", tool: "search" });
    for (const name of ["mcp_tracker_searc", "mcp_tracker_search2", "tracker.search", "constructor"]) {
      const origin = originOf(name, told);
      assert.deepEqual(origin, { server: null, tool: name });
      assert.equal(picture({ server: origin.server, name: origin.tool }), "mismatch other_server");
    }
  });
});
