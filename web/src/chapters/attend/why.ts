// Why a cell has its value: the equation with its numbers, the cells they come from, and a sentence. The
// factors are read from the trace, and so is the result; nothing is computed here.
import { at, type MatrixId } from '../../compute/protocol';
import { inText } from '../../figures/format';
import type { Mark } from '../../figures/pointing.svelte';
import { factor, largestOf, plus, type Part, type Why } from '../../figures/why';
import figureText from '$texts/figures.yaml';
import type { Cell } from '../../state/attend';
import { digitsOf, periods, type WeightId } from '../../compute/handmade/attend-heads';
import type { Scene } from './scene';
import text from '$texts/attend.yaml';

export interface AttendWhy extends Why {
  readonly sources: readonly Mark[];
  /** Whose entry the visitor may change here. */
  readonly editable: 'weight' | 'number' | null;
}

/** As many powers of a row as are written out. */
const longRow = 6;

const row = (matrix: MatrixId, index: number, last: number): Mark => ({
  matrix,
  rows: [index, index],
  cols: [0, last],
});
const spot = (matrix: MatrixId, r: number, c: number): Mark => ({
  matrix,
  rows: [r, r],
  cols: [c, c],
});

function explainInput(scene: Scene, { row: r, col: c }: Cell): Partial<AttendWhy> {
  const [, content, place] = scene.groups;
  if (c === 0) return { note: text.why.one };
  const inside = c < place.from ? c - content.from : c - place.from;
  const axis = inside % 2 === 0 ? 'sideways' : 'upright';
  const hand = Math.floor(inside / 2);
  if (c >= place.from) return { note: text.why.where[axis]({ place: r, period: periods[hand] }) };
  if (!scene.tokens) return { note: text.why.given, editable: 'number' };
  const id = scene.tokens.ids[r];
  const digits = digitsOf(id);
  const token = scene.tokens.tokens[r];
  return { note: text.why.who[axis]({ token, id, digits: digits.join(''), digit: digits[hand] }) };
}

/** One cell of matrix times transposed matrix: two rows meet. */
function explainRows(
  scene: Scene,
  a: MatrixId,
  b: MatrixId,
  { row: r, col: c }: Cell,
): Partial<AttendWhy> {
  const { drawn } = scene;
  const [left, right] = [drawn[a].matrix, drawn[b].matrix];
  const terms = Array.from({ length: left.cols }, (_, i) => ({
    a: at(left, r, i),
    b: at(right, c, i),
  }));
  return {
    parts: largestOf(terms, drawn[a].role, drawn[b].role),
    sources: [row(a, r, left.cols - 1), row(b, c, right.cols - 1)],
  };
}

function explainSoftmax(scene: Scene, { row: r, col: c }: Cell): Partial<AttendWhy> {
  const masked = scene.drawn.masked;
  const seen = Array.from({ length: masked.matrix.cols }, (_, col) => col).filter(
    (col) => !masked.hidden(r, col),
  );
  const sources = [row('masked', r, masked.matrix.cols - 1)];
  if (Number.isNaN(at(scene.drawn.weights.matrix, r, c))) {
    return { note: text.why.weightNaN, sources };
  }
  if (masked.hidden(r, c)) return { note: text.why.weightHidden, sources };
  const score = (col: number) => at(masked.matrix, r, col);
  const largest = Math.max(...seen.map(score));
  const power = (col: number): Part[] => [
    { text: 'e' },
    { text: `${inText(score(col))} − ${factor(largest, '').text}`, role: 'score', raised: true },
  ];
  const bySize = [...seen].sort((a, b) => score(b) - score(a)).slice(0, longRow);
  const shown = seen.filter((col) => bySize.includes(col));
  const below = shown.flatMap((col, i) => (i > 0 ? [plus, ...power(col)] : power(col)));
  const more = seen.length - shown.length;
  if (more > 0) below.push({ text: ` ${figureText.why.smaller({ n: more })}`, quiet: true });
  return {
    parts: [...power(c), { text: ' / ( ' }, ...below, { text: ' )' }],
    sources,
    note: text.why.weights,
  };
}

function explainOutput(scene: Scene, { row: r, col: c }: Cell): Partial<AttendWhy> {
  const [weights, v] = [scene.drawn.weights.matrix, scene.drawn.v.matrix];
  const terms = Array.from({ length: weights.cols }, (_, i) => ({
    a: at(weights, r, i),
    b: at(v, i, c),
  }));
  return {
    parts: largestOf(terms, 'weight', 'v'),
    sources: [
      row('weights', r, weights.cols - 1),
      { matrix: 'v', rows: [0, v.rows - 1], cols: [c, c] },
    ],
    note: text.why.output,
  };
}

function explainCell(scene: Scene, cell: Cell): Partial<AttendWhy> {
  const { row: r, col: c } = cell;
  const { why } = text;
  switch (cell.matrix) {
    case 'x':
      return explainInput(scene, cell);
    case 'wq':
    case 'wk':
    case 'wv':
      return { note: why.weight, editable: 'weight' };
    case 'q':
    case 'k':
    case 'v':
      return {
        ...explainRows(scene, 'x', `w${cell.matrix}` as WeightId, cell),
        note: why[cell.matrix],
      };
    case 'scores':
      return { ...explainRows(scene, 'q', 'k', cell), note: why.scores };
    case 'scaled': {
      const parts: Part[] = [
        factor(at(scene.drawn.scores.matrix, r, c), 'score'),
        { text: ` / √${scene.headWidth}` },
      ];
      return { parts, sources: [spot('scores', r, c)], note: why.scaled({ d: scene.headWidth }) };
    }
    case 'masked': {
      const hidden = scene.drawn.masked.hidden(r, c);
      const parts: Part[] = [
        factor(at(scene.drawn.scaled.matrix, r, c), 'score'),
        { text: hidden ? ' + (−∞)' : ' + 0' },
      ];
      const note = hidden ? why.maskedHidden : why.maskedOpen;
      return { parts, sources: [spot('scaled', r, c)], note };
    }
    case 'weights':
      return explainSoftmax(scene, cell);
    case 'output':
      return explainOutput(scene, cell);
  }
}

/** Null for a cell outside of its matrix. */
export function explain(scene: Scene, cell: Cell): AttendWhy | null {
  const drawn = scene.drawn[cell.matrix];
  if (cell.row >= drawn.matrix.rows || cell.col >= drawn.matrix.cols) return null;
  return {
    drawn,
    row: cell.row,
    col: cell.col,
    parts: [],
    value: at(drawn.matrix, cell.row, cell.col),
    note: '',
    sources: [],
    editable: null,
    ...explainCell(scene, cell),
  };
}
