// The inspector's browser side: where the tree is scrolled to, and how it holds still: what lit's templates cannot say.
import { anchorOf, scrollTopWith, spotOf } from "./anchor";
import { createMemory, type Given, type Outline, outlineOf } from "./outline";
import { nearestIndex, type Place, type Spot } from "./place";
import { clampedTo, ROW_PX, scrolledTo, type View } from "./treeScroll";

/** Contract: `outline`, then `prepare`, then the page is rendered with the view that it gave, then `settle`. */
export class TreePane {
  readonly #root: HTMLElement;
  readonly #memory = createMemory();
  #outline: Outline | null = null;
  #before: Outline | null = null;
  #madeOf: readonly unknown[] = [];
  #goal: Spot | null = null;
  #restored: Place["top"] = null;
  #isToShow = false; // of a page that is higher than its window: where the person was
  #view: View = { scrollTop: 0, heightPx: 0 };
  #isScrolled = false; // and nothing else: sizes are as they were, and are not measured again
  #topPx: number | null = null; // where the tree was on the screen while it was anchored

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  get element(): HTMLElement | null {
    return this.#root.querySelector<HTMLElement>("#tree");
  }

  get hasFocus(): boolean {
    return this.element !== null && document.activeElement === this.element;
  }

  /** The page, where it is higher than its window, shows the tree with what stands beside it. */
  focus(): void {
    this.element?.focus({ preventScroll: true });
    this.#showPanes();
  }

  /** The row is scrolled into sight as soon as it can be seen. */
  goTo(spot: Spot): void {
    this.#goal = spot;
    this.#restored = null;
  }

  /** A session came into view: it is scrolled to where it was, as soon as that row is there. `isSelected`: some row is. */
  restore(top: Place["top"], isSelected: boolean): void {
    this.#restored = top;
    this.#isToShow = isSelected;
    this.#before = null;
    this.#outline = null;
    this.#memory.sizes.clear();
  }

  /** The next render is due because the tree was scrolled. */
  scrolled(): void {
    this.#isScrolled = true;
  }

  /** The person scrolls: what was to be brought back is theirs now. */
  release(): void {
    this.#restored = null;
  }

  outline(given: Omit<Given, "memory">): Outline {
    const { head, loaded, place, filter } = given;
    const madeOf = [head, loaded, place.open, place.turns, filter];
    this.#before = this.#outline;
    if (this.#outline === null || madeOf.some((part, at) => part !== this.#madeOf[at]))
      this.#outline = outlineOf({ ...given, memory: this.#memory });
    this.#madeOf = madeOf;
    return this.#outline;
  }

  /** What is in sight in the render to come. */
  prepare(outline: Outline, focused: Spot | null): View {
    const tree = this.element;
    const heightPx = tree?.clientHeight ?? window.innerHeight;
    const isSame = this.#before === outline && this.#goal === null && this.#restored === null;
    this.#isScrolled = this.#isScrolled && isSame && heightPx === this.#view.heightPx;
    if (this.#isScrolled) {
      this.#view = { scrollTop: tree?.scrollTop ?? 0, heightPx };
      return this.#view;
    }
    const was = { scrollTop: tree?.scrollTop ?? 0, heightPx };
    const anchor =
      tree === null || this.#before === null
        ? null
        : anchorOf(this.#before, was, this.hasFocus ? focused : null);
    this.#topPx = tree === null || anchor === null ? null : tree.getBoundingClientRect().top;
    const held = anchor === null || this.#before === outline ? null : scrollTopWith(outline, anchor);
    this.#before = outline;
    const wanted = this.#wanted(outline, { scrollTop: held ?? was.scrollTop, heightPx });
    this.#view = { scrollTop: clampedTo(wanted, outline.length, heightPx), heightPx };
    return this.#view;
  }

  #wanted(outline: Outline, view: View): number {
    const { scrollTop } = view;
    const top = this.#restored;
    if (top !== null) return Math.max(0, nearestIndex(outline, top)) * ROW_PX + top.hiddenPx;
    const goal = outline.indexOf(this.#goal);
    return goal < 0 ? scrollTop : scrolledTo(goal, view);
  }

  /** Scrolls as prepared. True: the tree is not as high, or not where it was thought to be: it has to be rendered again. */
  settle(outline: Outline): boolean {
    const tree = this.element;
    const isScrolled = this.#isScrolled;
    this.#isScrolled = false;
    if (tree === null || isScrolled) return false;
    const shiftPx = this.#topPx === null ? 0 : tree.getBoundingClientRect().top - this.#topPx;
    const scrollTop = Math.max(0, this.#view.scrollTop + shiftPx);
    this.#view = { ...this.#view, scrollTop };
    if (Math.abs(tree.scrollTop - scrollTop) >= 1) tree.scrollTop = scrollTop;
    if (tree.clientHeight !== this.#view.heightPx || shiftPx !== 0) return true;
    if (outline.indexOf(this.#goal) >= 0) this.#goal = null;
    if (this.#restored !== null && outline.indexOf(this.#restored) >= 0) this.#restored = null;
    if (this.#isToShow) this.#showPanes();
    this.#isToShow = false;
    return false;
  }

  #showPanes(): void {
    this.element?.closest(".panes")?.scrollIntoView({ block: "nearest" });
  }

  /** The row at the top of the tree, to be kept; undefined while an earlier one is being brought back. */
  top(outline: Outline): Place["top"] | undefined {
    if (this.#restored !== null) return undefined;
    const { scrollTop } = this.#view;
    const index = Math.floor(scrollTop / ROW_PX);
    const row = outline.row(index);
    return row === undefined || scrollTop === 0
      ? null
      : { ...spotOf(row), hiddenPx: scrollTop - index * ROW_PX };
  }
}
