// The inspector's browser side: the page as a whole. It renders the host's last state at the person's last place.
import { html, nothing, render } from "lit";
import type { InspectorState } from "../src/schema/view";
import { holdStill } from "./anchor";
import { detailsView } from "./details";
import type { Format } from "./format";
import { headerView, type Post } from "./header";
import {
  heldOpen,
  type Move,
  nearestVisible,
  type Place,
  type Saved,
  START,
  savedFrom,
  type VisibleRow,
  visibleRows,
} from "./place";
import type { Row } from "./row";
import { rowsOf } from "./rows";
import { rowId, treeView } from "./tree";
import { announcement, WORDS } from "./words";

/** What VS Code gives to a webview. */
export type Host = {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
};

/** Contract: `show` may be called for every event of a session; the page is rendered once per frame. */
export class Inspector {
  readonly #root: HTMLElement;
  readonly #host: Host;
  readonly #format: Format;
  readonly #post: Post;
  #state: InspectorState | null = null;
  #saved: Saved;
  #visible: readonly VisibleRow[] = [];
  #shownSession: string | null = null;
  #said = "";
  #isDue = false;

  constructor(root: HTMLElement, host: Host, format: Format) {
    this.#root = root;
    this.#host = host;
    this.#format = format;
    this.#post = (message) => host.postMessage(message);
    this.#saved = savedFrom(host.getState());
    this.#render();
  }

  show(state: InspectorState): void {
    const said = announcement(this.#state, state);
    if (said !== "") this.#said = said;
    if (state.selected !== null && state.selected.session === this.#shownSession) {
      this.#placed(heldOpen(this.#place, this.#visible));
    }
    this.#state = state;
    this.#forget(state);
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#render();
    });
  }

  get #session(): string | null {
    return this.#state?.selected?.session ?? null;
  }

  get #place(): Place {
    return (this.#session !== null && this.#saved.places[this.#session]) || START;
  }

  #placed(place: Place): void {
    const session = this.#session;
    if (session === null || place === this.#place) return;
    this.#saved = { version: 1, places: { ...this.#saved.places, [session]: place } };
    this.#host.setState(this.#saved);
  }

  /** Places of sessions that are gone are dropped. */
  #forget({ sessions, selected }: InspectorState): void {
    const known = new Set([...sessions.map(({ session }) => session), selected?.session]);
    const places = Object.entries(this.#saved.places);
    if (sessions.length === 0 || places.every(([session]) => known.has(session))) return;
    this.#saved = {
      version: 1,
      places: Object.fromEntries(places.filter(([session]) => known.has(session))),
    };
    this.#host.setState(this.#saved);
  }

  #render(): void {
    const state = this.#state;
    if (state === null) {
      render(html`<p class="loading" role="status">${WORDS.loading}</p>`, this.#root);
      return;
    }
    const putBack = holdStill(this.#root.querySelector("#tree"));
    const hadFocus = document.activeElement?.closest("#tree") != null;
    const before = this.#place;
    const visible = visibleRows(rowsOf(state, this.#format), before.open);
    const place = { ...before, focused: nearestVisible(visible, before.focused) };
    const selected = visible.find(({ row }) => row.key === place.selected)?.row;
    this.#visible = visible;
    render(this.#page(state, place, selected), this.#root);
    putBack();
    this.#settle(place, hadFocus);
  }

  #page(state: InspectorState, place: Place, selected: Row | undefined) {
    const onOpen = (row: Row) => this.#open(row);
    const isRunning = state.selected?.running === true;
    return html`
      <div class="progress ${isRunning ? "active" : ""}" aria-hidden="true"></div>
      ${headerView(state, this.#format, this.#post)}
      ${
        state.selected === null
          ? nothing
          : html`<main class="panes ${selected ? "split" : ""}">
            ${treeView(this.#visible, place, {
              onOpen,
              onMove: (move) => this.#move(move),
              onScroll: (scrollTop) => this.#placed({ ...this.#place, scrollTop }),
            })}
            ${
              selected === undefined
                ? nothing
                : detailsView(selected, { onOpen, onClose: () => this.#close() })
            }
          </main>`
      }
      <div id="announcements" class="unseen" role="status" aria-live="polite">${this.#said}</div>
    `;
  }

  /** Brings back the scroll position of a session that just came into view, and the focus that an update took away. */
  #settle(place: Place, hadFocus: boolean): void {
    const tree = this.#root.querySelector("#tree");
    if (this.#session !== this.#shownSession) {
      this.#shownSession = this.#session;
      if (tree) tree.scrollTop = place.scrollTop;
    }
    if (hadFocus && document.activeElement?.closest("#tree") == null) this.#focus(place.focused);
  }

  #move(move: Move): void {
    const { key } = move;
    const row = this.#visible.find((shown) => shown.row.key === key)?.row;
    if (row === undefined) return;
    if (move.kind === "act") this.#open(row);
    const open = move.kind === "toggle" ? { ...this.#place.open, [key]: move.open } : this.#place.open;
    this.#placed({ ...this.#place, open, focused: key, selected: key });
    this.#render();
    this.#focus(key);
  }

  #focus(key: string | null): void {
    if (key === null) return;
    const element = document.getElementById(rowId(key));
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }

  #open({ opens }: Row): void {
    const session = this.#session;
    if (session !== null && opens !== null) this.#post({ type: "openStored", session, handle: opens });
  }

  #close(): void {
    const { focused, selected } = this.#place;
    this.#placed({ ...this.#place, selected: null });
    this.#render();
    this.#focus(selected ?? focused);
  }
}
