// What the chapter asks. Answered by the core for the texts and masks at hand.
import { rowOf } from '../../compute/page/protocol';
import { askOf, textsOf } from '../../entered/towers';
import { weightInCell } from '../../figures/format';
import { matrixOf } from '../../figures/graph-values';
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import { defaults, type TowersState } from '../../state/towers';
import text from '$texts/towers.yaml';

const question = questionsOf<TowersState>();

/** Which rows notice a changed last word: told by the outputs before and after. */
export const maps = question({
  ...{ card: 'towers/maps', once: true },
  asks: ({ state }) => [['leak', askOf(state)]],
  found({ model, state }, { rows }) {
    const words = text.leak;
    const { inputs } = textsOf(state);
    const last = rows.length - 1;
    const said = { changed: rows.filter((distance) => distance > 0).length, all: rows.length };
    const isLast = said.changed === 1 && rows[last] > 0;
    const right = said.changed === 0 ? 'none' : isLast ? 'last' : 'all';
    return {
      question: words.question({ word: inputs[inputs.length - 1] }),
      options: guesses(['last', 'all', 'none'], words.choices, (id) =>
        words[id === right ? 'right' : 'wrong'][id](said),
      ),
      right: [right],
      see: () => model.look({ pin: { matrix: 'targetWeights', row: last, col: 0 } }),
    };
  },
});

/** Which word of the source a step looks at, another step each time. */
export const cross = question({
  ...{ card: 'towers/cross', veil: 'cross' },
  asks: ({ state }) => [['towers', askOf(state)]],
  found({ model, state, turn }, { memory }) {
    const words = text.cross;
    const { inputs, source } = textsOf(state);
    const weights = matrixOf(memory.values, 'weights');
    const row = (1 + turn) % weights.rows;
    const shares = rowOf(weights, row);
    const most = Math.max(...shares);
    const col = shares.indexOf(most);
    const isRight = (share: number) => share > 0.9 * most;
    const inWords = (share: number) => weightInCell(share, 40);
    const said = { word: source[col], weight: inWords(most), why: text.does[state.mode] };
    return {
      question: words.question({ word: inputs[row] }),
      options: source.map((word, i) => ({
        ...{ id: String(i), name: `${word} (${i + 1})` },
        says: isRight(shares[i])
          ? words.answer({ word, weight: inWords(shares[i]) })
          : words.instead({ ...said, guess: word, less: inWords(shares[i]) }),
      })),
      right: shares.flatMap((share, i) => (isRight(share) ? [String(i)] : [])),
      see: () => model.look({ pin: { matrix: 'weights', row, col } }),
    };
  },
});

/** "the" comes twice in the texts that the chapter begins with. */
const twice = { source: defaults.source, target: defaults.target, mode: 'follows' } as const;

/** Teacher or own words: counted in what the decoder writes both ways. */
export const steps = question({
  ...{ card: 'towers/steps', once: true },
  asks() {
    const ask = askOf({ ...defaults, ...twice });
    return [
      ['steps', { ...ask, feed: 'teacher' }],
      ['steps', { ...ask, feed: 'own' }],
    ];
  },
  found({ model }, ...answers) {
    const words = text.steps;
    const { target } = askOf({ ...defaults, ...twice });
    const [teacher, own] = answers.map(
      ({ likeliest }) => likeliest.filter((word, i) => word === target[i]).length,
    );
    const right = teacher > own ? 'teacher' : own > teacher ? 'own' : 'same';
    const said = { teacher, own, all: target.length };
    return {
      question: words.question,
      options: guesses(['teacher', 'own', 'same'], words.choices, (id) =>
        id === right ? words.right(said) : words.says[id](said),
      ),
      right: [right],
      see: () => model.change({ ...twice, feed: 'own', step: 6 }),
    };
  },
});
