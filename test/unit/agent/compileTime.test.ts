/** ARCHITECTURE, The one idea: leaving out a step, an event or a fold's case does not compile. Each is left out once, here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { root } from "../../../scripts/bootstrap.mjs";

/** File, what is left out, in what words. Every one becomes a file of its own beside the original; all are checked in one program. */
const TURN = "src/agent/turn.ts";
const MUTATIONS: readonly (readonly [string, string, (text: string) => string])[] = [
  [TURN, "the clamp step", replacing("await record(log, clamp(call, context))", "call")],
  [
    TURN,
    "the authorise step",
    replacing("await record(log, await authorise(proposal, context, signal))", "proposal"),
  ],
  [
    TURN,
    "the execute step",
    replacing("await record(log, await execute(permit, context, signal))", "permit"),
  ],
  [TURN, "the boundary", replacing("boundary(result.text, result.media)", "result.text")],
  [
    TURN,
    "the redact step",
    replacing("await record(log, redact(result, boundary(result.text, result.media), context))", "result"),
  ],
  [TURN, "the measure step", replacing("await record(log, measure(safe, context))", "safe")],
  [TURN, "the store step", replacing("await record(log, await store(measured, context))", "measured")],
  [TURN, "the step that keeps media", replacing("await keepMedia(stored, context)", "stored")],
  [TURN, "the project step", replacing("await record(log, project(whole, context))", "whole")],
  [
    TURN,
    "the branch step",
    replacing("await record(log, await branch(projected, context, signal))", "projected"),
  ],
  [TURN, "the cover step", replacing("await record(log, await cover(kept, context))", "kept")],
  [
    TURN,
    "the remember step",
    replacing("return record(log, remember(covered, context));", "return covered;"),
  ],
  [
    TURN,
    "record, around a step in the middle",
    replacing("await record(log, measure(safe, context))", "measure(safe, context)"),
  ],
  [
    TURN,
    "record, around the last step",
    replacing("return record(log, remember(covered, context))", "return remember(covered, context)"),
  ],
  ["src/agent/measure.ts", "a step's event", leavingOut(/ {4}event: \{[\s\S]*?\n {4}\},\n/)],
  ["src/agent/measure.ts", "a field of an event", leavingOut(/ {6}estimator: ports\.tokens\.name,\n/)],
  ["src/agent/measure.ts", "the event's kind", replacing('type: "measured"', 'type: "redacted"')],
  [
    "src/agent/store.ts",
    "the whole text: raw where safe is asked for",
    replacing("ports.claims.put(result.safe)", 'ports.claims.put("raw")'),
  ],
  [
    "src/agent/keepMedia.ts",
    "a part's bytes: raw where safe is asked for",
    replacing("checkedIn(part, result", 'checkedIn({ mediaType: "image/png", bytes: part.bytes }, result'),
  ],
  ["src/history/fold.ts", "a case of the history", leavingOut(/ {6}case "recovered":\n/)],
  ["src/history/fold.ts", "a case that changes the history", leavingOut(/ {6}case "asked":\n(?:.*\n){3}/)],
  ["src/inspector/project.ts", "a case of the inspector", leavingOut(/ {4}case "recovered":\n.*\n/)],
  [
    "src/inspector/project.ts",
    "a case of the inspector that shows nothing",
    leavingOut(/ {4}case "measured":\n.*\n/),
  ],
];

function replacing(whole: string, part: string): (text: string) => string {
  return (text) => text.replace(whole, () => part);
}

function leavingOut(pattern: RegExp): (text: string) => string {
  return (text) => text.replace(pattern, "");
}

test("a step, an event or a fold's case that is left out is a compile error; as they stand the files compile", function () {
  this.timeout(30_000);
  const config = ts.readConfigFile(path.join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const virtual = new Map<string, string>();
  const planted = MUTATIONS.map(([file, what, mutate], at) => {
    const original = readFileSync(path.join(root, file), "utf8");
    const mutated = mutate(original);
    assert.notEqual(mutated, original, `${file} still has ${what} to leave out`);
    const name = path.join(root, file.replace(/\.ts$/, `.mutated${at}.ts`)).replaceAll("\\", "/");
    virtual.set(name, mutated);
    return { name, what: `${file} without ${what}` };
  });
  const host = ts.createCompilerHost({ ...options, types: [] });
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => virtual.has(name) || fileExists(name);
  host.readFile = (name) => virtual.get(name) ?? readFile(name);
  host.getSourceFile = (name, language, ...rest) => {
    const text = virtual.get(name);
    return text === undefined
      ? getSourceFile(name, language, ...rest)
      : ts.createSourceFile(name, text, language, true);
  };
  const originals = [...new Set(MUTATIONS.map(([file]) => path.join(root, file)))];
  const settings = { ...options, types: [], noUnusedLocals: false, noUnusedParameters: false };
  const program = ts.createProgram([...originals, ...virtual.keys()], settings, host);
  const errorsIn = (name: string) => {
    const source = program.getSourceFile(name) ?? assert.fail(`${name} is not in the program`);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  };
  for (const name of originals) assert.deepEqual(errorsIn(name), [], name);
  for (const { name, what } of planted) {
    const errors = errorsIn(name);
    assert.ok(errors.length > 0, `${what} compiles`);
    assert.ok(!errors.some((text) => /Cannot find name|expected\./.test(text)), `${what}: ${errors[0]}`); // the rule, not a slip of this test
  }
});
