// Whether a figure is near what is seen, and what it may do later where it is not.
import { getContext, setContext } from 'svelte';
import { inTurn } from './turns';

/** Once the browser has nothing else to do, or after two seconds; the result takes it back. */
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
  /** Heard when that changes. */
  changed = () => {};
  /** Now, not only nearly. */
  seen = $state(false);
  /** How many of the figure's times are seen: none in a menu that is folded. */
  times = $state(0);

  /** For where the figure is. */
  readonly watch = (place: Element): (() => void) => {
    const observer = new IntersectionObserver(
      (entries) => {
        this.near = entries[entries.length - 1].isIntersecting;
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

  /** For where a time is. */
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

/** Of the figure around. */
export const useSight = (): Sight => getContext<Sight>(key);

/**
 * What changes for several figures at once: one that is seen follows at once, or in its turn if it is one of many, the
 * others each in a turn of its own. `get` gives the same object as long as nothing has changed.
 */
export class Followed<T> {
  now: T;

  constructor(get: () => T, many = false) {
    const sight = getContext<Sight>(key);
    this.now = $state.raw(get());
    $effect.pre(() => {
      const value = get();
      const follow = () => (this.now = value);
      const takeTurn = () => inTurn(Infinity, follow); // a frame of its own: styles are made with it
      if (sight.seen) return many ? takeTurn() : void follow();
      let back = whenIdle(() => (back = takeTurn()));
      return () => back();
    });
  }
}
