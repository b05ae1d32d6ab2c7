// A question about one row of the weights: who is looked at most? Made of the text at hand, answered by the core.
import { at } from '../../compute/page/protocol';
import type { Scene } from '../../scenes/attend/scene';

interface Question {
  readonly query: number;
  /** Keys to choose among, in order, and "all alike". */
  readonly options: readonly (number | 'alike')[];
  /** The keys with the largest weight; all that are seen, if they are alike. */
  readonly answers: readonly number[];
  readonly alike: boolean;
}

/** Weights closer than this are called equal. */
const near = 1e-4;

/** Null where there is nothing to ask: fewer than two keys, or no weight at all. */
export function questionOf(scene: Scene, turn: number): Question | null {
  const { length, causal } = scene;
  const first = causal ? 1 : 0; // A query that sees only itself is no question.
  if (length < 2) return null;
  // The last token first, then around by steps that visit many.
  const span = length - first;
  const query = first + ((((span - 1 - 2 * turn) % span) + span) % span);
  const seen = Array.from({ length: causal ? query + 1 : length }, (_, key) => key);
  const weight = (key: number) => at(scene.drawn.weights.matrix, query, key);
  const weights = seen.map(weight);
  const most = Math.max(...weights);
  if (!(most > 0)) return null;
  const answers = seen.filter((key) => most - weight(key) < near);
  const alike = answers.length === seen.length;
  const likely = [answers[0], query, query - 1, 0, query - 2, 1, 2, 3].filter((key) =>
    seen.includes(key),
  );
  const options = [...new Set(likely)].slice(0, 4).sort((a, b) => a - b);
  return { query, options: [...options, 'alike'], answers, alike };
}
