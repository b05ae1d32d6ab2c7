// Questions that keep the Worker busy for a while, such as times: asked once they are in sight and nothing changes any
// more.
import { useLessons } from '../compute/page/lessons.svelte';
import { useSight } from './sight.svelte';

/**
 * Milliseconds for which a question must be unchanged before the Worker is kept busy with it; then it waits for its
 * turn.
 */
const quietMilliseconds = 500;

/** When such a query may ask. Outside of a figure it counts as in sight. */
export function whenQuiet() {
  const client = useLessons();
  const sight = useSight();
  return (ask: () => void): (() => void) | undefined => {
    if (sight?.times === 0) return;
    let back = () => {};
    const timer = setTimeout(() => (back = client.whenIdle(ask)), quietMilliseconds);
    return () => {
      clearTimeout(timer);
      back();
    };
  };
}
