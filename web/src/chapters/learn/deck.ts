// Texts about a training until it is done, and on the button that starts and continues it.
import type { Run } from '../../compute/page/training/run.svelte';
import text from '$texts/learn-born.yaml';

const { buttons, states } = text;
type Training = Pick<Run<never>, 'state' | 'failure'>;

interface Words {
  readonly first: string;
  readonly again: string;
}
export function buttonOf({ state }: Training, { first, again }: Words): string {
  if (state === 'running') return buttons.wait;
  if (state === 'waiting') return buttons.on;
  return state === 'finished' ? again : first;
}

/** The state of the training in words; `ready` is the text before anything is learned. */
export function doingOf(
  { state, failure }: Training,
  ready: string,
  at: { readonly step: number; readonly steps: number },
): string {
  if (state === 'failed') return states.failed({ why: failure });
  if (state === 'loading') return states.loading;
  return state === 'ready' ? ready : states[state === 'waiting' ? state : 'running'](at);
}
