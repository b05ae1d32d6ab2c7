// Where on the page a visitor was is kept with the entry in the browser's history, so that back, forward and reload
// lead there; a new entry leads to the section in its address. Either way the chapter is loaded and computed anew, and
// grows as it is, which the browser itself cannot wait for.
import { writeEntry } from '../state/history';
import { splitHash } from '../state/places';

/** What an entry in the history holds, by whoever of the page. */
interface Entry {
  /** How many changes this visit has made up to here. */
  readonly depth?: number;
  /** How far down the page was scrolled. */
  readonly scroll?: number;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};

/** Milliseconds without growth after which all figures are taken to be computed. */
const grown = 8000;
let release: (() => void) | null = null;

/**
 * Goes to a place again and again while the page grows, until it was reached and nothing grows any more, or the
 * visitor moves. `go` says whether the page is long enough by now.
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
  document.documentElement.style.overflowAnchor = 'none'; // or the browser would hold a place of its own, too
  observer.observe(document.body);
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(move, stop, { once: true });
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * From now on each entry knows its place, as far as `there`, the page that the entry is of, is shown: while the next
 * chapter is loaded the one before is still to be seen, and its place is not the next one's.
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
    timer = setTimeout(note, 250); // browsers refuse many changes a second
  });
  // What is clicked may lead away before that.
  addEventListener('click', () => timer && note(), { capture: true });
}

/**
 * To where the visitor was when this entry was left; for a new one to the section that the address leads to, or else the
 * head of the page, where who arrives is already.
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
  if (arriving && scroll === 0) return; // and perhaps has begun to read
  const go = () => {
    scrollTo(0, scroll);
    return scrollY > scroll - 1; // browsers round
  };
  go();
  if (scroll > 0) hold(go);
}
