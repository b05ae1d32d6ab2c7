// What a cache of keys and values saves: counted by the core, timed here, and the numbers themselves of one head.
import type { Tensor } from 'tril';
import type { MatrixData } from '../protocol';
import { cacheParts, type AwayRequests, type CacheCounts } from './away-protocol';
import { tokensOf } from './reading';
import type { Opened } from './work';
import { placesOf } from './shape';

/** One of a stack. */
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
    const all = model.forward(ids, { trace: true }).trace!.layers;
    const before = ids.length > 1 ? model.forward(ids.slice(0, -1), { trace: true }).trace! : null;
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
    const shared = Math.floor((head * shape.keyHeads) / shape.heads);
    return {
      q: sliceOf(all[layer].queries, head),
      k: sliceOf(all[layer].keys, shared),
      v: sliceOf(all[layer].values, shared),
      weights: sliceOf(all[layer].weights, head),
      apart: Math.max(...apart.flat()),
    };
  });
}

/** Of `rows` tokens at the end of so many, layer by layer; the head only says what follows the last. */
function flopsOf({ tril, shape }: Opened, rows: number, tokens: number): number[] {
  const { layers, heads, keyHeads, width, headWidth, hidden, gated, vocabulary, family } = shape;
  const linear = (from: number, to: number, bias: boolean, count = rows) =>
    tril.cost.linear({ rows: count, in: from, out: to, bias });
  const isGpt = family === 'gpt2';
  const asked = linear(width, width, family !== 'llama');
  const kept = linear(width, keyHeads * headWidth, family !== 'llama');
  const sizes = { heads, kvHeads: keyHeads, queries: rows, keys: tokens, width: headWidth };
  const past = tokens - rows;
  const up = linear(width, hidden, isGpt);
  const activation = gated ? 'silu' : 'gelu';
  const each = [
    [asked, kept, kept, linear(width, width, isGpt)],
    [tril.cost.attention({ ...sizes, causal: true, past })],
    [
      ...(gated ? [up, up] : [up]),
      tril.cost.activation({ count: rows * hidden, activation }),
      linear(hidden, width, isGpt),
    ],
  ];
  return [
    ...each.map((costs) => layers * tril.cost.sum(costs).flops),
    linear(width, vocabulary, false, 1).flops,
  ];
}

/** Only where memory does not suffice. */
function refused(error: unknown): null {
  if ((error as { argument?: string }).argument === 'memory') return null;
  throw error;
}

/** What the core takes for keys and values of so many tokens, two at the least. */
async function bytesOf({ tril, model }: Opened, tokens: number): Promise<number | null> {
  // A text from one token on, with room for all of them; some tokens end it at once.
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
  const [alone, all] = [flopsOf(opened, 1, tokens), flopsOf(opened, tokens, tokens)];
  const parts = cacheParts.map((part, i) => ({ part, with: alone[i], without: all[i] }));
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  const flops = { with: sum(alone), without: sum(all) };
  return {
    ...{ parts, flops },
    times: opened.tril.cost.ratio(flops.without, flops.with),
    bytes: await bytesOf(opened, tokens).catch(refused),
  };
}
