// The client of the measurement of a training step's cost.
import { Run } from './run.svelte';

class Price extends Run<'price'> {
  /** What the core has counted, which comes first. */
  readonly #first = $derived(this.parts.find((part) => 'counted' in part));
  readonly counted = $derived(this.#first?.counted ?? []);
  readonly flops = $derived(this.#first?.flops ?? null);
  readonly timed = $derived(this.parts.flatMap((part) => ('timed' in part ? [part.timed] : [])));
}

export const price = new Price('price');
