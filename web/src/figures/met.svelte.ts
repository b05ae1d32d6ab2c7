// An animation that a figure plays when it is met for the first time: once, ever. A returning visitor has seen it, and
// with reduced motion nothing moves. A figure alone in another page does not play it.
import { browser } from '$app/environment';
import { untrack } from 'svelte';
import { figureAlone } from '../state/alone';
import { KeptNames } from '../state/kept';
import { lessMotion } from './less';

/** Events by which a visitor takes over. */
const touches = ['pointerdown', 'keydown'] as const;

const known = new KeptNames('tril.met');

/** Whether this name is new; it is known from then on. */
export function meet(name: string): boolean {
  if (!browser || lessMotion.current || figureAlone() || known.has(name)) return false;
  known.add(name);
  return true;
}

interface Point {
  readonly name: string;
  /** The element whose middle is in sight when the animation starts. */
  readonly place: () => HTMLElement | undefined;
  /** Everything is loaded, and the visitor has changed nothing. */
  readonly ready: () => boolean;
  /** The steps, each `after` milliseconds after the one before; then it waits. */
  readonly steps: () => readonly (readonly [after: number, work: () => void])[];
}

/**
 * Called while a component is created: once its figure is in sight, it plays its point. A touch meanwhile jumps to the
 * end.
 */
export function whenMet({ name, place, ready, steps }: Point): void {
  let seen = $state(false);
  let over = false;
  let end = () => {};
  $effect(() => {
    const element = place();
    if (!element) return;
    // A figure that is taller than the window counts as in sight, too.
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

/** Plays the steps; the result stops them. */
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
