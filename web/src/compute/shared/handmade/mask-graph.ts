// What chapter "Mask" computes, as graphs: attention under a mask M of 0 and -inf, which hides in each of the chapter's ways.
import { graph, type Calls, type Graph, type Value } from 'tril/graph';
import { hideIds, type HideId } from '../lessons/mask-rules';

const each = <Made>(make: (hide: HideId) => Made) =>
  Object.fromEntries(hideIds.map((hide) => [hide, make(hide)])) as Record<HideId, Made>;

const lowest = -1e9;
const scoresOf = (c: Calls, Q: Value, K: Value) =>
  c.divide(c.matmul(Q, c.transpose(K)), c.sqrt('D'));

/** From scores to weights; where weights are hidden, nothing else is. */
type Masked = Readonly<Record<string, Value>> & { readonly weights: Value };
function masking(c: Calls, scores: Value, M: Value, hide: HideId): Masked {
  const seen = c.equal(M, 0);
  if (hide === 'after') return { weights: c.mask(c.softmax(scores), seen, { hidden: 0 }) };
  const masked =
    hide === 'large'
      ? c.add(scores, c.maximum(M, lowest))
      : c.mask(scores, seen, hide === 'zero' ? { hidden: 0 } : {});
  return { masked, weights: c.softmax(masked) };
}

/** `sums` and `leaks`: of every row of weights, all of it, and what lies on hidden keys. */
export const maskGraphs: Readonly<Record<HideId, Graph>> = each((hide) =>
  graph({ scores: ['T', 'T'], M: ['T', 'T'], V: ['T', 'D'] }, ({ scores, M, V }, c) => {
    const made = masking(c, scores, M, hide);
    const { weights } = made;
    const rows = { axis: -1, keepDims: true };
    return {
      ...made,
      output: c.matmul(weights, V),
      sums: c.sum(weights, rows),
      leaks: c.sum(c.multiply(c.less(M, 0), weights), rows),
    };
  }),
);

/** Attention that does not read what is hidden, where it is hidden by the mask: 0 times NaN would be NaN. */
function attended(c: Calls, [Q, K, V]: readonly Value[], M: Value, hide: HideId): Value {
  if (hide === 'infinity') return c.attention(Q, K, V, c.equal(M, 0));
  if (hide === 'large') return c.attention(Q, K, V, c.maximum(M, lowest), { kind: 'additive' });
  return c.matmul(masking(c, scoresOf(c, Q, K), M, hide).weights, V);
}

const projections = { W_Q: ['D', 'C'], W_K: ['D', 'C'], W_V: ['D', 'C'] } as const;

/** One head of two inputs. */
export const futureGraphs: Readonly<Record<HideId, Graph>> = each((hide) =>
  graph(
    { X_before: ['T', 'C'], X_after: ['T', 'C'], ...projections, M: ['T', 'T'] },
    ({ X_before, X_after, W_Q, W_K, W_V, M }, c) => {
      const of = (X: Value) =>
        attended(
          c,
          [W_Q, W_K, W_V].map((weight) => c.linear(X, weight)),
          M,
          hide,
        );
      return { before: of(X_before), after: of(X_after) };
    },
  ),
);
