/** VS Code's tokens and the platform's signals meet here, and nowhere further in. */
import { type CancellationToken, CancellationTokenSource, type Disposable } from "vscode";

/** A token that is cancelled when `signal` aborts. Dispose it when the work is over. */
export function tokenOf(signal: AbortSignal): { readonly token: CancellationToken } & Disposable {
  const source = new CancellationTokenSource();
  const cancel = () => source.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    token: source.token,
    dispose: () => {
      signal.removeEventListener("abort", cancel);
      source.dispose();
    },
  };
}
