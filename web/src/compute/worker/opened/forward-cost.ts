// Cost of a forward pass, by the core's count: its products with the biases that its family has, attention, and
// activations. Norms and positions are omitted, since they are small.
import type { Cost, Tril } from 'tril';
import type { CostData } from '../../page/protocol';
import { costData } from '../../shared/lessons/matrices';
import { cacheParts, type CachePart } from '../../shared/opened/away-protocol';
import type { Shape } from './shape';

interface Pass {
  /** Number of tokens computed, at the end of the text. */
  readonly rows: number;
  readonly tokens: number;
  /** Number of them after which the next token is predicted. */
  readonly guessed?: number;
  readonly causal?: boolean;
}

/** Cost of all layers together, by part. */
export function partCosts(
  tril: Tril,
  shape: Shape,
  { rows, tokens, guessed = rows, causal = true }: Pass,
): Readonly<Record<CachePart, Cost>> {
  const {
    layers,
    heads,
    kvHeads,
    width,
    headWidth,
    hidden,
    gated,
    vocabulary,
    biases,
    projectionBiases,
    activation,
    window,
    windowed,
  } = shape;
  const linear = (from: number, to: number, bias: boolean, count = rows) =>
    tril.cost.linear({ rows: count, in: from, out: to, bias });
  const joined = heads * headWidth;
  const asked = linear(width, joined, projectionBiases);
  const kept = linear(width, kvHeads * headWidth, projectionBiases);
  const sizes = { heads, kvHeads, queries: rows, keys: tokens, width: headWidth };
  const up = linear(width, hidden, biases);
  const each = {
    projections: [asked, kept, kept, linear(joined, width, biases)],
    feedForward: [
      ...(gated ? [up, up] : [up]),
      tril.cost.activation({ count: rows * hidden, activation }),
      linear(hidden, width, biases),
    ],
  };
  const seen = causal ? { ...sizes, causal, past: tokens - rows } : sizes;
  const sum = (costOf: (layer: number) => readonly Cost[]) =>
    tril.cost.sum(Array.from({ length: layers }, (_, layer) => costOf(layer)).flat());
  const whole = tril.cost.attention(seen);
  const near =
    windowed > 0
      ? tril.cost.attention({ ...seen, mask: tril.mask.window({ left: window - 1, right: 0 }) })
      : whole;
  return {
    projections: sum(() => each.projections),
    attention: sum((layer) => [layer < windowed ? near : whole]), // in any order
    feedForward: sum(() => each.feedForward),
    head: linear(width, vocabulary, false, guessed),
  };
}

export function forwardCost(tril: Tril, shape: Shape, pass: Pass): CostData {
  const parts = partCosts(tril, shape, pass);
  return costData(tril, tril.cost.sum(cacheParts.map((part) => parts[part])));
}
