// Whether a figure is near the visible area, and work that can be delayed if it is not.
import { getContext, setContext } from 'svelte';
import { inTurn } from './turns';

/** Runs work when the browser is idle, or after two seconds; the result cancels it. */
export function whenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const handle = requestIdleCallback(work, { timeout: 2000 });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(work, 200); // Safari
  return () => clearTimeout(timer);
}

export class Sight {
  near = $state(false);
  /** The figure is near, or was before. */
  met = $state(false);
  /** Called when that changes. */
  changed = () => {};
  /** The figure is in sight, not only near. */
  seen = $state(false);
  /** Number of the figure's times in sight; a folded menu shows none. */
  times = $state(0);

  /** Watches the place of the figure. */
  readonly watch = (place: Element): (() => void) => {
    const observer = new IntersectionObserver(
      (entries) => {
        this.near = entries[entries.length - 1].isIntersecting;
        this.met ||= this.near;
        this.changed();
      },
      { rootMargin: '50% 0px' },
    );
    const exact = new IntersectionObserver((entries) => {
      this.seen = entries[entries.length - 1].isIntersecting;
    });
    for (const each of [observer, exact]) each.observe(place);
    return () => [observer, exact].forEach((each) => each.disconnect());
  };

  /** Watches the place of a time. */
  readonly time = (place: Element): (() => void) => {
    let seen = 0;
    const count = (now: number) => {
      this.times += now - seen;
      seen = now;
    };
    const observer = new IntersectionObserver((entries) =>
      count(Number(entries[entries.length - 1].isIntersecting)),
    );
    observer.observe(place);
    return () => {
      observer.disconnect();
      count(0);
    };
  };
}

const key = Symbol('sight');

export const provideSight = (): Sight => setContext(key, new Sight());

/** The sight of the surrounding figure. */
export const useSight = (): Sight => getContext<Sight>(key);

/**
 * A value that changes for several figures at once. A figure in sight follows at once, or in its turn if it is one of
 * many; each other figure follows in a turn of its own. `get` returns the same object as long as nothing has changed.
 */
export class Followed<T> {
  now: T;

  constructor(get: () => T, many = false) {
    const sight = getContext<Sight>(key);
    this.now = $state.raw(get());
    $effect.pre(() => {
      const value = get();
      const follow = () => (this.now = value);
      const takeTurn = () => inTurn(Infinity, follow); // a separate frame, since styles are computed with it
      if (sight.seen) return many ? takeTurn() : void follow();
      let back = whenIdle(() => (back = takeTurn()));
      return () => back();
    });
  }
}
