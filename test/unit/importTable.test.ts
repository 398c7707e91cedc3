// test/unit: the import table's check fails on one planted violation per rule, and only on those.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { importViolations } from "../../scripts/checkImports";

/** A tree of one file: each file is checked by itself. */
function withPlanted<T>(file: string, text: string, use: (tree: string) => T): T {
  const tree = mkdtempSync(path.join(os.tmpdir(), "clk-imports-"));
  try {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
    return use(tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function check(file: string, text: string, expected: string | null): void {
  const found = withPlanted(file, text, importViolations);
  assert.deepEqual(found, expected === null ? [] : [`${file}:1: ${expected}`]);
}

suite("import table", () => {
  test("the real sources obey it", () => {
    assert.deepEqual(importViolations(root), []);
  });

  test("a tree without sources is not a pass", () => {
    assert.equal(importViolations(path.join(root, "media")).length, 1);
  });

  const refused: readonly [rule: string, file: string, text: string, problem: string][] = [
    [
      "schema imports no room",
      "src/schema/planted.ts",
      'import "../thimble/decide";',
      "schema may not import thimble",
    ],
    [
      "thimble imports schema only",
      "src/thimble/planted.ts",
      'import "../claims/head";',
      "thimble may not import claims",
    ],
    [
      "claims imports schema only",
      "src/claims/planted.ts",
      'import "../coverage/page";',
      "claims may not import coverage",
    ],
    [
      "coverage imports schema only",
      "src/coverage/planted.ts",
      'import "../history/fold";',
      "coverage may not import history",
    ],
    [
      "history imports schema only",
      "src/history/planted.ts",
      'import "../agent/turn";',
      "history may not import agent",
    ],
    [
      "the inspector imports no edge",
      "src/inspector/planted.ts",
      'import "../store/log";',
      "inspector may not import store",
    ],
    [
      "the agent imports no edge",
      "src/agent/planted.ts",
      'import "../models/port";',
      "agent may not import models",
    ],
    [
      "edges do not import one another",
      "src/store/planted.ts",
      'import "../tools/read";',
      "store may not import tools",
    ],
    [
      "nor in the other direction",
      "src/tools/planted.ts",
      'import "../store/log";',
      "tools may not import store",
    ],
    ["nor from models", "src/models/planted.ts", 'import "../mcp/client";', "models may not import mcp"],
    ["nor from mcp", "src/mcp/planted.ts", 'import "../agent/turn";', "mcp may not import agent"],
    [
      "nor from transcripts",
      "src/transcripts/planted.ts",
      'import "../store/log";',
      "transcripts may not import store",
    ],
    [
      "language imports schema and thimble",
      "src/language/planted.ts",
      'import "../claims/head";',
      "language may not import claims",
    ],
    [
      "the editor's room imports no edge",
      "src/vscode/planted.ts",
      'import "../store/log";',
      "vscode may not import store",
    ],
    [
      "no room imports an entrance",
      "src/agent/planted.ts",
      'import "../extension";',
      "agent may not import src/extension.ts",
    ],
    [
      "a type is an import, too",
      "src/store/planted.ts",
      'import type { X } from "../tools/read";',
      "store may not import tools",
    ],
    [
      "so is an import type",
      "src/store/planted.ts",
      'type X = import("../tools/read").X;',
      "store may not import tools",
    ],
    [
      "so is a re-export",
      "src/claims/planted.ts",
      'export * from "../thimble/decide";',
      "claims may not import thimble",
    ],
    [
      "so is a dynamic import",
      "src/claims/planted.ts",
      'await import("../thimble/decide");',
      "claims may not import thimble",
    ],
    [
      "a computed import is refused",
      "src/claims/planted.ts",
      "await import(name);",
      "an import whose name is computed cannot be checked",
    ],
    [
      "packages are listed",
      "src/thimble/planted.ts",
      'import "lodash";',
      "thimble may not import the package lodash",
    ],
    [
      "the agent has none",
      "src/agent/planted.ts",
      'import * as z from "zod";',
      "agent may not import the package zod",
    ],
    [
      "lowdb is the store's",
      "src/models/planted.ts",
      'import "lowdb/node";',
      "models may not import the package lowdb",
    ],
    [
      "pure rooms have no node:",
      "src/history/planted.ts",
      'import "node:fs";',
      "history may not import node:fs",
    ],
    ["nor without the prefix", "src/agent/planted.ts", 'import "fs";', "agent may not import fs"],
    [
      "vscode is the editor's",
      "src/tools/planted.ts",
      'import * as vscode from "vscode";',
      "tools may not import the package vscode",
    ],
    [
      "vscode is not for the command line",
      "src/cli.ts",
      'import * as vscode from "vscode";',
      "src/cli.ts may not import the package vscode",
    ],
    ["nor is its room", "src/cli.ts", 'import "./vscode/workspace";', "src/cli.ts may not import vscode"],
    [
      "the browser side takes types only",
      "webview-ui/planted.ts",
      'import { fold } from "../src/inspector/fold";',
      "webview-ui may import types only from inspector",
    ],
    [
      "and only from two rooms",
      "webview-ui/planted.ts",
      'import type { X } from "../src/agent/ports";',
      "webview-ui may not import agent",
    ],
    [
      "pure rooms have no randomness",
      "src/claims/planted.ts",
      "export const x = Math.random();",
      "claims is pure and may not use Math.random",
    ],
    [
      "nor a way round the linter",
      "src/claims/planted.ts",
      "export const x = globalThis.fetch;",
      "claims is pure and may not use globalThis",
    ],
  ];
  for (const [rule, file, text, problem] of refused) test(rule, () => check(file, text, problem));

  test("a room that the table does not know is refused", () => {
    const found = withPlanted("src/attic/box.ts", "export {};", importViolations);
    assert.deepEqual(found, ["src/attic/box.ts: attic is not in the import table"]);
  });

  const allowed: readonly [rule: string, file: string, text: string][] = [
    [
      "thimble takes small pure libraries",
      "src/thimble/planted.ts",
      'import { parseTree } from "jsonc-parser";',
    ],
    [
      "the browser side takes types",
      "webview-ui/planted.ts",
      'import type { X } from "../src/inspector/fold";',
    ],
    ["the browser side takes its library", "webview-ui/planted.ts", 'import { html } from "lit/html.js";'],
    ["the store has the disk", "src/store/planted.ts", 'import { open } from "node:fs/promises";'],
    ["the editor's room has vscode", "src/vscode/planted.ts", 'import * as vscode from "vscode";'],
    ["a room imports itself", "src/claims/planted.ts", 'import "./head";'],
  ];
  for (const [rule, file, text] of allowed) test(rule, () => check(file, text, null));
});
