// bench: runs one benchmark by name. Benchmarks are the files beside this one.
//   npm run bench -- NAME [--json] [--data DIR]     --json: the last line is one JSON object
import { readdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../scripts/bootstrap.mjs";
import { sharedFolder } from "../test/support/sharedData";

export type BenchContext = {
  /** The folder of shared data; it may be absent. */
  readonly data: string;
};

export type BenchResult = {
  /** Label and value, for a reader. */
  readonly rows: readonly (readonly [label: string, value: string])[];
  /** The same for a program; names carry their units. */
  readonly json: Readonly<Record<string, unknown>>;
};

type Bench = { run(context: BenchContext): Promise<BenchResult> };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, data: { type: "string" } },
});
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .map((file) => path.basename(file, ".ts"));
const [name] = positionals;
if (name === undefined || !names.includes(name)) {
  console.error(`usage: npm run bench -- NAME [--json] [--data DIR]\nNAME is one of: ${names.join(", ")}`);
  process.exit(2);
}
const data = values.data
  ? path.resolve(process.env.INIT_CWD ?? ".", values.data)
  : sharedFolder(process.env, root);
const bench = (await import(`./${name}.ts`)) as Bench;
const { rows, json } = await bench.run({ data });
if (values.json) console.log(JSON.stringify(json));
else {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) console.log(`${label.padEnd(width)}  ${value}`);
}
