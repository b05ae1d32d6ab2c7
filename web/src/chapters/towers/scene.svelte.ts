// The core's answer to the state as it is, as matrices; null while a newer one is under way.
import { Answer } from '../../compute/page/lessons.svelte';
import type { TowersCall } from '../../compute/worker/lessons/towers-cost';
import { askOf, sameWords, textsOf } from '../../entered/towers';
import { useCost } from '../../figures/cost.svelte';
import { useModel } from './model';
import { sceneOf } from './scene';

export class TowersScene {
  readonly #model = useModel();
  readonly #answer = new Answer('towers', () => askOf(this.#model.state));
  readonly texts = $derived(textsOf(this.#model.state));
  readonly now = $derived.by(() => {
    const { now, asked } = this.#answer;
    if (!now || !asked) return null;
    return sameWords(asked, this.#model.state) ? sceneOf(asked, now, this.texts) : null;
  });
}

/** What a call of this chapter costs, by the core's count, and how long it takes here. */
export function useCostOf(call: TowersCall) {
  const model = useModel();
  return useCost('towers', () => ({ ...askOf(model.state), call }));
}
