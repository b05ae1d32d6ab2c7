// The savings of a cache of keys and values: counted by the core, timed here, and the values themselves for one head.
import type { Tensor } from 'tril';
import type { MatrixData } from '../../page/protocol';
import { cacheParts, type AwayRequests, type CacheCounts } from '../../shared/opened/away-protocol';
import { partCosts } from './forward-cost';
import { tokensOf } from './reading';
import type { Opened } from './work';
import { placesOf } from './shape';

/** One matrix of a stack. */
function sliceOf(stack: Tensor, at: number): MatrixData {
  const [, rows, cols] = stack.shape;
  const data = stack.view((all) => all.slice(at * rows * cols, (at + 1) * rows * cols));
  return { rows, cols, data };
}

export function cacheCells(
  opened: Opened,
  { layer, head, ...text }: AwayRequests['cacheCells']['ask'],
): AwayRequests['cacheCells']['answer'] {
  const { tril, model, shape } = opened;
  const ids = tokensOf(opened, text).slice(0, placesOf(shape));
  return tril.scope(() => {
    const asked = { trace: { lens: false, scores: false } };
    const all = model.forward(ids, asked).trace!.layers;
    const before = ids.length > 1 ? model.forward(ids.slice(0, -1), asked).trace! : null;
    const apart = all.map((one, n) =>
      (['keys', 'values'] as const).map((which) => {
        const old = before?.layers[n][which];
        if (!old) return 0;
        const [stacks, rows, cols] = old.shape;
        const kept = Array.from({ length: stacks }, (_, at) =>
          sliceOf(one[which], at).data.subarray(0, rows * cols),
        );
        const flat = Float32Array.from(kept.flatMap((each) => [...each]));
        return tril.compare(old, tril.tensor(old.shape, flat)).maxAbsolute;
      }),
    );
    const shared = Math.floor((head * shape.kvHeads) / shape.heads);
    return {
      q: sliceOf(all[layer].queries, head),
      k: sliceOf(all[layer].keys, shared),
      v: sliceOf(all[layer].values, shared),
      weights: sliceOf(all[layer].weights, head),
      apart: Math.max(...apart.flat()),
    };
  });
}

/** Null if memory is not enough; rethrows all other errors. */
function refused(error: unknown): null {
  if ((error as { argument?: string }).argument === 'memory') return null;
  throw error;
}

/** Bytes of the core for the keys and values of `tokens` tokens, at least two. */
async function bytesOf({ tril, model }: Opened, tokens: number): Promise<number | null> {
  // Generates from one token with room for all; some first tokens end the text at once.
  for (let first = 0; first < 8; ++first) {
    const text = model.generate([first], { maxTokens: tokens - 1 });
    const { done } = await text.next();
    const during = tril.memory().bytes;
    await text.return();
    if (!done) return during - tril.memory().bytes;
  }
  return null;
}

export async function cacheCounts(
  opened: Opened,
  { tokens }: AwayRequests['cacheCounts']['ask'],
): Promise<CacheCounts> {
  const { tril, shape } = opened;
  // The next token is predicted after the last token only.
  const [alone, all] = [1, tokens].map((rows) =>
    partCosts(tril, shape, { rows, tokens, guessed: 1 }),
  );
  const parts = cacheParts.map((part) => ({
    ...{ part, with: alone[part].flops, without: all[part].flops },
  }));
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  const flops = {
    with: sum(parts.map((part) => part.with)),
    without: sum(parts.map((part) => part.without)),
  };
  return {
    ...{ parts, flops },
    times: tril.cost.ratio(flops.without, flops.with),
    bytes: await bytesOf(opened, tokens).catch(refused),
  };
}
