/** Words and small readings that several formats share. */
import { textOf } from "./json";

export const COMPACTIONS = "compaction(s): what stood before them was shortened by the other agent";

/** The last name of a path, of either kind of machine. */
export const folderName = (path: unknown): string => textOf(path).split(/[\\/]/).filter(Boolean).at(-1) ?? "";
