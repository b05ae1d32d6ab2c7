// What the button says that begins a training, and goes on with one.
import type { Run } from '../../compute/training/run.svelte';

interface Words {
  readonly wait: string;
  readonly on: string;
  readonly again: string;
}

export function buttonOf(how: Run<never>['state'], words: Words, first: string): string {
  if (how === 'running') return words.wait;
  if (how === 'waiting') return words.on;
  return how === 'finished' ? words.again : first;
}
