/** Tests on the data that is kept beside the checkout: skipped by name where it is absent, a failure where CI is set. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder `shared` beside the checkout, or null. Throws under CI, where the data must be there. */
export function sharedDir(): string | null {
  const checkout = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
  const folder = join(checkout, "..", "shared");
  if (existsSync(folder)) return folder;
  if (process.env.CI) throw new Error(`CI is set and ${folder} is missing`);
  return null;
}
