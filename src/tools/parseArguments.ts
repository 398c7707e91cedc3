/** A call's arguments: JSON text in, checked values out. One zod schema also makes the JSON Schema that the model sees. */
import * as z from "zod";
import { asRaw, type RawText } from "../schema/text";

export type Parsed<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "failed"; readonly code: "invalid_arguments"; readonly text: RawText };

/** Refuses anything that does not fit, naming each field and what is wanted; nothing is repaired. Empty text means no arguments. */
export function parseArguments<S extends z.ZodObject>(schema: S, argumentsText: string): Parsed<z.infer<S>> {
  let value: unknown;
  try {
    value = argumentsText.trim() === "" ? {} : JSON.parse(argumentsText);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return failed(`The arguments are not valid JSON: ${cause.message}.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return { kind: "ok", value: result.data };
  return failed(result.error.issues.map((issue) => describe(issue, value, schema)).join("\n"));
}

/** The JSON Schema of a tool's arguments. */
export function inputSchemaOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

/** What a call gets for arguments that are well formed one by one but make no sense together. */
export function invalidArguments(text: string): Extract<Parsed<never>, { kind: "failed" }> {
  return { kind: "failed", code: "invalid_arguments", text: asRaw(text) };
}

const failed = (problems: string) =>
  invalidArguments(`${problems}\nNothing was done. Correct the arguments and call again.`);

function describe(issue: z.core.$ZodIssue, value: unknown, schema: z.ZodObject): string {
  const known = Object.keys(schema.shape);
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => JSON.stringify(key)).join(", ");
    return `Unknown argument ${names}. Known: ${known.join(", ")}.`;
  }
  const name = issue.path[0];
  if (typeof name !== "string") return `The arguments must be a JSON object with: ${known.join(", ")}.`;
  const given = (value as Record<string, unknown>)[name];
  const got = given === undefined ? "it is missing" : `got ${JSON.stringify(given).slice(0, 80)}`;
  const wanted = (schema.shape[name] as z.ZodType).description;
  return `${name}: ${issue.message}; ${got}.${wanted === undefined ? "" : ` ${name} is: ${wanted}`}`;
}
