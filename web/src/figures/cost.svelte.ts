// The cost of a call of the core, for a figure's foot: the core's count at once, and the time of one call once it is in
// sight.
import { Query } from '../compute/page/query.svelte';
import type { CallAsk, CallId, SizesOf } from '../compute/worker/lessons/calls';
import { whenQuiet } from './when-quiet.svelte';

/** The costs of calls to compare; null if there are none, and until they are counted. */
export function useCosts<Id extends CallId>(call: Id, all: () => readonly SizesOf<Id>[] | null) {
  const ask = () => {
    const sizes = all();
    return sizes && ({ call, sizes } as CallAsk);
  };
  const costs = new Query('cost', ask);
  const times = new Query('time', ask, { when: whenQuiet() });
  return {
    get now() {
      return costs.now?.map((cost, i) => ({ ...cost, time: times.current?.[i] ?? null })) ?? null;
    },
  };
}

/** The cost of one call. */
export function useCost<Id extends CallId>(call: Id, sizes: () => SizesOf<Id> | null) {
  const costs = useCosts(call, () => {
    const one = sizes();
    return one && [one];
  });
  return {
    get now() {
      return costs.now?.[0] ?? null;
    },
  };
}
