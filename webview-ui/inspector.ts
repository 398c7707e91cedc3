// The inspector's browser side: the page as a whole: the host's messages and the person's moves, rendered once per frame.
import { render } from "lit";
import type { Direction } from "../src/schema/claim";
import type { FindQuery, ToView } from "../src/schema/inspector";
import { type Act, openingAct } from "./acts";
import { spotOf } from "./anchor";
import { Asking, type Shown } from "./asking";
import { focusLineField } from "./contentKeys";
import { isLookedFor, NO_QUERY } from "./filter";
import { focusFinder } from "./finder";
import { Finding } from "./finding";
import type { Format } from "./format";
import { markFound } from "./foundMarks";
import { turnAt } from "./loaded";
import { matchesOf, matchFrom } from "./matches";
import { apply, EMPTY_MODEL, isOfSession, type PageModel, withSelectedTurn } from "./model";
import type { Move } from "./moves";
import type { Outline } from "./outline";
import { type PageEvents, pageView, skeletonView } from "./page";
import { type DeskEvents, PanelDesk } from "./panelDesk";
import { isPanelEscape, PanelFocus } from "./panelFocus";
import { openPanels } from "./panels";
import { perFrame } from "./perFrame";
import {
  type Choices,
  chosen,
  heldOpen,
  isSameTop,
  type Panel,
  type Place,
  readingAt,
  type Spot,
  toggled,
} from "./place";
import { placeAt, placePassing, wayTo } from "./reveal";
import type { Row } from "./row";
import { type Host, SavedPlaces } from "./savedPlaces";
import type { Post } from "./toolbar";
import { TreePane } from "./treePane";
import { placeKey, turnKey } from "./turnRow";
import { announcement } from "./words";

/** Where a button bar has room for all its buttons. */
const WIDE = "(min-width: 640px)";

/** Contract: `show` may be called for every event of a session; the page is rendered once per frame. */
export class Inspector {
  readonly #root: HTMLElement;
  readonly #f: Format;
  readonly #post: Post;
  readonly #places: SavedPlaces;
  readonly #finding: Finding;
  readonly #asking: Asking;
  readonly #pane: TreePane;
  readonly #panelFocus: PanelFocus;
  readonly #wide = window.matchMedia(WIDE);
  readonly #events: PageEvents;
  readonly #desk: PanelDesk;
  readonly #schedule = perFrame(() => this.#render());
  #model: PageModel = EMPTY_MODEL;
  #outline: Outline | null = null;
  #shownSession: string | null = null;
  #said = "";
  #isMenuOpen = false;
  #stepDue: Direction | null = null;

  constructor(root: HTMLElement, host: Host, format: Format) {
    this.#root = root;
    this.#f = format;
    this.#post = (message) => host.postMessage(message);
    this.#places = new SavedPlaces(host);
    this.#finding = new Finding(this.#post);
    this.#asking = new Asking(this.#post);
    this.#pane = new TreePane(root);
    this.#panelFocus = new PanelFocus(root);
    this.#events = this.#eventsOf();
    this.#desk = new PanelDesk(format, this.#deskEvents());
    window.addEventListener("resize", () => this.#schedule());
    document.addEventListener("keydown", (event) => this.#onPageKey(event)); // before the window, where VS Code listens
    root.addEventListener("keydown", (event) => this.#onEscape(event), { capture: true }); // while lists are still open
    for (const scrolls of ["wheel", "pointerdown"] as const)
      root.addEventListener(scrolls, () => this.#pane.release(), { passive: true });
    this.#render();
  }

  show(message: ToView): void {
    const before = this.#model;
    const newestAt = before.loaded.turnCount - 1;
    if (message.type === "changed" && newestAt >= 0) this.#placed(heldOpen(this.#place, newestAt));
    this.#model = apply(before, message);
    const said = announcement(before, this.#model);
    if (said !== "") this.#said = said;
    if (message.type === "sessions") {
      this.#places.forgetAllBut([message.selected, ...message.sessions.map(({ session }) => session)]);
      this.#places.shows(message.selected);
    }
    if (this.#model.head === null) this.#shownSession = null;
    if (message.type === "opened") this.#opened();
    if (message.type === "content" && message.window !== null && this.#model.content === message)
      this.#placed(readingAt(this.#place, message.window));
    if (message.type === "analysis" && before.analysis === null) this.#analysed();
    if (message.type === "found" && this.#stepDue !== null) this.#step(this.#stepDue);
    if (message.type === "changed" && message.turnCount > newestAt + 1) this.#find(this.#place.query);
    this.#schedule();
  }

  get #session(): string | null {
    return this.#model.head?.session ?? null;
  }

  get #place(): Place {
    return this.#places.of(this.#session);
  }

  #placed(place: Place): void {
    this.#places.keep(this.#session, place);
  }

  #opened(): void {
    const { query, selected, selectedTurn, top } = this.#place;
    this.#find(query, 0);
    if (this.#session === this.#shownSession) return;
    this.#shownSession = this.#session;
    this.#desk.begin();
    if (selectedTurn !== null) this.#model = withSelectedTurn(this.#model, selectedTurn);
    this.#pane.restore(top, selected !== null);
    this.#readOn();
  }

  /** An open content goes on where it was read. */
  #readOn(): void {
    const { panels, content } = this.#place;
    if (panels.content !== true || this.#session === null) return;
    if (content === undefined) this.#panel("content", false);
    else this.#post({ type: "wantContent", session: this.#session, ...content });
  }

  /** Another agent's session begins with what was found in it, and what Cloakroom would have sent. */
  #analysed(): void {
    if (Object.keys(this.#place.panels).length === 0) this.#panel("analysis", true);
    const { knobs } = this.#place.choices;
    if (this.#session === null || this.#model.asked.whatIf) return;
    this.#model = { ...this.#model, asked: { ...this.#model.asked, whatIf: true } };
    this.#post({ type: "whatIf", session: this.#session, query: 1, knobs });
  }

  #find(query: FindQuery, afterMs?: number): void {
    if (this.#session !== null) this.#finding.ask(this.#session, query, afterMs);
  }

  #render(): void {
    const { head } = this.#model;
    if (this.#model.sessions === null) {
      render(skeletonView(), this.#root);
      return;
    }
    this.#reveal();
    const loaded = this.#model.loaded;
    const filter = this.#finding.filterOf(this.#model, this.#place.query);
    const given = head === null ? null : { head, loaded, place: this.#place, filter, f: this.#f };
    this.#outline = given === null ? null : this.#pane.outline(given);
    let shown = this.#draw(this.#outline);
    for (let passes = 0; shown !== null && this.#pane.settle(shown.outline) && passes < 3; passes++)
      shown = this.#draw(this.#outline); // it is of another size than was thought
    if (shown === null) return;
    this.#panelFocus.settle();
    markFound(this.#root, this.#place.query.text);
    this.#model = this.#asking.after(this.#model, shown);
    const top = this.#pane.top(shown.outline);
    if (top !== undefined && !isSameTop(top, this.#place.top)) this.#placed({ ...this.#place, top });
  }

  #draw(outline: Outline | null): Shown | null {
    const place = this.#place;
    const view = outline === null ? null : this.#pane.prepare(outline, place.focused);
    const selected = outline?.row(outline.indexOf(place.selected)) ?? null;
    const page = {
      model: this.#model,
      place,
      tree: outline === null || view === null ? null : { outline, view },
      selected,
      filter: this.#finding.filterOf(this.#model, place.query),
      found: this.#finding.foundIn(this.#model),
      isMenuOpen: this.#isMenuOpen,
      isWide: this.#wide.matches,
      said: this.#said,
      desk: this.#desk,
      f: this.#f,
    };
    render(pageView(page, this.#events), this.#root);
    return outline === null || view === null ? null : { outline, view, place, selected };
  }

  /** Goes to the row that a link, a command or a badge names, as soon as it is there. */
  #reveal(): void {
    const { reveal } = this.#model;
    if (reveal === null || !isOfSession(this.#model, reveal)) return;
    const way = wayTo(this.#model, reveal);
    if (way.kind === "waits") return;
    this.#model = { ...this.#model, reveal: null };
    if (way.kind !== "there") return;
    if (!this.#wide.matches) this.#placed({ ...this.#place, panels: {} }); // its details are wanted
    this.#goTo(way.spot);
    this.#pane.focus();
  }

  #goTo(spot: Spot, place = placeAt(this.#place, spot)): void {
    const isHidden = spot.at === null || this.#model.found?.found.turns.every(({ at }) => at !== spot.at);
    const query = isHidden ? NO_QUERY : place.query;
    this.#placed({ ...place, query });
    this.#selectTurn(spot.at);
    this.#pane.goTo(spot);
    this.#schedule();
  }

  #selectTurn(at: number | null): void {
    if (at === null) return;
    this.#model = withSelectedTurn(this.#model, at);
    const isNewest = at === this.#model.loaded.turnCount - 1;
    this.#placed({ ...this.#place, selectedTurn: isNewest ? null : at });
  }

  #move(move: Move): void {
    const shown = this.#outline?.row(move.index);
    if (shown === undefined) return;
    const spot = spotOf(shown);
    const { request } = this.#place.panels;
    const follows = request === true && ["turn", "request"].includes(shown.row.kind);
    const panels = this.#wide.matches || follows ? this.#place.panels : {}; // a panel has the place of the details
    const place = { ...this.#place, focused: spot, selected: spot, panels };
    this.#placed(move.kind === "toggle" ? toggled(place, shown, move.open) : place);
    this.#selectTurn(shown.at);
    this.#pane.goTo(spot);
    this.#render();
    this.#pane.focus();
    if (move.kind === "act") this.#open(shown.row, shown.at);
  }

  #open(row: Row, at: number | null): void {
    const act = openingAct(this.#model, row, at);
    const session = this.#session;
    if (act !== undefined) this.#act(act);
    else if (row.opens !== null && session !== null)
      this.#post({ type: "openStored", session, handle: row.opens }); // of a deleted content: the host says so
  }

  #act({ message, panel, reveals }: Act): void {
    if (message !== null && panel !== "request") this.#post(message); // an open request panel asks for itself
    if (reveals !== null) this.#model = { ...this.#model, reveal: reveals };
    if (panel !== null) this.#panelAsked(panel, true);
    this.#schedule();
  }

  /** By the person: the keyboard goes along, into the panel and out of it. */
  #panelAsked(panel: Panel, isOpen: boolean): void {
    const { isInPanel } = this.#panelFocus;
    if (isOpen) this.#panelFocus.opens(panel);
    this.#panel(panel, isOpen);
    if (isOpen || !isInPanel) return;
    this.#render();
    this.#panelFocus.back(() => this.#pane.focus());
  }

  #onPageKey(event: KeyboardEvent): void {
    focusLineField(this.#root, event);
    focusFinder(this.#root, event);
    if (event.key !== "F3" || !isLookedFor(this.#place.query)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#step(event.shiftKey ? "previous" : "next");
  }

  #onEscape(event: KeyboardEvent): void {
    const [panel] = isPanelEscape(event) ? openPanels(this.#place) : [];
    if (panel === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#panelAsked(panel, false);
  }

  #panel(panel: Panel, isOpen: boolean): void {
    this.#placed({ ...this.#place, panels: isOpen ? { [panel]: true } : {} }); // one at a time
    this.#schedule();
  }

  #chosen(choices: Partial<Choices>): void {
    this.#placed(chosen(this.#place, choices));
  }

  #query(query: FindQuery): void {
    const { focused } = this.#place;
    this.#placed({ ...this.#place, query });
    if (!isLookedFor(query)) {
      this.#model = { ...this.#model, found: null };
      if (focused !== null) this.#pane.goTo(focused); // where the person was before they looked
    }
    this.#find(query);
    this.#schedule();
  }

  /** To the next match; of what is still looked for, as soon as it is found. */
  #step(direction: Direction): void {
    const found = this.#finding.foundIn(this.#model);
    const { query, focused } = this.#place;
    this.#stepDue = found === null && isLookedFor(query) ? direction : null;
    const match = found === null ? null : matchFrom(matchesOf(found), focused, direction);
    if (match === null) return;
    this.#goTo(match, placePassing(this.#place, match));
    this.#render();
  }

  #close(): void {
    this.#placed({ ...this.#place, selected: null });
    this.#render();
    this.#pane.focus();
  }

  #eventsOf(): PageEvents {
    const set = (change: () => void) => {
      change();
      this.#render();
    };
    return {
      post: this.#post,
      onMove: (move) => this.#move(move),
      onOpen: (row, at) => this.#open(row, at),
      onScroll: () => {
        this.#pane.scrolled();
        this.#schedule();
      },
      onAct: (act) => this.#act(act),
      onClose: () => this.#close(),
      onVersion: (version) => set(() => this.#chosen({ version })),
      onMore: (key, part, offset) => {
        if (this.#session !== null)
          this.#post({ type: "wantText", session: this.#session, key, part, offset });
      },
      onSetting: (setting) => this.#post({ type: "openSetting", setting }),
      onQuery: (query) => this.#query(query),
      onStep: (direction) => this.#step(direction),
      onTree: () => this.#pane.focus(),
      onFilterOpen: (isFilterOpen) => set(() => this.#chosen({ isFilterOpen })),
      onMenu: (isOpen) => set(() => (this.#isMenuOpen = isOpen)),
      onExplained: () => {
        this.#model = { ...this.#model, isFirstStored: false };
        this.#post({ type: "explained" });
        this.#schedule();
      },
      onPanel: (panel, isOpen) => this.#panelAsked(panel, isOpen),
    };
  }

  #deskEvents(): DeskEvents {
    return {
      post: this.#post,
      onPanel: (panel, isOpen) => this.#panelAsked(panel, isOpen),
      onDesk: () => this.#schedule(),
      choices: () => this.#place.choices,
      onChoice: (choices) => {
        this.#chosen(choices);
        this.#schedule();
      },
      onSelectTurn: (at) => {
        const turn = turnAt(this.#model.loaded, at);
        const session = this.#session ?? "";
        const spot = { key: turn === null ? placeKey(session, at) : turnKey(session, turn), at };
        this.#goTo(spot, placePassing(this.#place, spot));
        this.#render(); // the next key goes on from here, however soon it comes
      },
    };
  }
}
