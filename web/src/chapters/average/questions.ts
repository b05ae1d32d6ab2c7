// The questions of the chapter, answered by the core.
import { at, rowOf } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { matrixOf, stacked, tensorOf } from '../../figures/graph';
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import { series as opening, type AverageState } from '../../state/average';
import { blends, threeWays, ways } from './graphs';
import text from '$texts/average.yaml';

const question = questionsOf<AverageState>();
const [averaged, summed] = [threeWays(false, 0), threeWays(true)];

/** Alternates between the value of an average, and the effect of zeros in the mask. */
export const three = question({
  ...{ card: 'average/three', veil: 'averages' },
  asks({ state: { x, y } }) {
    const inputs = { x: stacked([x, y]) };
    return [
      ['graph', { graph: averaged, inputs }],
      ['graph', { graph: summed, inputs }],
    ];
  },
  found({ model, state, turn }, averages, sums) {
    const words = text.question;
    const front = [state.batch - 1];
    if (turn % 2 === 1) {
      const row = `[${rowOf(matrixOf(averages, ways.softmax, front), 0)
        .map(inText)
        .join(', ')}]`;
      const pin = { matrix: 'soft', row: 0, col: 0 } as const;
      return {
        question: words.zeros,
        options: guesses(['same', 'all', 'none'], words.choices, (id) =>
          words.zerosSay[id]({ row }),
        ),
        right: ['all'],
        see: () => model.change({ show: 'averages', hidden: 0, pin }),
      };
    }
    const input = matrixOf(averages, 'x', front);
    const times = turn / 2;
    // The first row is excluded, since it is its own average.
    const row = input.rows - 1 - (times % Math.max(1, input.rows - 1));
    const col = times % input.cols;
    const said = {
      mean: inText(at(matrixOf(averages, 'loops', front), row, col)),
      sum: inText(at(matrixOf(sums, 'loops', front), row, col)),
      last: inText(at(input, row, col)),
      rows: row + 1,
    };
    const ids = (['mean', 'sum', 'last'] as const).filter(
      (id, i, all) => all.findIndex((other) => said[other] === said[id]) === i,
    );
    if (ids.length < 2) return null;
    const values = Array.from({ length: row + 1 }, (_, i) => inText(at(input, i, col))).join(', ');
    const pin = { matrix: 'loops', row, col } as const;
    return {
      question: words.value({ col: col + 1, values, row: row + 1 }),
      options: guesses(ids, said, (id) => words.says[id](said)).sort(
        (a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1),
      ),
      right: ['mean'],
      see: () => model.look({ show: 'averages', pin }),
    };
  },
});

/** The range of a blend. */
export const series = question({
  ...{ card: 'average/series', veil: 'series' },
  cases: [opening, [3, 6, 9, 12], [5, 10, 15, 20], [1, 2, 3, 4]],
  asks({ given }) {
    const inputs = { scores: tensorOf([0, 0, 0, 0], 4), series: tensorOf(given, 1) };
    return [['graph', { graph: blends.softmax, inputs }]];
  },
  found({ model, given }, { blend }) {
    const words = text.series;
    const largest = Math.max(...given);
    const said = {
      largest,
      mean: inText(blend.data[0]),
      next: 2 * largest - given[given.length - 2],
      sum: given.reduce((all, value) => all + value, 0),
    };
    return {
      question: words.question({ values: given.join(', ') }),
      options: (['mean', 'largest', 'next', 'sum'] as const).map((id) => ({
        id,
        name: String(said[id]),
        says: words.says[id](said),
      })),
      right: ['largest'],
      see: () => model.change({ blend: 'softmax', scores: [0, 0, 0, 8] }),
    };
  },
});
