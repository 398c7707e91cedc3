// scripts: makes a fresh clone ready. Runs before `npm ci`, so it needs nothing but Node and npm.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stampFile = path.join(root, "node_modules", ".cloakroom-bootstrap");

const stampWanted = () =>
  createHash("sha256")
    .update(readFileSync(path.join(root, "package-lock.json")))
    .update(`\n${process.platform}-${process.arch}`)
    .digest("hex");

function stampFound() {
  try {
    return readFileSync(stampFile, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}

/** Variables of an outer npm run or a production shell that would leave something out or install elsewhere. */
const MISLEADING =
  /^(node_env|init_cwd|npm_(package|lifecycle)_.*|npm_command|npm_config_(omit|include|only|production|dev|also|optional|global|location|prefix|local_prefix|dry_run|package_lock_only|package_lock|workspace|workspaces|include_workspace_root|headless|data))$/i;

/** The environment for an install: nothing misleading; registry, certificates and proxy stay. */
export function installEnvironment(environment = process.env) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !MISLEADING.test(name.replaceAll("-", "_"))),
  );
}

/**
 * Runs npm with its output on stderr, so that stdout stays the caller's.
 * @param {string} cwd
 * @param {string[]} args
 */
export async function npm(cwd, ...args) {
  const cli = process.env.npm_execpath;
  const [command, ...first] = cli?.endsWith("npm-cli.js") ? [process.execPath, cli] : ["npm"];
  const shell = process.platform === "win32" && command === "npm"; // npm is npm.cmd there
  const child = spawn(command, [...first, ...args], {
    cwd,
    env: installEnvironment(),
    stdio: ["ignore", 2, 2],
    shell,
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`npm ${args.join(" ")} failed with ${code} in ${cwd}`);
}

/** Installs the development dependencies unless this lock file's are there already. */
export async function bootstrap() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Cloakroom needs Node 20.19 or newer; this is ${process.version}.`);
  }
  if (stampFound() === stampWanted()) return;
  const say = (text) => process.stderr.write(`set-up: ${text}\n`);
  await withLock(
    path.join(root, ".vscode-test", "bootstrap.lock"),
    async () => {
      const wanted = stampWanted();
      if (stampFound() === wanted) return;
      const startedMs = Date.now();
      say("installing what package-lock.json lists");
      await npm(root, "ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error");
      writeFileSync(stampFile, wanted);
      say(`done in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    },
    () => say("waiting for another set-up of this folder"),
  );
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await bootstrap();
