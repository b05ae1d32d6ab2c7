// The questions of the chapter, answered by the core for the current text and block.
import { askOf, tokensOf } from '../../entered/block';
import { inText } from '../../figures/format';
import { guesses } from '../../figures/guess';
import { questionsOf } from '../../shell/question';
import type { BlockState } from '../../state/block';
import { withEntry } from '../../state/fields';
import { blocks } from './depth';
import { orderOf } from './moves';
import text from '$texts/block.yaml';

const question = questionsOf<BlockState>();

/** The part that matters more of two: each is switched off. */
export const block = question({
  card: 'block/block',
  cases: [
    ['attention', 'residual2'],
    ['feedForward', 'residual1'],
    ['norm1', 'attention'],
  ] as const,
  asks({ state, given }) {
    const ask = askOf(state);
    /** The comparison is with the complete block, so positions are on. */
    const positions = ask.positions === 'none' ? 'sinusoidal' : ask.positions;
    return [
      ['block', { ...ask, positions, off: [given[0]] }],
      ['block', { ...ask, positions, off: [given[1]] }],
    ];
  },
  found({ model, given }, ...answers) {
    const words = text.question;
    const lines = answers.map(({ effect }, i) => ({ id: given[i], size: effect.size }));
    const [more, less] = [...lines].sort((one, other) => other.size - one.size);
    const said = {
      ...{ more: text.parts[more.id], moreSize: inText(more.size) },
      ...{ less: text.parts[less.id], lessSize: inText(less.size) },
    };
    return {
      question: words.part,
      options: guesses(given, text.parts, (id) =>
        id === more.id ? words.right(said) : words.wrong(said),
      ),
      right: [more.id],
      see: () => model.change({ off: [more.id] }),
    };
  },
});

const changedRow = ({ state, turn }: { state: BlockState; turn: number }) =>
  (1 + turn) % state.given.rows;

/** The numbers that depend on a changed one: counted before and after. */
export const norm = question({
  ...{ card: 'block/norm', once: true },
  asks(moment) {
    const { given } = moment.state;
    return [
      ['perToken', { given }],
      ['perToken', { given: withEntry(given, changedRow(moment), 0, -90) }],
    ];
  },
  found(moment, { normed }, { normed: after }) {
    const words = text.norm;
    const row = changedRow(moment);
    const changed = [...normed.data.keys()].filter((i) => normed.data[i] !== after.data[i]);
    const inRow = changed.every((i) => Math.floor(i / normed.cols) === row);
    const names = { ...words.choices, row: words.choices.row({ row: row + 1 }) };
    return {
      question: words.question({ row: row + 1 }),
      options: guesses(['one', 'row', 'col', 'all'], names, (id) =>
        words.says[id]({ changed: changed.length, row: row + 1 }),
      ),
      right: [changed.length > 1 && inRow ? 'row' : 'all'],
      see: () => moment.model.look({ normPin: { matrix: 'normed', row, col: 0 } }),
    };
  },
});

/** Whether the outputs have the same rows, permuted, or others. */
export const shuffle = question({
  ...{ card: 'block/shuffle', veil: 'shuffle' },
  cases: [
    { positions: 'none', mask: 'none' },
    { positions: 'sinusoidal', mask: 'none' },
    { positions: 'none', mask: 'causal' },
    { positions: 'rotary', mask: 'none' },
  ] as const,
  asks({ state, given }) {
    const order = orderOf('reverse', tokensOf(state.text).length);
    return [['shuffle', { ...askOf({ ...state, ...given }), edits: [], off: [], order }]];
  },
  found({ model, given }, { largest }) {
    const words = text.shuffle;
    const right = largest < 1e-5 ? 'same' : 'other';
    const why = words.why[given.mask === 'causal' ? 'causal' : 'positions'];
    const said = { distance: inText(largest), why };
    return {
      question: words.question({
        positions: words.positions[given.positions],
        mask: words.masks[given.mask],
      }),
      options: guesses(['same', 'other'], words.choices, (id) => words[right][id](said)),
      right: [right],
      see: () => model.change({ ...given, order: 'reverse' }),
    };
  },
});

/** The size of the numbers without norms, read from the stack. */
export const depth = question({
  ...{ card: 'block/depth', veil: 'depth', once: true },
  asks: ({ state, turn }) => [['depth', { seed: state.seed + turn, blocks }]],
  found({ model }, { lines }) {
    const words = text.depth;
    const { size } = lines.find(({ id }) => id === 'noNorms')!;
    const [from, to] = [size[0], size.at(-1)!];
    const right = to > 10 * from ? 'grow' : from > 10 * to ? 'vanish' : 'stay';
    const said = { from: inText(from), to: inText(to) };
    return {
      question: words.question,
      options: guesses(['grow', 'stay', 'vanish'], words.choices, (id) =>
        words.says[id === right ? 'right' : id](said),
      ),
      right: [right],
      see: () => model.look({ measure: 'size' }),
    };
  },
});
