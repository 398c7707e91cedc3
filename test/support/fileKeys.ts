// test/support: the editor's secret storage, as a file that several processes share.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Keys } from "../../src/store/keyring";
import { RedisContents } from "../../src/store/redisFiles";
import { Vault } from "../../src/store/vault";

export function fileKeys(folder: string): Keys {
  const at = (tenant: string) => path.join(folder, tenant);
  return {
    get: async (tenant) => {
      try {
        return readFileSync(at(tenant), "utf8");
      } catch {
        return undefined; // there is none
      }
    },
    set: async (tenant, key) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(at(tenant), key);
    },
    delete: async (tenant) => rmSync(at(tenant), { force: true }),
  };
}

/** How a process keeps its sessions: `keys` a folder, `redis` an address; "" is neither. */
export function vaultOf(keys: string, redis: string): Vault {
  return new Vault({
    keys: keys === "" ? null : fileKeys(keys),
    sealsNew: keys !== "",
    remote: redis === "" ? null : new RedisContents(redis, async () => null),
  });
}
