/** Links to rows of the inspector. They only lead there: opening one changes nothing and runs nothing. */
import * as vscode from "vscode";
import { Failure } from "../schema/failure";

const EXTENSION = "cloakroom.cloakroom";
const PATH = /^\/session\/([0-9a-z-]{1,64})((?:\/[a-zA-Z0-9]{1,40}){0,3})$/;

/** `key`: of a row, `SESSION/t3/t3c0/stored`. */
export async function linkTo(key: string): Promise<string> {
  const uri = vscode.Uri.from({
    scheme: vscode.env.uriScheme,
    authority: EXTENSION,
    path: `/session/${key}`,
  });
  return (await vscode.env.asExternalUri(uri)).toString(true);
}

/** Null for what is no link of ours. */
export function rowOfLink(path: string): { readonly session: string; readonly key: string } | null {
  const [, session, rest = ""] = PATH.exec(path) ?? [];
  return session === undefined ? null : { session, key: `${session}${rest}` };
}

export class Links implements vscode.UriHandler {
  readonly #reveal: (session: string, key: string) => Promise<void>;
  readonly #guard: (work: () => Promise<void>) => Promise<void>;

  constructor(
    reveal: (session: string, key: string) => Promise<void>,
    guard: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#reveal = reveal;
    this.#guard = guard;
  }

  handleUri(uri: vscode.Uri): Promise<void> {
    return this.#guard(async () => {
      const row = rowOfLink(uri.path);
      if (!row) throw new Failure("session-missing", "This link leads to no session. Copy it again.");
      await this.#reveal(row.session, row.key);
    });
  }
}
