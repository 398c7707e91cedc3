/**
 * What the editor's side of the inspector takes of `vscode` when it runs: an EventEmitter, everything else are types. The
 * page, its answers and the controller are then the real ones, in this process.
 */
import { register } from "node:module";
import type * as vscode from "vscode";

type Listener<T> = (value: T) => unknown;

export class EventEmitter<T> {
  readonly #listeners = new Set<Listener<T>>();

  readonly event = (listener: Listener<T>): vscode.Disposable => {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

const HOOK = `export const resolve = (name, context, next) =>
  name === "vscode" ? { url: ${JSON.stringify(import.meta.url)}, shortCircuit: true } : next(name, context);`;

let isRegistered = false;

/** From here on `vscode` is this file, for whatever this process imports. */
export function standInForVscode(): void {
  if (isRegistered) return;
  isRegistered = true;
  register(`data:text/javascript,${encodeURIComponent(HOOK)}`);
}
