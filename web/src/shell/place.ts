// Keeps the visitor's scroll position with the entry in the browser's history, so that back, forward and reload restore
// it; a new entry leads to the section in its address. Either way the chapter is loaded and computed anew, and grows
// meanwhile, which the browser itself cannot wait for.
import { writeEntry } from '../state/history';
import { splitHash } from '../state/places';

/** Data of an entry in the history, from several parts of the page. */
interface Entry {
  /** Number of changes that this visit has made up to this entry. */
  readonly depth?: number;
  /** Vertical scroll position. */
  readonly scroll?: number;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};

/** Milliseconds without growth after which all figures count as computed. */
const grown = 8000;
let release: (() => void) | null = null;

/**
 * Scrolls to a place again and again while the page grows, until the place is reached and nothing grows any more, or
 * the visitor scrolls. `go` returns whether the page is long enough.
 */
function hold(go: () => boolean): void {
  release?.();
  let quiet: ReturnType<typeof setTimeout>;
  const stop = () => {
    clearTimeout(quiet);
    observer.disconnect();
    document.documentElement.style.overflowAnchor = '';
    if (release === stop) release = null;
  };
  const observer = new ResizeObserver(() => {
    clearTimeout(quiet);
    if (go()) quiet = setTimeout(stop, grown);
  });
  release = stop;
  document.documentElement.style.overflowAnchor = 'none'; // otherwise the browser would anchor the scroll position, too
  observer.observe(document.body);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(move, stop, { once: true });
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * From now on each entry keeps its position, while `there` says that the entry's page is shown: while the next chapter
 * is being loaded, the previous one is still visible, and its position is not the next one's.
 */
export function rememberPlace(there: () => boolean): void {
  const note = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!release && there()) {
      writeEntry({ ...entry(), scroll: scrollY } satisfies Entry, { push: false });
    }
  };
  addEventListener('scroll', () => {
    clearTimeout(timer);
    timer = setTimeout(note, 250); // browsers refuse many changes in a second
  });
  // A click may lead away before the timer.
  addEventListener('click', () => timer && note(), { capture: true });
}

/**
 * Scrolls to the position at which this entry was left; for a new entry to the section in its address, or else to the
 * top of the page, where an arriving visitor is already.
 */
export function findPlace({ arriving }: { arriving: boolean }): void {
  clearTimeout(timer);
  timer = undefined;
  release?.();
  const { scroll: left } = entry();
  const section = left === undefined && document.getElementById(splitHash(location.hash).section);
  if (section) {
    hold(() => {
      section.scrollIntoView();
      return true;
    });
    return;
  }
  const scroll = left ?? 0;
  if (arriving && scroll === 0) return; // the visitor may have begun to read
  const go = () => {
    scrollTo(0, scroll);
    return scrollY > scroll - 1; // browsers round scroll positions
  };
  go();
  if (scroll > 0) hold(go);
}
