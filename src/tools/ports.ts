/** What the workspace tools need from outside. Node and VS Code each satisfy these shapes; the roots meet in `extension.ts` and `cli.ts`. */

/** A folder of the workspace. `name` is unique among the roots; `path` is absolute and real (no links in it). */
export type Root = { readonly name: string; readonly path: string };

/** What was found under a path. Sizes in bytes. */
export type FileRead =
  | { readonly kind: "file"; readonly bytes: Uint8Array }
  | { readonly kind: "missing" }
  | { readonly kind: "folder" }
  | { readonly kind: "special" } // a pipe, socket or device: reading it could wait for ever
  | { readonly kind: "too_large"; readonly sizeBytes: number }
  | { readonly kind: "unreadable"; readonly reason: string }; // the system's code, e.g. EACCES

/**
 * The workspace as the tools read it. Paths are absolute and come out of `confine`.
 * Contract: `read` returns what a person sees in the editor, so unsaved text wins over the disk, encoded as the file is;
 * `unsaved` lists the absolute paths for which that differs from the disk.
 */
export type Workspace = {
  roots(): readonly Root[];
  read(path: string, maxBytes: number): Promise<FileRead>;
  unsaved(): readonly string[];
};

export type EditResult =
  | { readonly kind: "done" }
  | { readonly kind: "changed" } // the file is no longer `before`: nothing was written
  | { readonly kind: "unwritable"; readonly reason: string };

/**
 * Changes files. `before` is the whole text that the file must still have, null for a file that must not exist yet.
 * Contract: on any result but "done" the file is as it was. Encoding, BOM and mode are kept.
 */
export type Editor = {
  replace(path: string, before: string | null, after: string): Promise<EditResult>;
};

/** Milliseconds; only differences are used. */
export type Clock = { now(): number };

export type ToolPorts = {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly clock: Clock;
};

/** Files above this are neither read, searched nor edited: they are no source text, and a whole one has to fit in memory. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;
