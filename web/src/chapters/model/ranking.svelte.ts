// All parts of the open model ablated in turn, for the question about it and for the figure that shows it.
import type { Cost } from '../../compute/shared/opened/away-protocol';
import { opened } from '../../compute/page/opened/opened.svelte';
import type { OpenChapter } from '../../shell/chapter.svelte';
import type { ModelState } from '../../state/model';
import { veils } from '../../figures/veils.svelte';
import { useModel } from './model';
import { useShown, type Shown } from './shown.svelte';

export const veil = 'model-away';

class Ranking {
  readonly #shown: Shown;
  readonly run = opened.session('ranking');
  /** Prerendered costs for the opening sentence. */
  first = $state.raw<readonly Cost[]>([]);
  /** The prerendered costs still apply. */
  readonly made: boolean = $derived.by(() => this.run.state === 'idle' && this.#shown.first);
  readonly costs = $derived(this.made ? this.first : this.run.parts.flatMap((part) => part.costs));
  /** The head whose absence costs most, once all have been tried. */
  readonly most: Cost | null = $derived.by(() => {
    const heads = this.costs.filter(({ head }) => head !== undefined);
    if ((!this.made && this.run.state !== 'finished') || heads.length === 0) return null;
    return heads.reduce((a, b) => (b.rise > a.rise ? b : a));
  });

  constructor(shown: Shown) {
    this.#shown = shown;
    $effect(() => {
      if (!this.run.isOfAnother(shown.ask)) return;
      this.run.reset();
      veils.lower(veil);
    });
  }

  begin(): void {
    if (opened.about && this.#shown.ask) this.run.begin(this.#shown.ask);
  }
}

const rankings = new WeakMap<OpenChapter<ModelState>, Ranking>();

/** One ranking for the chapter: created by the question or the figure, whichever comes first. */
export function useRanking(): Ranking {
  const chapter = useModel();
  const found = rankings.get(chapter) ?? new Ranking(useShown());
  rankings.set(chapter, found);
  return found;
}
