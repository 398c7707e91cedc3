/** From the text of a policy file to a policy, or to every reason why not, each with its place in the text. Pure. */
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import type { Hash } from "../schema/claim";
import { PolicyArtifact } from "../schema/policy";
import { type LoadedPolicy, policyFrom } from "./policy";
import { scan } from "./scan";
import { type FindingCode, findingsIn } from "./semantics";

export type ProblemCode =
  | "syntax"
  | "too_deep"
  | "duplicate_key"
  | "lone_surrogate"
  | "unknown_major"
  | "schema"
  | FindingCode;

/** `offset` and `length` are UTF-16 code units of the text; `message` says what to do. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning" | "information";
  readonly message: string;
  readonly offset: number;
  readonly length: number;
};

/** `notes` are problems below an error: the policy is loaded, and some contract of it does not act. */
export type Loading =
  | { readonly kind: "ok"; readonly policy: LoadedPolicy; readonly notes: readonly Problem[] }
  | { readonly kind: "problems"; readonly problems: readonly Problem[] };

/** The major version that this house understands; others fail closed (seed 003 §Policy artifact). */
const MAJOR = 1;
const DEEPEST = 32; // a policy needs 5; the bound keeps the recursive readers below off deep texts

/** Loads a policy. An unknown major version is the problem `unknown_major`, alone: its shape is not ours to judge. */
export function loadPolicy(text: string, hash: Hash): Loading {
  const { artifact, problems } = checkPolicy(text);
  if (artifact === null) return { kind: "problems", problems };
  return { kind: "ok", policy: policyFrom(artifact, hash), notes: problems };
}

/** `artifact` is null exactly when one of `problems` is an error. Problems come in the order of the text. */
export type Checked = { readonly artifact: PolicyArtifact | null; readonly problems: readonly Problem[] };

/** Everything that loading checks, without an identity. Never throws, whatever the text. */
export function checkPolicy(text: string): Checked {
  const scanned = scan(text, []);
  if (scanned.kind === "invalid") {
    const { offset, expected } = scanned;
    const length = offset < text.length ? 1 : 0;
    return refused([problem("syntax", syntaxMessage(text, offset, expected), offset, length)]);
  }
  if (scanned.depth > DEEPEST) {
    return refused([problem("too_deep", `Nest at most ${DEEPEST} levels deep.`, 0, text.length)]);
  }
  const tree = parseTree(text);
  if (tree === undefined) throw new Error("jsonc-parser sees no value where the scanner has found one");

  const lexical = [...lexicalProblems(tree)];
  if (lexical.length > 0) return refused(lexical);
  const value: unknown = JSON.parse(text);
  const major = majorProblem(value, tree);
  if (major !== null) return refused([major]);
  const parsed = PolicyArtifact.safeParse(value);
  if (!parsed.success)
    return refused(parsed.error.issues.flatMap((issue) => [...schemaProblems(issue, tree)]));

  const problems = findingsIn(parsed.data)
    .map(({ code, severity, index, path, message }) => {
      const node = nearest(tree, ["contracts", index, ...path]);
      return { code, severity, message, offset: node.offset, length: node.length };
    })
    .toSorted((a, b) => a.offset - b.offset);
  return { artifact: problems.some((p) => p.severity === "error") ? null : parsed.data, problems };
}

const refused = (problems: Problem[]): Checked => ({
  artifact: null,
  problems: problems.toSorted((a, b) => a.offset - b.offset),
});

const problem = (code: ProblemCode, message: string, offset: number, length: number): Problem => ({
  code,
  severity: "error",
  message,
  offset,
  length,
});

function syntaxMessage(text: string, offset: number, expected: string): string {
  if (text.charCodeAt(0) === 0xfeff) return "Remove the byte order mark: save the file as UTF-8 without one.";
  const found = offset < text.length ? JSON.stringify(text[offset]) : "the end of the text";
  return `Expected ${expected}, found ${found}. A policy is strict JSON: no comments, no trailing commas.`;
}

/** What JSON allows and a policy does not: names that occur twice, text without a canonical form (RFC 8785 §3.1). */
function* lexicalProblems(node: Node): Generator<Problem> {
  if (node.type === "string" && !isWellFormed(node.value)) {
    yield problem(
      "lone_surrogate",
      "Remove the unpaired surrogate: it is no character.",
      node.offset,
      node.length,
    );
  }
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key !== undefined) {
      if (seen.has(key.value)) {
        const message = `${JSON.stringify(key.value)} occurs twice in this object. Keep one of them.`;
        yield problem("duplicate_key", message, key.offset, key.length);
      }
      seen.add(key.value);
    }
    yield* lexicalProblems(child);
  }
}

/** `String.prototype.isWellFormed` is newer than the library that we compile against. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

function majorProblem(value: unknown, tree: Node): Problem | null {
  if (typeof value !== "object" || value === null || !("version" in value)) return null;
  const major = typeof value.version === "string" ? /^(\d+)\.\d+\.\d+$/.exec(value.version)?.[1] : undefined;
  if (major === undefined || Number(major) === MAJOR) return null;
  const node = nearest(tree, ["version"]);
  const message = `Version ${major} policies are not understood. Update Cloakroom, or use a version ${MAJOR} policy.`;
  return problem("unknown_major", message, node.offset, node.length);
}

type Issue = { code?: string | undefined; path: PropertyKey[]; message: string; keys?: string[] };

function* schemaProblems(issue: Issue, tree: Node): Generator<Problem> {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    for (const name of issue.keys ?? []) {
      const key = findNodeAtLocation(tree, [...path, name])?.parent?.children?.[0] ?? nearest(tree, path);
      yield problem(
        "schema",
        `Remove ${JSON.stringify(name)}: there is no such field here.`,
        key.offset,
        key.length,
      );
    }
    return;
  }
  const node = findNodeAtLocation(tree, path);
  if (node !== undefined) {
    yield problem("schema", `Correct this value: ${issue.message}.`, node.offset, node.length);
    return;
  }
  const owner = nearest(tree, path);
  yield problem(
    "schema",
    `Add ${JSON.stringify(String(path.at(-1)))}: it is required here.`,
    owner.offset,
    1,
  );
}

/** The node at `path`, or the innermost one on the way to it that exists. */
function nearest(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}
