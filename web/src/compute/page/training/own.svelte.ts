// The client of the training on the visitor's text.
import type { Part } from '../session.svelte';
import { steps } from '../../shared/training/own-limits';
import { Run } from './run.svelte';

class Own extends Run<'own'> {
  readonly about = $derived(this.parts[0]?.about ?? null);
  readonly milliseconds = $derived(this.parts.flatMap((part) => part.milliseconds));
  readonly samples = $derived(this.parts.flatMap(({ sample }) => sample ?? []));
  /** The typed text, which may differ from the one that is being learned; null: the default text. */
  typed = $state<string | null>(null);

  protected override draw(parts: readonly Part<'own'>[]): void {
    super.draw(parts);
    const { step } = parts.at(-1)!;
    if (step > 0 && step % steps === 0) this.state = 'finished';
  }
}

export const ownText = new Own('own');
