// Numerical stability of softmax, and the scaling of scores: chapter "Attend" beyond its one head. There is no
// arithmetic here.
import type { Tensor } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { download } from '../../shared/lessons/matrices';

/** The parts of the softmax of one row; [1, T] except for the two numbers. */
interface SoftmaxWay {
  /** The number subtracted before e is raised to the score. */
  readonly shift: number;
  readonly powers: MatrixData;
  readonly sum: number;
  readonly weights: MatrixData;
}

/** Random queries and keys whose elements have mean 0 and variance 1. */
interface SpreadAsk {
  readonly seed: number;
  /** Widths of a head. */
  readonly widths: readonly number[];
  readonly tokens: number;
}

/** The scores and softmax at one width. */
export interface Spread {
  readonly width: number;
  readonly variance: number;
  /** Means over the rows: the largest weight, and the entropy in nats. */
  readonly largest: number;
  readonly entropy: number;
}

interface SpreadResult {
  readonly plain: readonly Spread[];
  readonly scaled: readonly Spread[];
}

export interface SaturationResult {
  readonly scores: MatrixData;
  readonly scaled: MatrixData;
  /** Softmax of the unscaled and of the scaled scores. */
  readonly plainWeights: MatrixData;
  readonly scaledWeights: MatrixData;
}

export interface SoftmaxLessons {
  softmaxWays: {
    /** The scores, and a number added to each. */
    ask: { readonly scores: readonly number[]; readonly added: number };
    answer: {
      readonly scores: MatrixData;
      readonly naive: SoftmaxWay;
      readonly stable: SoftmaxWay;
    };
  };
  spread: { ask: SpreadAsk; answer: SpreadResult };
  saturation: {
    ask: { readonly seed: number; readonly width: number; readonly tokens: number };
    answer: SaturationResult;
  };
}

function wayOf(tril: Tril, scores: Tensor, stable: boolean): SoftmaxWay {
  const { output, shift, powers, sum } = tril.softmaxSteps(scores, { stable });
  return {
    shift: shift.read()[0],
    powers: download(powers),
    sum: sum.read()[0],
    weights: download(output),
  };
}

/** One head with random queries and keys, and with plain or scaled scores. */
function head(tril: Tril, seed: number, tokens: number, width: number, divided: boolean) {
  const [q, k] = [seed, seed + 1].map((one) =>
    tril.randomNormal([1, 1, tokens, width], { seed: one }),
  );
  const v = tril.zeros([1, 1, tokens, 1]);
  const { trace } = tril.attention(q, k, v, { ...(divided ? {} : { scale: 1 }), trace: true });
  return trace;
}

function spreadOf(tril: Tril, ask: SpreadAsk, width: number, divided: boolean): Spread {
  return tril.scope(() => {
    const { scores, weights } = head(tril, ask.seed, ask.tokens, width, divided);
    const { entropy, largest } = tril.concentration(weights);
    return {
      width,
      variance: tril.statistics(scores).variance,
      largest: tril.statistics(largest).mean,
      entropy: tril.statistics(entropy).mean,
    };
  });
}

export const softmaxAnswers: Answers<SoftmaxLessons> = {
  softmaxWays(tril, { scores, added }) {
    const row = tril.add(tril.tensor([[...scores]]), added);
    return {
      scores: download(row),
      naive: wayOf(tril, row, false),
      stable: wayOf(tril, row, true),
    };
  },

  spread: (tril, ask) => ({
    plain: ask.widths.map((width) => spreadOf(tril, ask, width, false)),
    scaled: ask.widths.map((width) => spreadOf(tril, ask, width, true)),
  }),

  saturation(tril, { seed, width, tokens }) {
    const plain = head(tril, seed, tokens, width, false);
    const scaled = head(tril, seed, tokens, width, true);
    return {
      scores: download(plain.scores),
      scaled: download(scaled.scores),
      plainWeights: download(plain.weights),
      scaledWeights: download(scaled.weights),
    };
  },
};
