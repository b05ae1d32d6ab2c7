// The questions of the chapter, answered by the core: its steps, its count of operations, its singular values.
import { guesses, numbers } from '../../figures/guess';
import { count } from '../../figures/local';
import { questionsOf } from '../../shell/question';
import { ranks, type LongerState } from '../../state/longer';
import { ninety, tokens } from './rank';
import { givenOf } from './source';
import text from '$texts/longer.yaml';

const question = questionsOf<LongerState>();

/** The number of blocks that a causal mask hides completely. */
export const online = question({
  ...{ card: 'longer/online', veil: 'online' },
  cases: [
    { tokens: 8, queries: 4, keys: 2 },
    { tokens: 8, queries: 2, keys: 2 },
    { tokens: 12, queries: 4, keys: 4 },
    { tokens: 16, queries: 2, keys: 4 },
    { tokens: 8, queries: 8, keys: 2 },
  ],
  asks({ given: { tokens, queries, keys } }) {
    const given = givenOf('random', 1, tokens);
    return [['online', { given, edits: [], mask: 'causal', queries, keys }]];
  },
  found({ model, given }, { visited: { data } }) {
    const words = text.online;
    const all = data.length;
    const skipped = data.filter((seen) => seen === 0).length;
    const said = { skipped, none: 0, half: Math.floor(all / 2), more: skipped + 2, all };
    return {
      question: words.question({ ...given, all }),
      options: numbers(['skipped', 'none', 'half', 'more'], said, (id) => words.says[id](said)),
      right: ['skipped'],
      see: () => model.change({ ...given, mask: 'causal', source: 'random', pin: null, step: all }),
    };
  },
});

/** The order with fewer operations. */
export const linear = question({
  card: 'longer/linear',
  cases: [
    { tokens: 16, width: 64 },
    { tokens: 1024, width: 64 },
    { tokens: 64, width: 64 },
    { tokens: 64, width: 16 },
  ],
  asks: ({ given }) => [['orders', given]],
  found({ given }, { scoresFirst, valuesFirst }) {
    const words = text.linear;
    const less = scoresFirst < valuesFirst ? 'scores' : 'values';
    const right = scoresFirst === valuesFirst ? 'alike' : less;
    const said = { scores: count(scoresFirst), values: count(valuesFirst), ...given };
    return {
      question: words.question(given),
      options: guesses(['scores', 'values', 'alike'], words.choices, (id) => {
        if (id === right) return words.rightly[id](said);
        return right === 'alike' ? words.even(said) : words.wrongly[id](said);
      }),
      right: [right],
    };
  },
});

/** The number of singular values that a head's weights need: one, few or many. */
export const rank = question({
  ...{ card: 'longer/rank', veil: 'rank' },
  cases: ['previous', 'first', 'same', 'average'] as const,
  asks: ({ given }) => [['rank', { given: givenOf(given, 1, tokens), ranks }]],
  found({ model, given }, values) {
    const words = text.rank;
    const n = ninety(values);
    const right = n === 1 ? 'one' : n <= tokens / 4 ? 'few' : 'many';
    const said = { n, why: words.whys[given] };
    return {
      question: words.question({ head: text.sources[given], tokens }),
      options: guesses(['one', 'few', 'many'], words.choices, (id) =>
        id === right ? words.right(said) : words.says[id](said),
      ),
      right: [right],
      see: () => model.change({ head: given }),
    };
  },
});
