// A training is prepared when a visitor comes near, since its Worker is loaded then, and waits while its page is hidden.
import { untrack } from 'svelte';
import { waitUnseen } from '../../compute/page/training/run.svelte';
import { useSight } from '../../figures/sight.svelte';

type Run<Ask> = Parameters<typeof waitUnseen>[0] & {
  readonly asked: Ask | null;
  follow(ask: Ask): void;
};

/** One that was begun before follows at once. */
export function followNearby<Ask>(run: Run<Ask>, wanted: () => Ask): void {
  const sight = useSight();
  $effect(() => {
    const ask = wanted();
    if (sight.near || untrack(() => run.asked)) untrack(() => run.follow(ask));
  });
  waitUnseen(run);
}
