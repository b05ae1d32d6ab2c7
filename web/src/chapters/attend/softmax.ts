// The figures about softmax and the scale: matrices that can be drawn, and why each number is what it is.
import type { SaturationResult, SoftmaxLessons } from '../../compute/lessons/softmax';
import { at, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { plain, numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import { factor, plus, type Part, type Why } from '../../figures/why';
import type { SoftmaxCell } from '../../state/attend';
import text from '$texts/attend.yaml';

type Ways = SoftmaxLessons['softmaxWays']['answer'];
type Id = SoftmaxCell['matrix'];
export type DrawnOnes<Ids extends Id> = Readonly<Record<Ids, Drawn>>;

interface Options {
  readonly id: Id;
  readonly name: string;
  readonly role: Drawn['role'];
  readonly matrix: MatrixData;
  readonly kind?: Drawn['kind'];
  readonly editable?: boolean;
}

function drawnOf({ id, name, role, matrix, kind = 'signed', editable = false }: Options): Drawn {
  const { query, key } = text.axes;
  return {
    ...plain,
    ...{ id, role, matrix, kind, editable },
    symbol: { base: name, letter: false },
    rows: numerals(matrix.rows, query),
    cols: numerals(matrix.cols, key),
    titled: matrix.rows > 1,
    end: kind === 'weights' ? 1 : scaleEnd(matrix.data),
  };
}

export function waysDrawn({ scores, naive, stable }: Ways) {
  const { symbols } = text.stable;
  const weights = { name: symbols.weights, role: 'weight', kind: 'weights' } as const;
  const powers = { role: 'x', name: symbols.powers } as const;
  return {
    row: drawnOf({
      id: 'row',
      name: symbols.scores,
      role: 'score',
      matrix: scores,
      editable: true,
    }),
    naivePowers: drawnOf({ ...powers, id: 'naivePowers', matrix: naive.powers }),
    naive: drawnOf({ ...weights, id: 'naive', matrix: naive.weights }),
    stablePowers: drawnOf({ ...powers, id: 'stablePowers', matrix: stable.powers }),
    stable: drawnOf({ ...weights, id: 'stable', matrix: stable.weights }),
  };
}

export function whyWay(
  ways: Ways,
  drawn: ReturnType<typeof waysDrawn>,
  cell: SoftmaxCell,
): Why | null {
  const { why } = text.stable;
  const id = cell.matrix as keyof typeof drawn;
  const one = drawn[id];
  if (!one || cell.row > 0 || cell.col >= one.matrix.cols) return null;
  const base = { drawn: one, row: 0, col: cell.col, value: at(one.matrix, 0, cell.col) };
  if (id === 'row') return { ...base, parts: [], note: why.score };
  const way = id === 'naive' || id === 'naivePowers' ? ways.naive : ways.stable;
  if (id === 'naivePowers' || id === 'stablePowers') {
    const score = inText(at(ways.scores, 0, cell.col));
    const shift = id === 'naivePowers' ? '' : ` − ${factor(way.shift, '').text}`;
    const parts: Part[] = [
      { text: 'e' },
      { text: `${score}${shift}`, role: 'score', raised: true },
    ];
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
    plainWeights: drawnOf({
      ...weights,
      id: 'plainWeights',
      name: symbols.plain,
      matrix: plainWeights,
    }),
    scaledWeights: drawnOf({
      ...weights,
      id: 'scaledWeights',
      name: symbols.scaled,
      matrix: scaledWeights,
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
  const one = drawn[id];
  if (!one || row >= one.matrix.rows || col >= one.matrix.cols) return null;
  const given = id === 'plainWeights' ? scores : scaled;
  const values = Array.from({ length: given.cols }, (_, key) => at(given, row, key));
  const largest = factor(Math.max(...values), '').text;
  const power = (value: number): Part[] => [
    { text: 'e' },
    { text: `${inText(value)} − ${largest}`, role: 'score', raised: true },
  ];
  const parts = [
    ...power(values[col]),
    { text: ' / ( ' },
    ...values.flatMap((value, i) => (i > 0 ? [plus, ...power(value)] : power(value))),
    { text: ' )' },
  ];
  const note = text.scale.why[id];
  return { drawn: one, row, col, value: at(one.matrix, row, col), parts, note };
}
