/** Links to rows: the path of a URI that leads to one, and back. Anybody may write such a path. */

const PATH = /^\/session\/([0-9a-z-]{1,64})((?:\/[a-zA-Z0-9]{1,40}){0,4})$/;

/** `key`: of a row, `SESSION/t3/t3c0/stored/reader0`. */
export const pathOfRow = (key: string): string => `/session/${key}`;

/** Null for what is no path of ours. */
export function rowOfPath(path: string): { readonly session: string; readonly key: string } | null {
  const [, session, rest = ""] = PATH.exec(path) ?? [];
  return session === undefined ? null : { session, key: `${session}${rest}` };
}
