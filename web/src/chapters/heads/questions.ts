// The questions of the chapter, answered by the core for the current text.
import { at } from '../../compute/page/protocol';
import { inPercent } from '../../figures/format';
import { matrixOf } from '../../figures/graph';
import { questionsOf } from '../../shell/question';
import type { HeadsState } from '../../state/heads';
import { askOf, sequenceOf } from './model';
import { mostSeen } from './scene';
import text from '$texts/heads.yaml';

const question = questionsOf<HeadsState>();

/** Words to choose from, in the order of the sequence; the reply to each is its weight. */
function choices(
  keys: readonly number[],
  named: (key: number) => string,
  says: (key: number) => string,
) {
  const inOrder = [...new Set(keys)].sort((a, b) => a - b);
  return inOrder.map((key) => ({ id: String(key), name: named(key), says: says(key) }));
}
const namesOf = (labels: readonly string[]) => (key: number) =>
  key === 0 ? text.startName : labels[key];

/** The attention of one wide head, which does at once what the narrow ones do. */
export const reads = question({
  card: 'heads/reads',
  asks: ({ state }) => [['heads', askOf(state)]],
  found({ model, state, turn }, now) {
    const words = text.ask;
    const { labels } = sequenceOf(state.text, state.batch);
    if (!now || labels.length < 4) return null;
    const [wide, , narrow] = now.divided;
    const [weights] = wide.weights;
    const query = labels.length - 1 - (turn % (labels.length - 3));
    const most = mostSeen(weights, query);
    // Plausible wrong answers: the largest weights of the narrow heads.
    const others = narrow.weights.map((map) => mostSeen(map, query));
    const named = namesOf(labels);
    const weightOf = (key: number) => inPercent(at(weights, query, key));
    const said = { target: named(most), weight: weightOf(most) };
    const keys = [...new Set([most, ...others, query - 1, 0])].slice(0, 5);
    return {
      question: words.wide({ name: named(query) }),
      options: choices(keys, named, (key) => {
        if (key === most) return words.wideAnswer(said);
        const head = others.indexOf(key);
        const wrong = { ...said, guess: named(key), less: weightOf(key) };
        return head < 0 ? words.wideLess(wrong) : words.wideHead({ ...wrong, head: head + 1 });
      }),
      right: [String(most)],
      see: () => model.look({ into: 1, word: query + 1 }),
    };
  },
});

/** The key on which the induction head will focus, alternating with its focus when no head writes into "before". */
export const circuit = question({
  ...{ card: 'heads/circuit', veil: 'circuit' },
  asks: ({ state }) => [
    ['heads', askOf({ ...state, writers: [true, false, false, false] })],
    ['heads', askOf({ ...state, writers: [false, false, false, false] })],
  ],
  found({ model, state, turn }, written, empty) {
    const words = text.circuit;
    const { labels } = sequenceOf(state.text, state.batch);
    const silent = turn % 2 === 1;
    const now = silent ? empty : written;
    if (!now || labels.length < 4) return null;
    const weights = matrixOf(now.layers[1], 'weights', [0]);
    const query = labels.length - 1;
    const most = mostSeen(weights, query);
    const named = namesOf(labels);
    const weightOf = (key: number) => inPercent(at(weights, query, key));
    const said = { target: named(most), weight: weightOf(most) };
    const before = named(most - 1);
    function says(key: number): string {
      const wrong = { ...said, guess: named(key), less: weightOf(key) };
      if (silent) return key === most ? words.writeAnswer(said) : words.writeSays(wrong);
      if (most === 0) return key === most ? words.answerStart(said) : words.sayStart(wrong);
      if (key === most) return words.answer({ ...said, before });
      const which = key === query ? 'itself' : key === 0 ? 'start' : 'other';
      return words.says[which]({ ...wrong, before });
    }
    return {
      question: silent ? words.writeQuestion : words.question({ name: named(query) }),
      options: choices([most, query, query - 1, 1, 0], named, says),
      right: [String(most)],
      see: () =>
        model.change({
          ...{ layer: 2, head: 1, writers: [!silent, false, false, false] },
          pair: { matrix: 'chosen', row: query, col: most },
        }),
    };
  },
});
