// Builds dist/: the extension, the language server, the command line and the inspector's browser side.
//   node esbuild.mjs [--watch]     source maps beside the code; `npm run package` calls build() with minify
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = path.dirname(fileURLToPath(import.meta.url));

/** Files appear whole or not at all: another build, or a VS Code that is starting, may be reading dist/ right now. */
const writeWhole = {
  name: "write-whole",
  setup(build) {
    build.onEnd(({ outputFiles = [] }) => {
      for (const file of outputFiles) {
        mkdirSync(path.dirname(file.path), { recursive: true });
        const temporary = `${file.path}.${randomUUID()}`;
        writeFileSync(temporary, file.contents);
        renameSync(temporary, file.path);
      }
    });
  },
};

/** Lines that a problem matcher of .vscode/tasks.json waits for. */
const announce = {
  name: "announce",
  setup(build) {
    build.onStart(() => console.log("[watch] build started"));
    build.onEnd(() => console.log("[watch] build finished"));
  },
};

/** What not every start needs stays out of the bundles: the language client, the client of Redis, the tokenizer's table. */
const ownBundle = {
  name: "own-bundle",
  setup(build) {
    build.onResolve({ filter: /^\.\/(policyClient|redisClient|o200kBase)$/ }, ({ path: name }) => ({
      path: `${name}.cjs`,
      external: true,
    }));
  },
};

/** A digest of the code that snapshots of folds depend on (`src/store/snapshots.ts`). */
function foldsDigest() {
  const digest = createHash("sha256");
  for (const room of ["schema", "claims", "coverage", "thimble", "history", "inspector", "agent"]) {
    const folder = path.join(root, "src", room);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort())
      if (name.endsWith(".ts"))
        digest.update(`${room}/${name}\0`).update(readFileSync(path.join(folder, name)));
  }
  return digest.digest("hex").slice(0, 16);
}

/** The bundles. A missing entry point is an error, but for the two that are built as soon as they exist. */
function bundles(outdir) {
  // navigator: zod asks for it, and VS Code reports an error of ours whenever an extension does.
  const node = {
    platform: "node",
    target: "node20.19",
    external: ["vscode"],
    define: { navigator: "undefined", __FOLDS__: JSON.stringify(foldsDigest()) },
  };
  return [
    {
      ...node,
      entryPoints: ["src/extension.ts"],
      outfile: `${outdir}/extension.cjs`,
      format: "cjs",
      plugins: [ownBundle],
    },
    {
      ...node,
      entryPoints: ["src/vscode/policyClient.ts"],
      outfile: `${outdir}/policyClient.cjs`,
      format: "cjs",
    },
    {
      ...node,
      entryPoints: ["src/store/redisClient.ts"],
      outfile: `${outdir}/redisClient.cjs`,
      format: "cjs",
    },
    {
      ...node,
      entryPoints: ["src/models/o200kBase.ts"],
      outfile: `${outdir}/o200kBase.cjs`,
      format: "cjs",
    },
    {
      ...node,
      entryPoints: ["src/language/server.ts"],
      outfile: `${outdir}/languageServer.cjs`,
      format: "cjs",
    },
    {
      ...node,
      entryPoints: ["src/cli.ts"],
      outfile: `${outdir}/cli.js`,
      format: "esm",
      plugins: [ownBundle],
      banner: {
        // Bundled CommonJS packages ask for Node's own modules by require().
        js: '#!/usr/bin/env node\nimport { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);',
      },
    },
    {
      entryPoints: { inspector: "webview-ui/main.ts", codicon: "@vscode/codicons/dist/codicon.css" },
      outdir: `${outdir}/webview`,
      platform: "browser",
      target: "es2022",
      format: "esm",
      loader: { ".ttf": "file" },
      assetNames: "[name]",
    },
  ].filter(({ entryPoints: entries }) => {
    const optional = Array.isArray(entries) && ["src/language/server.ts", "src/cli.ts"].includes(entries[0]);
    return !optional || existsSync(path.join(root, entries[0]));
  });
}

const options = (bundle, minify, plugins) => ({
  absWorkingDir: root,
  bundle: true,
  // "main" first would take jsonc-parser's UMD build, whose inner require() calls are left in and fail at run time.
  mainFields: ["module", "main"],
  sourcemap: minify ? "external" : "linked",
  sourcesContent: !minify,
  minify,
  legalComments: "none",
  logLevel: "warning",
  write: false,
  ...bundle,
  plugins: [writeWhole, ...plugins, ...(bundle.plugins ?? [])],
});

/** Builds everything once into `outdir`. */
export async function build({ minify = false, outdir = "dist" } = {}) {
  await Promise.all(bundles(outdir).map((bundle) => esbuild.build(options(bundle, minify, []))));
}

async function watch() {
  for (const bundle of bundles("dist")) {
    await (await esbuild.context(options(bundle, false, [announce]))).watch();
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await (process.argv.includes("--watch") ? watch() : build());
}
