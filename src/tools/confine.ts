/** The workspace's wall: the only place where a path that a model wrote becomes a path that may be opened (issue 2, Tools; CONFORMANCE §7). */
import { lstat, realpath } from "node:fs/promises";
import { basename, type PlatformPath, posix, win32 } from "node:path";
import { errorCode } from "./errorCode";
import type { Root } from "./ports";
import { isSensitivePath } from "./sensitivePaths";

/**
 * A real path inside a root. Contract: `path` has no links in it as far as it exists; open exactly this path, never the one
 * that was asked for. `shown` is relative, with forward slashes, and starts with the root's name when there are several.
 */
export type Place = {
  readonly kind: "inside";
  readonly root: Root;
  readonly path: string;
  readonly shown: string;
  readonly exists: boolean;
  readonly sensitive: boolean;
};

export type Refusal = {
  readonly kind: "refused";
  readonly code: "invalid_path" | "outside_workspace" | "no_workspace" | "ambiguous_path";
  readonly text: string;
};

const refuse = (code: Refusal["code"], text: string): Refusal => ({ kind: "refused", code, text });

const native: PlatformPath = process.platform === "win32" ? win32 : posix;

/** Resolves `asked` (relative, or absolute inside a root), links included, also for files that do not exist yet. */
export async function confine(asked: string, roots: readonly Root[]): Promise<Place | Refusal> {
  const candidates = candidatesFor(asked, roots, native);
  if ("kind" in candidates) return candidates;
  const found: (Place | Refusal)[] = [];
  for (const candidate of candidates) found.push(await resolveInside(asked, candidate, roots));
  const existing = found.filter((place) => place.kind === "inside" && place.exists);
  if (roots.length > 1 && found.length > 1 && existing.length !== 1) {
    return refuse("ambiguous_path", `${quote(asked)} could be in several folders. ${startWithRoot(roots)}`);
  }
  return (existing[0] ?? found[0]) as Place | Refusal;
}

/**
 * The lexical half, pure: absolute paths that `asked` may mean, best first, or why it means none. It decides about shapes
 * only; whether a candidate really lies inside a root is decided after links are resolved.
 */
export function candidatesFor(
  asked: string,
  roots: readonly Root[],
  flavour: PlatformPath,
): readonly [string, ...string[]] | Refusal {
  const [first] = roots;
  if (first === undefined) return refuse("no_workspace", "No folder is open. Ask the user to open one.");
  if (asked === "") return refuse("invalid_path", "The path is empty.");
  if (asked.includes("\0")) return refuse("invalid_path", "The path contains a NUL character.");
  if (!asked.isWellFormed()) return refuse("invalid_path", "The path contains half of a surrogate pair."); // no file has it
  if (/^~([\\/]|$)/.test(asked)) return outside(asked); // never expanded, and nothing is called "~"
  const shape = flavour === win32 ? windowsProblem(asked) : /^([A-Za-z]:([\\/]|$)|\\\\|\/\/)/.test(asked);
  if (shape) return refuse("invalid_path", `${quote(asked)} is not a path inside the workspace.`);

  if (flavour.isAbsolute(asked)) {
    const path = flavour.resolve(asked);
    // Merely looking at another machine's share would send it the user's credentials.
    const isForeignShare =
      path.startsWith("\\\\") && !roots.some((root) => isWithin(root.path, path, flavour));
    return isForeignShare ? outside(asked) : [path];
  }
  const relative = flavour.normalize(asked);
  const segments = relative.split(flavour.sep).filter((segment) => segment !== "" && segment !== ".");
  if (segments[0] === "..") return outside(asked);

  const named = roots.find((root) => root.name === segments[0]);
  const inNamed = named && flavour.join(named.path, ...segments.slice(1));
  if (roots.length === 1) {
    const plain = flavour.join(first.path, ...segments);
    return inNamed === undefined ? [plain] : [plain, inNamed]; // a folder of the root's own name wins if it exists
  }
  if (inNamed !== undefined) return [inNamed];
  if (segments.length === 0) {
    return refuse("ambiguous_path", `The workspace has several folders. ${startWithRoot(roots)}`);
  }
  const [a, ...others] = roots.map((root) => flavour.join(root.path, ...segments)) as [string, ...string[]];
  return [a, ...others];
}

/** Windows reads these as another file, a stream, a device or another drive's current folder. */
function windowsProblem(asked: string): boolean {
  const isDriveAbsolute = /^[A-Za-z]:[\\/]/.test(asked);
  const isShare = /^[\\/]{2}[^\\/?.]/.test(asked); // \\server\share; \\?\ and \\.\ name devices
  if (/^[\\/]/.test(asked) && !isShare) return true; // relative to the current drive
  const rest = isDriveAbsolute ? asked.slice(2) : asked;
  return rest.split(/[\\/]/).some((segment) => {
    if (segment === "." || segment === "..") return false;
    return (
      /[:*?"<>|]/.test(segment) ||
      /[. ]$/.test(segment) ||
      /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i.test(segment)
    );
  });
}

async function resolveInside(
  asked: string,
  candidate: string,
  roots: readonly Root[],
): Promise<Place | Refusal> {
  const real = await realPathOf(candidate);
  const from = real.kind === "resolved" ? real.path : candidate;
  const root = deepestRootOf(from, roots);
  if (root === undefined) return outside(asked); // first of all: nothing is told about what lies outside
  if (real.kind === "dangling") {
    return refuse(
      "invalid_path",
      `${quote(asked)} is, or leads through, a link to something that does not exist.`,
    );
  }
  if (real.kind === "failed") {
    return refuse("invalid_path", `${quote(asked)} cannot be resolved (${real.code}).`);
  }
  const inRoot = native.relative(root.path, real.path).split(native.sep).join("/");
  const inFolder = deepestRootOf(candidate, roots);
  const lexical = inFolder === undefined ? "" : native.relative(inFolder.path, candidate);
  return {
    kind: "inside",
    root,
    path: real.path,
    shown: roots.length === 1 ? inRoot || "." : posix.join(root.name, inRoot),
    exists: real.exists,
    // A root may itself be a sensitive folder, and a sensitive name may be a link to an ordinary file.
    sensitive: isSensitivePath(`${basename(root.path)}/${inRoot}`) || isSensitivePath(lexical),
  };
}

type Resolved =
  | { readonly kind: "resolved"; readonly path: string; readonly exists: boolean }
  | { readonly kind: "dangling" }
  | { readonly kind: "failed"; readonly code: string };

/** The real path; for what does not exist yet, that of the nearest existing folder with the rest appended. */
async function realPathOf(path: string): Promise<Resolved> {
  try {
    return { kind: "resolved", path: await realpath(path), exists: true };
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== "ENOENT" && code !== "ENOTDIR") return { kind: "failed", code };
  }
  try {
    await lstat(path);
    return { kind: "dangling" }; // there is an entry, yet it leads nowhere: writing through it could land anywhere
  } catch (cause) {
    const code = errorCode(cause);
    if (code !== "ENOENT" && code !== "ENOTDIR") return { kind: "failed", code };
  }
  const parent = native.dirname(path);
  if (parent === path) return { kind: "failed", code: "ENOENT" };
  const above = await realPathOf(parent);
  if (above.kind !== "resolved") return above;
  return { kind: "resolved", path: native.join(above.path, native.basename(path)), exists: false };
}

function deepestRootOf(path: string, roots: readonly Root[]): Root | undefined {
  return roots
    .filter((root) => isWithin(root.path, path, native))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
}

function isWithin(folder: string, path: string, flavour: PlatformPath): boolean {
  const relative = flavour.relative(folder, path);
  return relative !== ".." && !relative.startsWith(`..${flavour.sep}`) && !flavour.isAbsolute(relative);
}

const outside = (asked: string): Refusal =>
  refuse(
    "outside_workspace",
    `${quote(asked)} is outside the workspace. Use a path relative to the workspace folder; nothing outside it can be reached.`,
  );

const startWithRoot = (roots: readonly Root[]): string =>
  `Start the path with one of: ${roots.map((root) => `${root.name}/`).join(", ")}.`;

const quote = (path: string): string => JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
