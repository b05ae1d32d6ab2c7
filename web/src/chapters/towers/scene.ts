// From the core's answer to matrices that can be drawn, and why each number is what it is.
import type { AdditiveAnswer, TowersAnswer, TowersAsk } from '../../compute/worker/lessons/towers';
import { at, rowOf, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { numerals, type Drawn } from '../../figures/matrix';
import type { Mark } from '../../figures/pointing.svelte';
import {
  drawnOf as drawn,
  letter,
  markCol,
  markRow,
  rowByCol,
  rowByRow,
  softmaxParts,
  word,
  wordAxis,
  type Look,
} from '../../figures/scene';
import { factor, sumOf, whyAt, type Part, type Why } from '../../figures/why';
import type { TowersCell, TowersId } from '../../state/towers';
import { hiding, type Texts } from '../../entered/towers';
import figureText from '$texts/figures.yaml';
import text from '$texts/towers.yaml';

export interface Scene {
  readonly ask: TowersAsk;
  readonly answer: TowersAnswer;
  readonly texts: Texts;
  readonly drawn: Readonly<Partial<Record<TowersId, Drawn>>>;
}

const { axes } = text;

/** Where a mask has hidden a score, and so its weight. */
export function hiddenIn(scores: MatrixData): Drawn['hidden'] {
  return (row, col) => at(scores, row, col) === -Infinity;
}

export const drawnOf = (
  id: TowersId,
  matrix: MatrixData,
  look: Omit<Look, 'symbol'> & Partial<Look>,
): Drawn =>
  drawn(id, matrix, {
    symbol: word((text.symbols as Partial<Record<TowersId, string>>)[id] ?? id),
    hidden: hiddenIn(matrix),
    ...look,
  });

export function sceneOf(ask: TowersAsk, answer: TowersAnswer, texts: Texts): Scene {
  const source = {
    looks: wordAxis(texts.source, axes.sourceQuery),
    seen: wordAxis(texts.source, axes.sourceKey),
  };
  const target = {
    looks: wordAxis(texts.inputs, axes.targetQuery),
    seen: wordAxis(texts.inputs, axes.targetKey),
  };
  /** Columns of V and of what is made of it. */
  const words = wordAxis(texts.vocabulary, axes.word, texts.vocabulary);
  const { encoder, decoder, cross } = answer;
  const places = ask.mode === 'place' || ask.mode === 'reverse';
  const found = places ? numerals(cross.q.cols, axes.entry) : words;
  const all: Drawn[] = [];
  const put = (...given: Parameters<typeof drawnOf>) => all.push(drawnOf(...given));
  const pairs = [
    [
      'sourceMask',
      ask.masks.source,
      'sourceMasked',
      'sourceWeights',
      encoder,
      source.looks,
      source.seen,
    ],
    [
      'targetMask',
      ask.masks.target,
      'targetMasked',
      'targetWeights',
      decoder,
      target.looks,
      target.seen,
    ],
    ['memoryMask', ask.masks.memory, 'scores', 'memoryWeights', cross, target.looks, source.seen],
  ] as const;
  for (const [mask, given, scores, weights, maps, rows, cols] of pairs) {
    put(mask, hiding(given), { role: 'weight', rows, cols, symbol: letter('M') });
    put(scores, maps.masked, { role: 'score', rows, cols, symbol: letter('S + M') });
    const hidden = hiddenIn(maps.masked);
    put(weights, maps.weights, { role: 'weight', kind: 'weights', rows, cols, hidden });
  }
  put('q', cross.q, { role: 'q', rows: target.looks, cols: found, symbol: letter('Q') });
  put('k', cross.k, { role: 'k', rows: source.seen, cols: found, symbol: letter('K') });
  put('v', cross.v, { role: 'v', rows: source.seen, cols: words, symbol: letter('V') });
  put('weights', cross.weights, {
    ...{ role: 'weight', kind: 'weights', rows: target.looks, cols: source.seen },
    ...{ symbol: letter('A'), hidden: hiddenIn(cross.masked) },
  });
  put('heads', cross.heads, { role: 'v', rows: target.looks, cols: words, symbol: letter('A V') });
  return {
    ...{ ask, answer, texts },
    drawn: Object.fromEntries(all.map((each) => [each.id, each])),
  };
}

/** What weights are the softmax of. */
const scoresOf: Partial<Record<TowersId, TowersId>> = {
  sourceWeights: 'sourceMasked',
  targetWeights: 'targetMasked',
  memoryWeights: 'scores',
  weights: 'scores',
};

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: TowersCell): Mark[] {
  const line = (id: TowersId, at: number) => markRow(drawn[id], at);
  const masks = { sourceWeights: 'sourceMask', targetWeights: 'targetMask' } as const;
  switch (matrix) {
    case 'sourceWeights':
    case 'targetWeights':
      return line(masks[matrix], row);
    case 'memoryWeights':
      return line('memoryMask', row);
    case 'weights':
      return line('scores', row);
    case 'scores':
      return [...line('q', row), ...line('k', col)];
    case 'heads':
      return [...line('weights', row), ...markCol(drawn.v, col)];
    default:
      return [];
  }
}

function explain(scene: Scene, { matrix, row, col }: TowersCell): { parts: Part[]; note: string } {
  const { drawn } = scene;
  const { why } = text;
  const pointed = drawn[matrix]!;
  const scores = scoresOf[matrix];
  if (scores) {
    const { matrix: from } = drawn[scores]!;
    const blind = rowOf(from, row).every((score) => score === -Infinity);
    if (blind) return { parts: [], note: why.blind };
    return { parts: softmaxParts(from, row, col), note: why.softmax };
  }
  switch (matrix) {
    case 'scores': {
      if (pointed.hidden(row, col)) return { parts: [], note: why.unseenScore };
      const [q, k] = [drawn.q!.matrix, drawn.k!.matrix];
      const shown = rowByRow(q, row, k, col).filter(({ a, b }) => a !== 0 && b !== 0);
      return {
        parts: [{ text: '( ' }, ...sumOf(shown, 'q', 'k'), { text: ` ) / √${q.cols}` }],
        note: why.scores({ d: q.cols }),
      };
    }
    case 'heads': {
      const [weights, v] = [drawn.weights!.matrix, drawn.v!.matrix];
      return { parts: sumOf(rowByCol(weights, row, v, col), 'weight', 'v'), note: why.heads };
    }
    case 'q':
    case 'k':
    case 'v':
      return { parts: [], note: why[matrix] };
    default:
      return { parts: [], note: at(pointed.matrix, row, col) === 0 ? why.seen : why.unseen };
  }
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: TowersCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));

/** v . tanh(a + b), unit by unit, the first ones written. */
export function additiveParts(answer: AdditiveAnswer, row: number, col: number): Part[] {
  const longest = 4;
  const { queries, keys, v } = answer;
  const parts = v
    .slice(0, longest)
    .flatMap((value, unit): Part[] => [
      ...(unit > 0 ? [{ text: ' + ' }] : []),
      { text: `${inText(value)}·tanh(` },
      factor(at(queries, row, unit), 'q'),
      { text: ' + ' },
      factor(at(keys, col, unit), 'k'),
      { text: ')' },
    ]);
  return [...parts, { text: ` ${figureText.why.more({ n: v.length - longest })}`, quiet: true }];
}
