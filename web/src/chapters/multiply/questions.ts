// The questions of the chapter, answered by the core: its products, its count of misses, its times.
import type { TracedMethod } from 'tril/lessons';
import type { Runner } from '../../compute/shared/measure-protocol';
import type { MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { guesses, numbers } from '../../figures/guess';
import { count, duration } from '../../figures/local';
import { questionsOf } from '../../shell/question';
import type { MultiplyState } from '../../state/multiply';
import { shape } from './memory';
import text from '$texts/multiply.yaml';

const question = questionsOf<MultiplyState>();

/** Alternates between a row of A and a column of B. */
function changedIn({ state, turn }: { state: MultiplyState; turn: number }) {
  const factor = turn % 2 === 0 ? ('a' as const) : ('b' as const);
  const { rows, cols } = state[factor];
  return { factor, row: (turn + 1) % rows, col: (turn + 1) % cols };
}

/** The elements that a row of A or a column of B influences: the core multiplies before and after a change. */
export const readings = question({
  card: 'multiply/readings',
  asks(moment) {
    const { a, b } = moment.state;
    const { factor, row, col } = changedIn(moment);
    /** The matrix with 1 added everywhere in that row of A, or that column of B. */
    const moved = ({ rows, cols, data }: MatrixData): MatrixData => ({
      ...{ rows, cols },
      data: data.map((value, i) =>
        (factor === 'a' ? Math.floor(i / cols) === row : i % cols === col) ? value + 1 : value,
      ),
    });
    const after = factor === 'a' ? { a: moved(a), b } : { a, b: moved(b) };
    return [
      ['reading', { a, b, reading: 'dots' }],
      ['reading', { ...after, reading: 'dots' }],
    ];
  },
  found(moment, { output: before }, { output: after }) {
    const words = text.readings;
    const { factor, row, col } = changedIn(moment);
    const changed = Array.from(before.data, (value, i) => ({
      row: Math.floor(i / before.cols),
      col: i % before.cols,
      same: value === after.data[i],
    })).filter(({ same }) => !same);
    if (changed.length === 0) return null;
    const rows = new Set(changed.map((place) => place.row)).size;
    const cols = new Set(changed.map((place) => place.col)).size;
    const line = rows === 1 ? 'row' : cols === 1 ? 'col' : 'all';
    const said = { count: changed.length, i: row + 1, j: col + 1 };
    return {
      question: words.question[factor](said),
      options: guesses(['one', 'row', 'col', 'all'], words.choices, (id) =>
        words.says[factor][id](said),
      ),
      right: [rows === 1 && cols === 1 ? 'one' : line],
      see: () =>
        moment.model.look({ pin: { matrix: 'c', row: changed[0].row, col: changed[0].col } }),
    };
  },
});

const pairs: readonly (readonly [TracedMethod, TracedMethod])[] = [
  ['ijk', 'ikj'],
  ['ikj', 'kij'],
  ['ijk', 'jik'],
  ['jki', 'ijk'],
  ['blocked', 'ikj'],
  ['kij', 'kji'],
];

/** The order that misses more of two. */
export const memory = question({
  ...{ card: 'multiply/memory', veil: 'memory' },
  cases: pairs,
  asks: ({ given: orders }) => [['totals', { orders, shape }]],
  found({ model, given }, totals) {
    const words = text.memory;
    const [one, other] = given.map((order) => words.orders[order]);
    const [a, b] = totals.map(({ misses }) => misses);
    const said = { one, a: count(a), other, b: count(b) };
    const more = a > b ? given[0] : given[1];
    const why = words.walks[more];
    function says(id: TracedMethod | 'alike'): string {
      if (a === b) return id === 'alike' ? words.alikeSays(said) : words.notMore(said);
      const which = id === more ? 'right' : id === 'alike' ? 'alike' : 'less';
      return words.says[which]({ ...said, why });
    }
    return {
      question: words.question({ one, other }),
      options: guesses([...given, 'alike'], { ...words.orders, alike: words.alike }, says),
      right: [a === b ? 'alike' : more],
      see: () => model.change({ order: given[0], access: 0 }),
    };
  },
});

/** The number of products if each of the seven is again divided into seven instead of eight. */
export const strassen = question({
  card: 'multiply/strassen',
  asks: ({ state }) => [['strassen', { a: state.strassenA, b: state.strassenB }]],
  found({ turn }, { signs }) {
    const words = text.strassen;
    /** Number of products of one level, from the core. */
    const products = signs.length;
    const levels = 2 + (turn % 3);
    const plain = 8 ** levels;
    // Options: added instead of multiplied, right, eight from the second level on, one less in total.
    const said = {
      added: products * levels,
      count: products ** levels,
      once: products * 8 ** (levels - 1),
      single: plain - 1,
    };
    const powers = Array.from({ length: levels }, () => products).join(' · ');
    return {
      question: words.question({ levels, plain }),
      options: numbers(['added', 'count', 'once', 'single'], said, (id) =>
        words.says[id]({ ...said, powers }),
      ),
      right: ['count'],
    };
  },
});

/** Pairs in which the first is usually the slower one. */
const racing: readonly (readonly [Runner, Runner])[] = [
  ['ijk', 'tiled'],
  ['jki', 'ikj'],
  ['javascript', 'tiled'],
  ['ijk', 'ikj'],
];

/** The effect of the loop order on this machine: raced when the visitor has made a guess. */
export const measured = question({
  waiting: text.measured.racing,
  cases: racing,
  asks: ({ given, guessed }) => [['race', guessed ? { runners: given, n: 256 } : null]],
  found({ given }, race) {
    const words = text.measured;
    const [slow, fast] = given.map((runner) => words.runners[runner]);
    /** Index of the right option, by its limits of the ratio. */
    const right = race && [1.5, 5, 20].filter((limit) => race.ratio >= limit).length;
    function says(id: number): string {
      if (!race || right === null) return '';
      const [a, b] = race.times.map(({ milliseconds }) => duration(milliseconds));
      const times = race.times.every(({ steady }) => steady) ? 'steady' : 'rough';
      const way = id === right ? 'right' : id < right ? 'more' : 'less';
      return words.says[way]({ slow, a, fast, b, ratio: inText(race.ratio), times });
    }
    return {
      question: words.question({ slow, fast, n: 256 }),
      options: words.ratios.map((name, id) => ({ id: String(id), name, says: says(id) })),
      right: right === null ? null : [String(right)],
    };
  },
});
