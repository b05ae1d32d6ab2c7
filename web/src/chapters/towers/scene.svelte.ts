// The core's answer to the state as it is; null while a newer one is under way.
import { Query } from '../../compute/page/query.svelte';
import type { TowersCall } from '../../compute/worker/lessons/towers-cost';
import { askOf, sameWords, textsOf } from '../../entered/towers';
import { useCost } from '../../figures/cost.svelte';
import { useModel } from './model';
import type { Scene } from './scene';

export class TowersScene {
  readonly #model = useModel();
  readonly #answer = new Query('towers', () => askOf(this.#model.state));
  readonly texts = $derived(textsOf(this.#model.state));
  readonly now = $derived.by((): Scene | null => {
    const { now: answer, asked: ask } = this.#answer;
    if (!answer || !ask || !sameWords(ask, this.#model.state)) return null;
    return { ask, answer, texts: this.texts };
  });
}

/** What a call of this chapter costs, by the core's count, and how long it takes here. */
export function useCostOf(call: TowersCall) {
  const model = useModel();
  return useCost('towers', () => ({ ...askOf(model.state), call }));
}
