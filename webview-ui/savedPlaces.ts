// The inspector's browser side: the places of sessions, kept where VS Code keeps them: they outlive the page.
import { type Place, type Saved, START, savedFrom, withoutGone } from "./place";

/** What VS Code gives to a webview. */
export type Host = {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

export class SavedPlaces {
  readonly #host: Host;
  #saved: Saved;

  constructor(host: Host) {
    this.#host = host;
    this.#saved = savedFrom(host.getState());
  }

  of(session: string | null): Place {
    const saved = session === null ? undefined : this.#saved.places[session];
    return saved === undefined ? START : saved;
  }

  keep(session: string | null, place: Place): void {
    if (session === null || place === this.of(session)) return;
    this.#write({ ...this.#saved, places: { ...this.#saved.places, [session]: place } });
  }

  shows(session: string | null): void {
    if (session !== null && session !== this.#saved.session) this.#write({ ...this.#saved, session });
  }

  /** Nothing known is a list that could not be read, not a list of none. */
  forgetAllBut(sessions: readonly (string | null)[]): void {
    const known = new Set(sessions.filter((session) => session !== null));
    if (known.size > 0) this.#write(withoutGone(this.#saved, known));
  }

  #write(saved: Saved): void {
    if (saved === this.#saved) return;
    this.#saved = saved;
    this.#host.setState(saved);
  }
}
