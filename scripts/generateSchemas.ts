/** Writes schemas/*.json from the zod schemas: `npx tsx scripts/generateSchemas.ts`. A test keeps the files current. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as z from "zod";
import { PolicyArtifact } from "../src/schema/policy";

/** The policy's schema in draft-07, which VS Code's JSON language service understands best. */
export function policySchemaText(): string {
  const schema = z.toJSONSchema(PolicyArtifact, { target: "draft-7", io: "input" });
  const { $schema, ...rest } = schema;
  const titled = {
    $schema,
    title: "Thimble policy",
    description: "Result limits: which tool arguments count results, and how many a call may ask for.",
    ...rest,
  };
  return `${JSON.stringify(titled, null, 2)}\n`;
}

export const SCHEMAS: Readonly<Record<string, () => string>> = { "thimble.schema.json": policySchemaText };

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "schemas");

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(SCHEMAS)) writeFileSync(join(folder, name), text());
}
