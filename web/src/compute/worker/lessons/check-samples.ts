// Samples for chapter "Check": inputs from a seed, and the output with one of the mistakes.
import type { Tril } from 'tril';
import type { Answers } from '../answers';
import { attentionCandidates } from './attention-variants';
import { attentionGradients, isBackwardMistake } from '../../shared/lessons/check-names';
import { attentionBackwardCandidates } from './gradient-variants';
import { dataOf, type TensorData } from '../../shared/lessons/layouts';

export interface SampleLessons {
  /** q, k, v, and `expected`; or, with a mistake of a backward pass, d_output and the three gradients. */
  sample: {
    ask: { readonly seed: number; readonly variant: string; readonly causal: boolean };
    answer: Readonly<Record<string, TensorData>>;
  };
  /** The rows of the output that are still right with one of the mistakes. */
  rows: {
    ask: { readonly seed: number; readonly variant: string; readonly tokens: number };
    answer: readonly boolean[];
  };
}

/** Two heads of 10 tokens, 8 wide: small enough to look at. */
function sampleInputs(tril: Tril, seed: number, tokens: number) {
  const all = tril.randomNormal([3, 1, 2, tokens, 8], { seed });
  const { data } = dataOf(all);
  const size = data.length / 3;
  const part = (i: number): TensorData => ({
    shape: [1, 2, tokens, 8],
    data: data.slice(i * size, (i + 1) * size),
  });
  return { q: part(0), k: part(1), v: part(2) };
}

function withVariant(
  tril: Tril,
  inputs: ReturnType<typeof sampleInputs>,
  variant: string,
  causal: boolean,
): TensorData {
  const candidates = attentionCandidates(tril, inputs, { causal, heads: 0 });
  return (candidates.find(({ id }) => id === variant) ?? candidates[0]).run();
}

/** The same with a gradient of the output, and the inputs' gradients with one mistake. */
function sampleGradients(
  tril: Tril,
  inputs: ReturnType<typeof sampleInputs>,
  seed: number,
  variant: string,
  causal: boolean,
): Readonly<Record<string, TensorData>> {
  const { shape } = inputs.q;
  const dOutput = dataOf(tril.randomNormal([...shape], { seed: seed + 10_000 }));
  const given = { ...inputs, d_output: dOutput };
  const found = attentionGradients.map((of) => {
    const candidates = attentionBackwardCandidates(tril, given, of, { causal, heads: 0 });
    return [of, (candidates.find(({ id }) => id === variant) ?? candidates[0]).run()];
  });
  return { ...given, ...(Object.fromEntries(found) as Record<string, TensorData>) };
}

export const sampleAnswers: Answers<SampleLessons> = {
  sample(tril, { seed, variant, causal }) {
    const inputs = sampleInputs(tril, seed, 10);
    if (isBackwardMistake(variant)) return sampleGradients(tril, inputs, seed, variant, causal);
    return { ...inputs, expected: withVariant(tril, inputs, variant, causal) };
  },

  rows(tril, { seed, variant, tokens }) {
    const inputs = sampleInputs(tril, seed, tokens);
    const [wrong, right] = [variant, 'right'].map((id) => withVariant(tril, inputs, id, true));
    const row = ({ data }: TensorData, t: number) =>
      tril.tensor([8], data.slice(8 * t, 8 * (t + 1)));
    return Array.from({ length: tokens }, (_, t) => {
      const { beyond } = tril.compare(row(right, t), row(wrong, t), { absolute: 1e-5 });
      return beyond === 0;
    });
  },
};
