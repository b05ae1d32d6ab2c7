// The questions of the chapter, answered by the core for the current text.
import { blockLengths, type HideId, type RuleId } from '../../compute/shared/lessons/mask-rules';
import { rowOf } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { matrixOf } from '../../figures/graph';
import { guesses, numbers } from '../../figures/guess';
import { listed } from '../../figures/local';
import { questionsOf } from '../../shell/question';
import { defaults, mostTokens, type MaskState } from '../../state/mask';
import { typedOf } from './entered';
import { exampleOf } from './examples';
import { askOf, futureOf } from './model';
import { sameBits } from './scene';
import { rulesInWords } from './words';
import text from '$texts/mask.yaml';

const question = questionsOf<MaskState>();
const textOf = (state: MaskState) => typedOf(state.text, state.by, mostTokens);

const causal = { rules: ['causal'], hide: 'infinity' } as const;
const zeros = { ...causal, hide: 'zero' } as const;
const windowed = { ...causal, rules: ['causal', 'window'], left: 2, right: 0 } as const;

/**
 * Alternates between the effect of zeros, the output of a row that sees nothing, with two treatments, and the number of
 * keys in a window.
 */
export const masks = question({
  card: 'mask/masks',
  asks({ state: { text: written, by, scores, seed } }) {
    const given = { ...defaults, text: written, by, scores, seed };
    const typed = textOf(given);
    const size = typed.labels.length;
    const answered = (mask: Partial<MaskState>) =>
      ['mask', size < 4 ? null : askOf({ ...given, ...mask }, typed)] as const;
    const empty = exampleOf('empty', size);
    return [
      answered(causal),
      answered(zeros),
      answered(empty),
      answered({ ...empty, hide: 'large' }),
      answered(windowed),
    ];
  },
  found({ model, state, turn }, plain, zeroed, empty, large, near) {
    if (!plain || !zeroed || !empty || !large || !near) return null;
    const words = text.ask;
    const { labels } = textOf(state);
    const size = labels.length;
    const [name] = labels;
    const example = exampleOf('empty', size);
    const firstOf = ({ values }: typeof plain) => rowOf(matrixOf(values, 'weights'), 0);
    switch (turn % 4) {
      case 0: {
        const [one, other] = [plain, zeroed].map(({ values }) => matrixOf(values, 'weights'));
        const kept = labels.filter((_, row) => sameBits(one, other, row));
        const leak = (row: number) => inText(zeroed.values.leaks.data[row]);
        const known = { name: listed(kept), leak: leak(0) };
        const options = [0, Math.floor(size / 2), size - 1]
          .filter((row, i, rows) => rows.findIndex((one) => labels[one] === labels[row]) === i)
          .map((row) => ({
            ...{ id: `row ${row}`, name: labels[row] },
            says: kept.includes(labels[row])
              ? words.zeroSays.kept(known)
              : words.zeroSays.lost({ ...known, guess: labels[row], own: leak(row) }),
          }));
        return {
          question: words.zero,
          options: [
            ...options,
            ...guesses(['all', 'nobody'], words, (id) => words.zeroSays[id](known)),
          ],
          right: options.filter((one) => kept.includes(one.name)).map(({ id }) => id),
          see: () => model.change({ ...zeros, pin: { matrix: 'weights', row: 0, col: 1 } }),
        };
      }
      case 1: {
        const weights = firstOf(empty);
        const first = `${weights.slice(0, 4).map(inText).join(', ')}, …`;
        return {
          question: words.empty({ name }),
          options: guesses(['zeros', 'even', 'nan'], words.choices, (id) =>
            words.emptySays[id]({ first }),
          ),
          right: weights.every((weight) => weight === 0) ? ['zeros'] : [],
          see: () => model.change(example),
        };
      }
      case 2: {
        const [weight, ...others] = firstOf(large).map(inText);
        const isEven = weight !== '0' && others.every((other) => other === weight);
        return {
          question: words.large({ name }),
          options: guesses(['zeros', 'even', 'nan'], words.choices, (id) =>
            words.largeSays[id]({ weight, count: size }),
          ),
          right: isEven ? ['even'] : [],
          see: () => model.change({ ...example, hide: 'large' }),
        };
      }
      default: {
        const row = size - 1 - (Math.floor(turn / 4) % (size - 1));
        const seen = rowOf(matrixOf(near.values, 'M'), row).filter((hides) => hides === 0).length;
        const { left } = windowed;
        const said = { seen, left, past: row + 1, all: size };
        return {
          question: words.count({ name: labels[row], left }),
          options: numbers(['seen', 'left', 'past', 'all'], said, (id) =>
            words.countSays[id](said),
          ),
          right: ['seen'],
          see: () => model.change({ ...windowed, pin: { matrix: 'weights', row, col: 0 } }),
        };
      }
    }
  },
});

const hiding: readonly {
  readonly rules: readonly RuleId[];
  readonly hide: Exclude<HideId, 'large'>;
}[] = [causal, { ...causal, hide: 'after' }, zeros, { ...causal, rules: [] }];
const futureIn = (state: MaskState) => {
  const typed = textOf(state);
  return { typed, cut: Math.min(state.cut, typed.labels.length - 1) };
};

/** The number of past outputs that the future changes, for one mask after the other. */
export const future = question({
  card: 'mask/future',
  cases: hiding,
  asks({ state, given }) {
    const { typed, cut } = futureIn(state);
    return [['future', futureOf({ ...state, ...given, drawn: null }, typed, cut, 'other')]];
  },
  found({ model, state, given }, now) {
    if (!now) return null;
    const words = text.future;
    const { typed, cut } = futureIn(state);
    const [one, two] = ['before', 'after'].map((node) => matrixOf(now.values, node));
    const rows = Array.from({ length: cut }, (_, row) => row);
    const changed = rows.filter((row) => !sameBits(one, two, row)).length;
    const right = changed === 0 ? 'none' : changed === cut ? 'every' : 'some';
    const why = words.reasons[given.rules.length === 0 ? 'free' : given.hide];
    const said = { changed, rows: cut, why };
    return {
      question: words.question({
        rules: rulesInWords(given),
        hide: text.hide.names[given.hide],
        name: typed.labels[cut],
      }),
      options: guesses(['none', 'some', 'every'], words, (id) =>
        words.says[id === right ? 'right' : id](said),
      ),
      right: [right],
      see: () => model.change({ ...given, garbage: 'other', overwritten: true }),
    };
  },
});

/** The savings of a causal mask. */
export const blocks = question({
  ...{ card: 'mask/blocks', veil: 'blocks' },
  cases: [1, 2, 3, 0],
  asks: ({ given: size }) => [['blocks', { pattern: 'causal', tokens: blockLengths[size] }]],
  found({ model, given: size }, { visited, skipped }) {
    const words = text.blocks;
    const said = { skipped, blocks: visited.data.length };
    const share = Math.sign(2 * skipped - said.blocks);
    const right = skipped === 0 ? 'none' : (['less', 'half', 'more'] as const)[share + 1];
    return {
      question: words.question({ tokens: blockLengths[size] }),
      options: guesses(['none', 'less', 'half', 'more'], words.options, (id) =>
        words.says[id](said),
      ),
      right: [right],
      see: () => model.change({ pattern: 'causal', size }),
    };
  },
});
