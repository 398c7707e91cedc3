// test/support: the contract packs as they lie in the repository.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { LeftAloneList } from "../../src/schema/pack";
import { loadPack, packFiles, type ReadPack } from "../../src/thimble/packs";
import type { LoadedPolicy } from "../../src/thimble/policy";
import { sha256 } from "./hash";

export const PACKS_FOLDER = path.join(root, "packs");

export const readPack: ReadPack = (file) => readFile(path.join(PACKS_FOLDER, file), "utf8");

/** The pack of a server; fails where it has a problem. */
export async function packOf(server: string): Promise<LoadedPolicy> {
  const loading = await loadPack(server, readPack, sha256);
  assert.ok(loading?.kind === "ok", `${server}: ${JSON.stringify(loading)}`);
  return loading.policy;
}

/** Every pack, by server. */
export async function allPacks(): Promise<Map<string, LoadedPolicy>> {
  const servers = packFiles().map(([server]) => server);
  return new Map(await Promise.all(servers.map(async (server) => [server, await packOf(server)] as const)));
}

export const leftAlone = () =>
  LeftAloneList.parse(JSON.parse(readFileSync(path.join(PACKS_FOLDER, "left-alone.json"), "utf8")));
