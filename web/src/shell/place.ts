// Where on the page a visitor was is kept with the entry in the browser's history, so that back, forward and reload
// lead there: a chapter is loaded and computed anew, which the browser itself cannot wait for.

/** What an entry in the history holds, by whoever of the page. */
export interface Entry {
  /** How many changes this visit has made up to here. */
  readonly depth?: number;
  /** How far down the page was scrolled. */
  readonly scroll?: number;
}

export const entry = (): Entry => (history.state as Entry | null) ?? {};

/** Milliseconds in which figures are computed and grow. */
const growing = 3000;
let release: (() => void) | null = null;

/** Goes to a place again and again while what is above it grows, until the visitor moves. */
export function hold(go: () => void): () => void {
  release?.();
  const observer = new ResizeObserver(go);
  const stop = () => {
    observer.disconnect();
    if (release === stop) release = null;
  };
  release = stop;
  observer.observe(document.body);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(move, stop, { once: true });
  }
  setTimeout(stop, growing);
  return stop;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** From now on each entry knows its place. */
export function rememberPlace(): void {
  history.scrollRestoration = 'manual';
  const note = () => {
    if (!release) history.replaceState({ ...entry(), scroll: scrollY } satisfies Entry, '');
  };
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(note, 150); // browsers refuse many changes a second
  });
}

/** To where the visitor was when this entry was left; the head of the page for a new one. */
export function findPlace(): void {
  clearTimeout(timer);
  release?.();
  const { scroll = 0 } = entry();
  scrollTo(0, scroll);
  if (scroll > 0) hold(() => scrollTo(0, scroll));
}
