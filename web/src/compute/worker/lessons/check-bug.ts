// The case that chapter "Check" opens with: attention as somebody writes it, step by step and with a mistake, beside the core's own.
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { bugOf } from '../../shared/lessons/check-names';
import { dataOf, shaped, tensorOf, type TensorData } from '../../shared/lessons/layouts';
import { attended } from './attention-variants';
import { changed, mistakes } from './mistaken';
import { download } from '../../shared/lessons/matrices';

export interface BugLessons {
  /** `number` is that of the case: its mistake and its inputs follow from it. */
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

const shape = [6, 4];

export const bugAnswers: Answers<BugLessons> = {
  bug(tril, { number }) {
    const all = tril.randomNormal([3, ...shape], { seed: number });
    const [q, k, v] = tril.split(all, 3).map((one) => dataOf(tril.reshape(one, shape)));
    const four = (one: TensorData) => shaped(one, [1, 1, ...shape]);
    const steps = { Q: four(q), K: four(k), V: four(v) };
    const edits = mistakes[bugOf(number)]({ name: '', inputs: steps });
    const expected = shaped(changed(tril, steps, { causal: true }, edits, 'output'), shape);
    const [ours, theirs] = [attended(tril, { q, k, v }, { causal: true, heads: 0 }), expected].map(
      (one) => tensorOf(tril, one),
    );
    return {
      given: { q, k, v },
      expected,
      ours: download(ours),
      theirs: download(theirs),
      gap: download(tril.subtract(ours, theirs)),
    };
  },
};
