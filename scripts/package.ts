// scripts: `npm run package`. A minified build and the files that .vscodeignore allows become out/cloakroom.vsix. Made in
// a folder of its own: dist/ may belong to a VS Code that is running.
import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import { build } from "../esbuild.mjs";
import { root } from "./bootstrap.mjs";

export const VSIX = path.join(root, "out", "cloakroom.vsix");
const SOURCE_MAPS = path.join(root, "out", "sourcemaps");

/** What stands at the top of each allowed path; dist/ is built, not copied. */
const allowed = (): string[] =>
  readFileSync(path.join(root, ".vscodeignore"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1).split("/")[0] ?? "")
    .filter((name) => name !== "dist" && existsSync(path.join(root, name)));

/** Source maps are three times the code: they are kept beside the package, for reading a reported stack. */
function moveSourceMaps(dist: string): void {
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".map")) continue;
    const target = path.join(SOURCE_MAPS, file);
    mkdirSync(path.dirname(target), { recursive: true });
    cpSync(path.join(dist, file), target);
    rmSync(path.join(dist, file));
  }
}

/** Writes the package and resolves with its size. */
export async function packageExtension(target = VSIX): Promise<{ readonly bytes: number }> {
  const stage = mkdtempSync(path.join(os.tmpdir(), "clk-package-"));
  try {
    for (const name of [".vscodeignore", ...allowed()]) {
      cpSync(path.join(root, name), path.join(stage, name), { recursive: true });
    }
    await build({ minify: true, outdir: path.join(stage, "dist") });
    moveSourceMaps(path.join(stage, "dist"));
    mkdirSync(path.dirname(target), { recursive: true });
    const unfinished = `${target}.${randomUUID()}`;
    await createVSIX({
      cwd: stage,
      packagePath: unfinished,
      dependencies: false, // everything is bundled
      allowMissingRepository: true,
      rewriteRelativeLinks: false, // the README's pictures are in the repository
    });
    renameSync(unfinished, target);
    return { bytes: statSync(target).size };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { bytes } = await packageExtension();
  console.log(`${path.relative(root, VSIX)}: ${bytes} bytes`);
}
