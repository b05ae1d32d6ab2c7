// What the chapter asks of numbers that are nobody's own. Answered by the core.
import { inText } from '../../figures/format';
import { guesses, numbers } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import { headWidths, type AttendState } from '../../state/attend';
import text from '$texts/attend.yaml';

const question = questionsOf<AttendState>();

/** What adding a number to all scores does to softmax as it is written. */
export const stable = question({
  card: 'attend/stable',
  cases: [100, 50, -110, 10],
  asks: ({ state: { scores }, given: added }) => [
    ['softmaxWays', { scores: Array.from(scores.data), added }],
  ],
  found({ model, given: added }, { naive, stable: other }) {
    const words = text.stable;
    const list = (data: Float32Array) => Array.from(data, inText).join(', ');
    const said = { naive: list(naive.weights.data), stable: list(other.weights.data) };
    const broken = naive.weights.data.some(Number.isNaN);
    const power = added > 0 ? 'over' : 'under';
    return {
      question: words.question({ added: inText(added) }),
      options: guesses(['same', 'sharper', 'nan'], words.choices, (id) =>
        broken ? words.broken[id]({ ...said, power }) : words.kept[id](said),
      ),
      right: [broken ? 'nan' : 'same'],
      see: () => model.change({ added, softmaxPin: { matrix: 'naive', row: 0, col: 0 } }),
    };
  },
});

const tokens = 64;

/** How far dot products of random vectors spread. */
export const scale = question({
  ...{ card: 'attend/scale', veil: 'scale' },
  /** Powers of two: 64, 16, 256. */
  cases: [6, 4, 8],
  asks: () => [['spread', { seed: 1, widths: headWidths, tokens }]],
  found({ model, given: power }, { plain }) {
    const words = text.scale;
    const d = headWidths[power];
    const { variance } = plain[power];
    const values = { one: 1, root: Math.sqrt(d), all: d, square: d * d };
    const said = { ...values, count: tokens ** 2, measured: inText(variance) };
    const ids = ['one', 'root', 'all', 'square'] as const;
    const away = (id: keyof typeof values) => Math.abs(Math.log(values[id] / variance));
    return {
      question: words.question({ d }),
      options: numbers(ids, values, (id) => words.says[id](said)),
      // The one that what was measured is nearest to, as ratios go.
      right: [...ids].sort((a, b) => away(a) - away(b)).slice(0, 1),
      see: () => model.change({ width: power }),
    };
  },
});
