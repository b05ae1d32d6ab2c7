// The opening case of chapter "Check": somebody's attention, step by step and with a mistake, beside the core's own.
import type { Tensor, Tril } from 'tril';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { bugOf, type Bug } from '../../shared/lessons/check-names';
import { dataOf, type TensorData } from '../../shared/lessons/layouts';
import { download } from '../../shared/lessons/matrices';

export interface BugLessons {
  /** `number` identifies the case: its mistake and its inputs follow from it. */
  bug: {
    ask: { readonly number: number };
    answer: {
      /** q, k and v, [T, D] each. */
      readonly given: Readonly<Record<'q' | 'k' | 'v', TensorData>>;
      readonly expected: TensorData;
      readonly ours: MatrixData;
      readonly theirs: MatrixData;
      /** ours - theirs */
      readonly gap: MatrixData;
    };
  };
}

const [tokens, width] = [6, 4];

/** A mask as numbers added to the scores, -inf where a query may not look. */
function causalMask(tril: Tril, hidesItself: boolean): Tensor {
  const hides = (t: number, s: number) => (hidesItself ? s >= t : s > t);
  const places = Array.from({ length: tokens }, (_, i) => i);
  return tril.tensor(places.map((t) => places.map((s) => (hides(t, s) ? -Infinity : 0))));
}

/** q, k and v are [T, D]. The code shares nothing with the variants that its output is compared with. */
function somebodys(tril: Tril, q: Tensor, k: Tensor, v: Tensor, bug: Bug): Tensor {
  const scores = tril.matmul(q, k, { transposeB: true });
  const scaled = bug === 'noScale' ? scores : tril.divide(scores, Math.sqrt(width));
  const unmasked = bug === 'noMask' || bug === 'maskAfterSoftmax';
  const masked = unmasked ? scaled : tril.add(scaled, causalMask(tril, bug === 'hidesItself'));
  const weights = tril.softmax(masked, { axis: bug === 'softmaxOverQueries' ? 0 : 1 });
  const kept = bug === 'maskAfterSoftmax' ? tril.triangular(weights) : weights;
  return tril.matmul(kept, bug === 'keysForValues' ? k : v);
}

export const bugAnswers: Answers<BugLessons> = {
  bug(tril, { number }) {
    const all = tril.randomNormal([3, tokens, width], { seed: number }).read();
    const size = tokens * width;
    const part = (i: number, shape: readonly number[]) =>
      tril.tensor(shape, all.slice(i * size, (i + 1) * size));
    const [q, k, v] = [0, 1, 2].map((i) => part(i, [tokens, width]));
    const [heads1, heads2, heads3] = [0, 1, 2].map((i) => part(i, [1, 1, tokens, width]));
    const { output } = tril.attention(heads1, heads2, heads3, { causal: true });
    const theirs = somebodys(tril, q, k, v, bugOf(number));
    return {
      given: { q: dataOf(q), k: dataOf(k), v: dataOf(v) },
      expected: dataOf(theirs),
      ours: download(output),
      theirs: download(theirs),
      gap: download(tril.subtract(tril.tensor([tokens, width], output.read()), theirs)),
    };
  },
};
