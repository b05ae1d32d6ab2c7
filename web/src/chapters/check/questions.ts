// The questions of the chapter, answered by the core row by row.
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import type { CheckState } from '../../state/check';
import { variantName } from './words';
import text from '$texts/check.yaml';

const words = text.ask;
const tokens = 6;

/** The rows of the output that are still right with a mistake. */
export const own = questionsOf<CheckState>()({
  card: 'check/own',
  cases: ['noScale', 'noMask', 'swappedQK', 'maskAfterSoftmax', 'hidesItself'] as const,
  asks: ({ given, turn }) => [['rows', { seed: 1 + turn, variant: given, tokens }]],
  found({ model, given, turn }, rows) {
    const count = rows.filter(Boolean).length;
    const one = rows[0] ? 'first' : rows[rows.length - 1] ? 'last' : 'some';
    const right = count === rows.length ? 'all' : count === 0 ? 'none' : count === 1 ? one : 'some';
    const why = words.because[given];
    return {
      question: words.question({ mistake: variantName({ id: given }), tokens }),
      options: guesses(['all', 'first', 'last', 'none'], words.choices, (id) =>
        id === right ? words.right({ why }) : words.says[id]({ why, count, tokens }),
      ),
      right: right === 'some' ? [] : [right],
      see: () =>
        model.change({
          ...{ kind: 'attention', causal: 'yes', heads: 0 },
          ...{ sample: given, seed: 1 + turn },
        }),
    };
  },
});
