// test/support: tests on real files that are not part of the repository.
import { existsSync } from "node:fs";
import path from "node:path";

/** The folder of shared data: `CLOAKROOM_DATA` (`npm test -- --data DIR`), else `shared` beside the repository. */
export function sharedFolder(
  environment: NodeJS.ProcessEnv = process.env,
  repository = process.cwd(),
): string {
  const given = environment.CLOAKROOM_DATA;
  return path.resolve(given || path.join(repository, "..", "shared"));
}

export type Plan =
  | { readonly kind: "run"; readonly paths: readonly string[] }
  | { readonly kind: "skip"; readonly reason: string }
  | { readonly kind: "fail"; readonly reason: string };

/** What is to be done with a test that needs these files: a machine that promises them (`CI`) must have them. */
export function planFor(
  relativePaths: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
  folder = sharedFolder(environment),
): Plan {
  const paths = relativePaths.map((relative) => path.join(folder, relative));
  const absent = paths.filter((file) => !existsSync(file));
  if (absent.length === 0) return { kind: "run", paths };
  const reason = `${absent.join(", ")} absent; --data DIR names the folder of shared data`;
  return { kind: environment.CI ? "fail" : "skip", reason };
}

/** Defines a test that gets the absolute paths of shared files. Absent ones skip it by name, and fail it under `CI`. */
export function sharedTest(
  name: string,
  relativePaths: readonly string[],
  body: (...paths: string[]) => void | Promise<void>,
): void {
  const plan = planFor(relativePaths);
  if (plan.kind === "run") test(name, () => body(...plan.paths));
  else if (plan.kind === "skip") test.skip(`${name} (${plan.reason})`);
  else
    test(name, () => {
      throw new Error(plan.reason);
    });
}

/** The folder of shared data where it is there, else null. Throws under `CI`, which promises it. */
export function sharedDir(): string | null {
  const folder = sharedFolder();
  if (existsSync(folder)) return folder;
  if (process.env.CI) throw new Error(`CI is set and ${folder} is absent`);
  return null;
}
