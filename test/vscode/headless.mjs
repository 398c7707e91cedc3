#!/usr/bin/env node
// test/vscode: stands in for the desktop `code` executable; see headless.ts. Plain JavaScript, because it is started by
// path: it makes TypeScript loadable, wherever the current folder is.
import { register } from "tsx/esm/api";

register();
await import("./headless.ts");
