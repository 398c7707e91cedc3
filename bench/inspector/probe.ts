/** What runs in the page beside the inspector: it tells the bench when something was painted, and how the frames went. */

/** Of one frame, once it was painted. */
export type Frame = {
  readonly elapsedMs: number; // since the frame before
  readonly rows: number; // elements in sight
  readonly isLoading: boolean; // one of them has no turn yet
};

export type Probe = {
  /** Milliseconds since the page was asked for; null: not yet. */
  firstPaintMs: number | null;
  /** Since the page said that it is ready. */
  readyPaintMs: number | null;
  readonly fetchesMs: number[];
  readonly loadingMs: number[]; // how long a row stood in sight without its turn
  readonly stallsMs: number[];
  frames: Frame[];
  /** Resolves once `text` stands in what `selector` finds; null: once the next message is rendered. */
  expect(selector: string | null, text: string): void;
  startFrames(step: ((frame: number) => boolean) | null): Promise<void>;
  stopFrames(): void;
  drag(frames: number): Promise<void>;
  watchStalls(): void;
};

/** Contract: serialised into the page, so it holds nothing of this module. `toHostText` is what the bench listens to. */
export function installProbe(): void {
  const page = window as unknown as {
    toHostText: (text: string) => void;
    toHost: (message: { type: string; from?: number }) => Promise<never[]>;
    fromHost: (text: string) => void;
    probe: Probe;
  };
  const waiting = new Map<number, number>();
  let readyMs = 0;
  let expected: { selector: string | null; text: string; isRendered: boolean } | null = null;

  const afterFrame = (then: () => void) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(null);
  };
  const tell = (type: string) => page.toHostText(JSON.stringify({ type }));

  page.toHost = (message) => {
    if (message.type === "ready") readyMs = performance.now();
    if (message.type === "wantRows") waiting.set(message.from ?? 0, performance.now());
    page.toHostText(JSON.stringify(message));
    return Promise.resolve([]);
  };
  page.fromHost = (text) => {
    const message = JSON.parse(text) as { type: string; rows?: { at: number }[] };
    const from = message.type === "rows" ? message.rows?.[0]?.at : undefined;
    const since = from === undefined ? undefined : waiting.get(from);
    if (since !== undefined) probe.fetchesMs.push(performance.now() - since);
    window.postMessage(message, "*");
  };
  window.addEventListener("message", () => {
    if (expected?.selector === null) requestAnimationFrame(() => afterFrame(met)); // in the inspector's own frame
  });

  const met = () => {
    if (expected === null) return;
    expected = null;
    tell("bench-painted");
  };
  const isThere = (selector: string, text: string) =>
    document.querySelector(selector)?.textContent?.includes(text) === true;
  const look = () => {
    if (expected === null || expected.selector === null || expected.isRendered) return;
    if (!isThere(expected.selector, expected.text)) return;
    expected.isRendered = true;
    afterFrame(met); // we are in the frame's callbacks: this runs once it was painted
  };
  const watched = { childList: true, subtree: true, characterData: true, attributes: true };
  new MutationObserver(look).observe(document, watched);

  const isPainted = () => {
    const has = (selector: string) => document.querySelector(selector) !== null;
    const sentence = document.querySelector("#summary")?.textContent ?? "";
    return sentence.trim() !== "" && has(".fill-bar .fill-part") && has('[role=treeitem][data-kind="turn"]');
  };
  const first = () => {
    if (!isPainted()) return void requestAnimationFrame(first);
    requestAnimationFrame(() => {
      probe.firstPaintMs = performance.now();
      probe.readyPaintMs = probe.firstPaintMs - readyMs;
    });
  };
  requestAnimationFrame(first);

  const rowsInSight = () => {
    const tree = document.querySelector("#tree");
    if (tree === null) return [];
    const { top, bottom } = tree.getBoundingClientRect();
    return [...tree.querySelectorAll<HTMLElement>("[role=treeitem]")].filter((row) => {
      const place = row.getBoundingClientRect();
      return place.bottom > top && place.top < bottom;
    });
  };
  const loading = new Map<string, number>();
  const sample = (elapsedMs: number) => {
    const rows = rowsInSight();
    const now = performance.now();
    const missing = rows.filter((row) => row.dataset.kind === "placeholder").map((row) => row.id);
    for (const [id, since] of loading)
      if (!missing.includes(id)) {
        probe.loadingMs.push(now - since);
        loading.delete(id);
      }
    for (const id of missing) if (!loading.has(id)) loading.set(id, now);
    probe.frames.push({ elapsedMs, rows: rows.length, isLoading: missing.length > 0 });
  };
  let isWatching = false;

  const probe: Probe = {
    ...{ firstPaintMs: null, readyPaintMs: null, fetchesMs: [], loadingMs: [], stallsMs: [], frames: [] },
    expect: (selector, text) => {
      if (selector !== null && isThere(selector, text)) throw new Error(`${text} was there before`);
      expected = { selector, text, isRendered: false };
    },
    startFrames: (step) =>
      new Promise((resolve) => {
        probe.frames = [];
        isWatching = true;
        let before: number | null = null;
        let count = 0;
        const next = (now: number) => {
          const elapsedMs = before === null ? null : now - before;
          before = now;
          if (!isWatching) return resolve();
          requestAnimationFrame(next);
          afterFrame(() => {
            if (elapsedMs !== null) sample(elapsedMs);
            if (step?.(count++) === false) isWatching = false;
          });
        };
        requestAnimationFrame(next);
      }),
    stopFrames: () => {
      isWatching = false;
    },
    drag: (frames) =>
      probe.startFrames((frame) => {
        const tree = document.querySelector("#tree");
        if (tree) tree.scrollTop = (tree.scrollHeight - tree.clientHeight) * (1 - frame / frames);
        return frame < frames;
      }),
    watchStalls: () => {
      let before = performance.now();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        const now = performance.now();
        if (now - before > 16) probe.stallsMs.push(now - before);
        before = now;
        setTimeout(() => port2.postMessage(null), 0);
      };
      port2.postMessage(null);
    },
  };
  page.probe = probe;
}
