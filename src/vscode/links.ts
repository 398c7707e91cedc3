/** Links to rows of the inspector. They only lead there: opening one changes nothing and runs nothing. */
import * as vscode from "vscode";
import { pathOfRow, rowOfPath } from "../inspector/rowLink";
import { Failure } from "../schema/failure";

const EXTENSION = "cloakroom.cloakroom";

/** `key`: of a row, `SESSION/t3/t3c0/stored`. */
export async function linkTo(key: string): Promise<string> {
  const uri = vscode.Uri.from({
    scheme: vscode.env.uriScheme,
    authority: EXTENSION,
    path: pathOfRow(key),
  });
  return (await vscode.env.asExternalUri(uri)).toString(true);
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
      const row = rowOfPath(uri.path);
      if (!row) throw new Failure("session-missing", "This link leads to no session. Copy it again.");
      await this.#reveal(row.session, row.key);
    });
  }
}
