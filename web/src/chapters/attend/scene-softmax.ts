// The figures about softmax and the scale: matrices that can be drawn, and why each number is what it is.
import type { SaturationResult, SoftmaxLessons } from '../../compute/worker/lessons/softmax';
import { at, rowOf, type MatrixData } from '../../compute/page/protocol';
import { inText } from '../../figures/format';
import { numbered } from '../../figures/matrix';
import { drawnOf, power, shareParts, word, type Look } from '../../figures/scene';
import { foundAt, plus, type Part, type Why } from '../../figures/why';
import type { SoftmaxCell } from '../../state/attend';
import text from '$texts/attend.yaml';

type Ways = SoftmaxLessons['softmaxWays']['answer'];
type Id = SoftmaxCell['matrix'];

const lookOf = (id: Id, matrix: MatrixData, look: Pick<Look, 'role' | 'symbol'> & Partial<Look>) =>
  drawnOf(id, matrix, {
    ...look,
    ...numbered(matrix, text.axes.query, text.axes.key),
    titled: matrix.rows > 1,
  });

export function waysDrawn({ scores, naive, stable }: Ways) {
  const { symbols } = text.stable;
  const weights = { symbol: word(symbols.weights), role: 'weight', kind: 'weights' } as const;
  const powers = { symbol: word(symbols.powers), role: 'x' } as const;
  return {
    row: lookOf('row', scores, { symbol: word(symbols.scores), role: 'score', editable: true }),
    naivePowers: lookOf('naivePowers', naive.powers, powers),
    naive: lookOf('naive', naive.weights, weights),
    stablePowers: lookOf('stablePowers', stable.powers, powers),
    stable: lookOf('stable', stable.weights, weights),
  };
}

export function whyWay(
  ways: Ways,
  drawn: ReturnType<typeof waysDrawn>,
  cell: SoftmaxCell,
): Why | null {
  const { why } = text.stable;
  const id = cell.matrix as keyof typeof drawn;
  const base = foundAt(drawn[id], cell);
  if (!base) return null;
  if (id === 'row') return { ...base, parts: [], note: why.score };
  const way = id === 'naive' || id === 'naivePowers' ? ways.naive : ways.stable;
  if (id === 'naivePowers' || id === 'stablePowers') {
    const score = at(ways.scores, 0, cell.col);
    const parts = power(score, id === 'naivePowers' ? undefined : way.shift);
    const note = Number.isFinite(base.value) ? why[id] : why.overflow;
    return { ...base, parts, note };
  }
  const terms = Array.from(way.powers.data, (power) => inText(power));
  const parts: Part[] = [
    { text: inText(at(way.powers, 0, cell.col)), role: 'x' },
    { text: ' / ( ' },
    ...terms.flatMap((term, i): Part[] => [...(i > 0 ? [plus] : []), { text: term, role: 'x' }]),
    { text: ' )' },
  ];
  const note = !Number.isNaN(base.value) ? why.share : way.sum === 0 ? why.nothing : why.notANumber;
  return { ...base, parts, note };
}

export function saturationDrawn({ plainWeights, scaledWeights }: SaturationResult) {
  const { symbols } = text.scale;
  const weights = { role: 'weight', kind: 'weights' } as const;
  return {
    plainWeights: lookOf('plainWeights', plainWeights, { ...weights, symbol: word(symbols.plain) }),
    scaledWeights: lookOf('scaledWeights', scaledWeights, {
      ...{ ...weights, symbol: word(symbols.scaled) },
    }),
  };
}

/** The row's scores as exponents, the largest of them taken off. */
export function whySaturated(
  { scores, scaled }: SaturationResult,
  drawn: ReturnType<typeof saturationDrawn>,
  { matrix, row, col }: SoftmaxCell,
): Why | null {
  const id = matrix as keyof typeof drawn;
  const base = foundAt(drawn[id], { row, col });
  if (!base) return null;
  const given = id === 'plainWeights' ? scores : scaled;
  const values = rowOf(given, row);
  const parts = shareParts(values[col], values, { off: Math.max(...values) });
  const note = text.scale.why[id];
  return { ...base, parts, note };
}
