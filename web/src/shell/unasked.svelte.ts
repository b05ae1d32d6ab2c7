import { savesData } from './saving';
import { useSight } from '../figures/sight.svelte';

/**
 * Whether a figure may do a little unrequested work: it is near, the tab is visible, and the visitor does not save
 * data.
 */
export function useUnasked(): () => boolean {
  const sight = useSight();
  let hidden = $state(document.hidden);
  $effect(() => {
    const look = () => (hidden = document.hidden);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  });
  return () => sight.near && !hidden && !savesData();
}
