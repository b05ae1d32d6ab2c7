// From the core's answers to matrices that can be drawn, and what is said of each number.
import type { AdditiveAnswer, TowersAnswer, TowersAsk } from '../../compute/worker/lessons/towers';
import type { NodeValues } from '../../compute/worker/lessons/graph';
import { at, rowOf, type MatrixData } from '../../compute/page/protocol';
import { matrixOf, type Found, type Showing, type Shown } from '../../figures/graph-values';
import type { Place } from '../../figures/grid';
import { inText } from '../../figures/format';
import { numerals } from '../../figures/matrix';
import { letter, word, wordAxis, type Look } from '../../figures/scene';
import { factor, plus, type Part } from '../../figures/why';
import type { TowersId } from '../../state/towers';
import type { Texts } from '../../entered/towers';
import figureText from '$texts/figures.yaml';
import text from '$texts/towers.yaml';

export interface Scene {
  readonly ask: TowersAsk;
  readonly answer: TowersAnswer;
  readonly texts: Texts;
}

const { axes, symbols, why } = text;

/** The axes of each attention: the words that look, and the words that are looked at. */
const pairsOf = ({ source, inputs }: Texts) => {
  const asking = wordAxis(inputs, axes.targetQuery);
  const asked = wordAxis(source, axes.sourceKey);
  return {
    source: { rows: wordAxis(source, axes.sourceQuery), cols: asked },
    target: { rows: asking, cols: wordAxis(inputs, axes.targetKey) },
    memory: { rows: asking, cols: asked },
  };
};

type Words = Pick<Look, 'rows' | 'cols' | 'symbol'>;
type All = Partial<Record<TowersId, Shown>>;

/** Tells the cells in which a mask has hidden a score, and so its weight. */
const hiddenIn = (scores: MatrixData) => (row: number, col: number) =>
  at(scores, row, col) === -Infinity;

function scoresIn({ values }: Found, note: string, words: Words): Shown {
  const hidden = hiddenIn(matrixOf(values, 'scores'));
  return {
    ...{ node: 'scores', look: { ...words, role: 'score', hidden } },
    note: ({ row, col }) => (hidden(row, col) ? why.unseenScore : note),
  };
}

function weightsIn({ values }: Found, words: Words): Shown {
  const scores = matrixOf(values, 'scores');
  const isBlind = ({ row }: Place) => rowOf(scores, row).every((score) => score === -Infinity);
  return {
    node: 'weights',
    look: { ...words, role: 'weight', kind: 'weights', hidden: hiddenIn(scores) },
    ...{ note: (cell) => (isBlind(cell) ? why.blind : why.softmax), brief: true },
    say: (cell) => (isBlind(cell) ? [] : null),
  };
}

/** The mask and the weights of each attention. */
export function mapsOf({ answer, texts }: Scene): readonly Showing<TowersId>[] {
  const pairs = pairsOf(texts);
  return (['source', 'target', 'memory'] as const).map((id) => {
    const found = answer[id];
    const [mask, weights] = [`${id}Mask`, `${id}Weights`] as const;
    const M = matrixOf(found.values, 'M');
    const hidden = hiddenIn(M);
    const shown: All = {
      [mask]: {
        node: 'M',
        look: { ...pairs[id], role: 'weight', symbol: letter('M'), hidden },
        note: ({ row, col }: Place) => (hidden(row, col) ? why.unseen : why.seen),
      },
      [weights]: {
        ...weightsIn(found, { ...pairs[id], symbol: word(symbols[weights]) }),
        also: ({ row }: Place) => [{ matrix: mask, rows: [row, row], cols: [0, M.cols - 1] }],
      },
    };
    return { ...found, shown };
  });
}

/** The matrices of cross-attention, from queries, keys and values on. */
export function crossOf({ ask, answer, texts }: Scene): Showing<TowersId> {
  const found = answer.memory;
  const { memory } = pairsOf(texts);
  const { vocabulary } = texts;
  const words = wordAxis(vocabulary, axes.word, vocabulary);
  const d = found.values.Q.shape[1];
  const finds = ask.mode === 'place' || ask.mode === 'reverse' ? numerals(d, axes.entry) : words;
  const [{ rows }, asked] = [memory, { rows: memory.cols }];
  const shown: All = {
    q: { node: 'Q', look: { rows, cols: finds, role: 'q', symbol: letter('Q') }, note: why.q },
    k: { node: 'K', look: { ...asked, cols: finds, role: 'k', symbol: letter('K') }, note: why.k },
    v: { node: 'V', look: { ...asked, cols: words, role: 'v', symbol: letter('V') }, note: why.v },
    scores: scoresIn(found, why.scores({ d }), { ...memory, symbol: letter('S + M') }),
    weights: weightsIn(found, { ...memory, symbol: letter('A') }),
    heads: {
      look: { rows, cols: words, role: 'v', symbol: letter(symbols.heads) },
      note: why.heads,
    },
  };
  return { ...found, shown };
}

/** The equation v . tanh(a + b), unit by unit; only the first units are written. */
function unitsOf(values: NodeValues, row: number, col: number): Part[] {
  const longest = 4;
  const [queries, keys, v] = ['queries', 'keys', 'v'].map((node) => matrixOf(values, node));
  const parts = rowOf(v, 0)
    .slice(0, longest)
    .flatMap((value, unit): Part[] => [
      ...(unit > 0 ? [plus] : []),
      { text: `${inText(value)}·tanh(` },
      factor(at(queries, row, unit), 'q'),
      plus,
      factor(at(keys, col, unit), 'k'),
      { text: ')' },
    ]);
  return [...parts, { text: ` ${figureText.why.more({ n: v.cols - longest })}`, quiet: true }];
}

/** The same queries and keys, compared by the dot product and by a network. */
export function comparedOf(
  { dot, additive }: AdditiveAnswer,
  texts: Texts,
): readonly Showing<TowersId>[] {
  const { memory } = pairsOf(texts);
  const scores = { ...memory, symbol: word(text.additive.scores) };
  const weights = { ...memory, symbol: word(text.additive.weights) };
  const products = scoresIn(dot, why.scores({ d: dot.values.Q.shape[1] }), scores);
  const units = scoresIn(additive, why.additive, scores);
  const say = ({ row, col }: Place) =>
    units.look.hidden!(row, col) ? [] : unitsOf(additive.values, row, col);
  return [
    {
      ...{ ...dot, roles: { Q: 'q', K: 'k' } },
      shown: { dot: products, dotWeights: weightsIn(dot, weights) },
    },
    {
      ...additive,
      shown: { additive: { ...units, say }, additiveWeights: weightsIn(additive, weights) },
    },
  ];
}
