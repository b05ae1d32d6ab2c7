// All parts of the open model taken away in turn, for the question about it and for the figure that shows it.
import { getContext, setContext } from 'svelte';
import type { Cost } from '../../compute/opened/away-protocol';
import { veils } from '../../figures/veils.svelte';
import { Running } from './running.svelte';
import { useShown } from './shown.svelte';

export const veil = 'model-away';

export class Ranking {
  readonly #shown = useShown();
  readonly run = new Running('ranking');
  readonly costs = $derived(this.run.parts.flatMap((part) => part.costs));
  /** The head whose absence costs most, once all have been away. */
  readonly most: Cost | null = $derived.by(() => {
    const heads = this.costs.filter(({ head }) => head !== undefined);
    if (this.run.state !== 'finished' || heads.length === 0) return null;
    return heads.reduce((a, b) => (b.rise > a.rise ? b : a));
  });

  constructor() {
    $effect(() => {
      if (!this.run.isOfAnother(this.#shown.ask)) return;
      this.run.forget();
      veils.lower(veil);
    });
  }

  begin(): void {
    if (this.#shown.ask) this.run.begin(this.#shown.ask);
  }
}

const key = Symbol('ranking');
export const provideRanking = () => setContext(key, new Ranking());
export const useRanking = () => getContext<Ranking>(key);
