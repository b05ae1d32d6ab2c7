// The Worker that is kept busy with a measurement, and ended when it is cancelled.
import { loadTril } from 'tril';
import { compete } from './benchmark';
import { attention, peak, products } from './contests';
import type { FromMeasuring, Plan, Subject } from './measure-protocol';

function say<S extends Subject>(message: FromMeasuring<S>): void {
  self.postMessage(message);
}

self.addEventListener('message', async ({ data }: MessageEvent<Plan>) => {
  try {
    const tril = await loadTril();
    say({ kind: 'loaded', variant: tril.variant });
    if (data.subject === 'products') {
      say({ kind: 'peak', gigaflops: peak(tril) });
      compete(tril, data as Plan<'products'>, products, say);
    } else {
      compete(tril, data as Plan<'attention'>, attention(data.causal ?? false), say<'attention'>);
    }
    say({ kind: 'finished' });
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
