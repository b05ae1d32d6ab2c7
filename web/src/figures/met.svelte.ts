// What a figure does by itself where it is met for the first time: once, ever. A visitor who comes back has seen it, and one
// who asks for less motion is not moved. Alone in another page a figure stays as it was put there.
import { browser } from '$app/environment';
import { untrack } from 'svelte';
import { figureAlone } from '../state/alone';
import { KeptNames } from '../state/kept';
import { lessMotion } from './less';

/** By which a visitor takes over. */
const touches = ['pointerdown', 'keydown'] as const;

const known = new KeptNames('tril.met');

/** Whether this one is met for the first time; from then on it is known. */
export function meet(name: string): boolean {
  if (!browser || lessMotion.current || figureAlone() || known.has(name)) return false;
  known.add(name);
  return true;
}

interface Point {
  readonly name: string;
  /** Its middle is where it is seen. */
  readonly place: () => HTMLElement | undefined;
  /** All is there, and nobody has changed anything. */
  readonly ready: () => boolean;
  /** One after another, each so many milliseconds after the one before; then it waits. */
  readonly steps: () => readonly (readonly [after: number, work: () => void])[];
}

/**
 * Called where a component is made: once its figure is seen, it plays its point by itself. A touch meanwhile brings it to its
 * end.
 */
export function whenMet({ name, place, ready, steps }: Point): void {
  let seen = $state(false);
  let over = false;
  let end = () => {};
  $effect(() => {
    const element = place();
    if (!element) return;
    // A figure that is taller than the window is seen, too.
    const observer = new IntersectionObserver(
      (entries) => (seen = entries[entries.length - 1].isIntersecting),
      { rootMargin: '-45% 0px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  });
  $effect(() => {
    if (over || !seen || !ready()) return;
    over = true;
    if (untrack(() => meet(name))) end = play(untrack(steps));
  });
  $effect(() => () => end());
}

/** The result leaves off where it is. */
function play(steps: readonly (readonly [after: number, work: () => void])[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = () => {
    clearTimeout(timer);
    for (const kind of touches) removeEventListener(kind, skip, { capture: true });
  };
  let begun = false;
  const skip = () => {
    leave();
    if (begun) steps[steps.length - 1][1]();
  };
  const next = (index: number) => {
    if (index === steps.length) return leave();
    const [after, work] = steps[index];
    timer = setTimeout(() => {
      begun = true;
      work();
      next(index + 1);
    }, after);
  };
  for (const kind of touches) addEventListener(kind, skip, { capture: true });
  next(0);
  return leave;
}
