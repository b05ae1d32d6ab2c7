// Why a cell has its value: the equation with its numbers, the cells they come from, and a sentence. The
// factors are read from the trace, and so is the result; nothing is computed here.
import { at, type MatrixId } from '../../compute/protocol';
import { inText } from '../../figures/format';
import type { Mark } from '../../figures/pointing.svelte';
import type { Cell } from '../../state/attend';
import { digitsOf, periods, type WeightId } from '../../state/attend-heads';
import type { Scene } from './scene';
import { text } from './text';

/** A piece of an equation; `role` colours it, `raised` makes it an exponent. */
export interface Part {
  readonly text: string;
  readonly role?: string;
  readonly raised?: boolean;
  /** A line may break here. */
  readonly breaks?: boolean;
  readonly quiet?: boolean;
}

export interface Why {
  readonly cell: Cell;
  readonly rowName: string;
  readonly colName: string;
  /** Right of "=", before the result; empty where the value stands for itself. */
  readonly parts: readonly Part[];
  readonly value: number;
  readonly note: string;
  readonly sources: readonly Mark[];
  /** Whose entry the visitor may change here. */
  readonly editable: 'weight' | 'number' | null;
}

/** As many terms of a sum as are written out, and the share of the largest that is worth writing. */
const longSum = 8;
const smallShare = 5e-4;

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

const plus: Part = { text: ' + ', breaks: true };

interface Term {
  readonly a: number;
  readonly b: number;
}

/** a · b + a · b + ...: the largest terms in their order, how many are left out, and how many are zero. */
function sumOf(terms: readonly Term[], roleA: string, roleB: string): Part[] {
  const present = terms.filter(({ a, b }) => a !== 0 && b !== 0);
  const size = ({ a, b }: Term) => Math.abs(a * b);
  const bySize = [...present].sort((s, t) => size(t) - size(s)).slice(0, longSum);
  const shown = new Set(bySize.filter((term) => !(size(term) < smallShare * size(bySize[0]))));
  const parts: Part[] = [];
  for (const term of present.filter((one) => shown.has(one))) {
    if (parts.length > 0) parts.push(plus);
    parts.push({ text: inText(term.a), role: roleA }, { text: '·' }, factor(term.b, roleB));
  }
  const more = present.length - shown.size;
  if (more > 0) parts.push({ text: ` + … ${text.why.more(more)}`, quiet: true });
  const zeros = terms.length - present.length;
  if (present.length === 0) parts.push({ text: '0' });
  if (zeros > 0) parts.push({ text: ` ${text.why.zeros(zeros)}`, quiet: true });
  return parts;
}

function factor(value: number, role: string): Part {
  return { text: value < 0 ? `(${inText(value)})` : inText(value), role };
}

function explainInput(scene: Scene, { row: r, col: c }: Cell): Partial<Why> {
  const [, content, place] = scene.groups;
  if (c === 0) return { note: text.why.one };
  const inside = c < place.from ? c - content.from : c - place.from;
  const axis = inside % 2 === 0 ? text.why.horizontal : text.why.vertical;
  const hand = Math.floor(inside / 2);
  if (c >= place.from) return { note: text.why.where(r, periods[hand], axis) };
  if (!scene.tokens) return { note: text.why.given, editable: 'number' };
  const id = scene.tokens.ids[r];
  const digits = digitsOf(id);
  const token = scene.tokens.tokens[r];
  return { note: text.why.who(token, id, digits.join(''), axis, digits[hand]) };
}

/** One cell of matrix times transposed matrix: two rows meet. */
function explainRows(
  scene: Scene,
  a: MatrixId,
  b: MatrixId,
  { row: r, col: c }: Cell,
): Partial<Why> {
  const { drawn } = scene;
  const [left, right] = [drawn[a].matrix, drawn[b].matrix];
  const terms = Array.from({ length: left.cols }, (_, i) => ({
    a: at(left, r, i),
    b: at(right, c, i),
  }));
  return {
    parts: sumOf(terms, drawn[a].role, drawn[b].role),
    sources: [row(a, r, left.cols - 1), row(b, c, right.cols - 1)],
  };
}

function explainSoftmax(scene: Scene, { row: r, col: c }: Cell): Partial<Why> {
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
  const bySize = [...seen].sort((a, b) => score(b) - score(a)).slice(0, longSum - 2);
  const shown = seen.filter((col) => bySize.includes(col));
  const below = shown.flatMap((col, i) => (i > 0 ? [plus, ...power(col)] : power(col)));
  const more = seen.length - shown.length;
  if (more > 0) below.push({ text: ` + … ${text.why.more(more)}`, quiet: true });
  return {
    parts: [...power(c), { text: ' / ( ' }, ...below, { text: ' )' }],
    sources,
    note: text.why.weights,
  };
}

function explainOutput(scene: Scene, { row: r, col: c }: Cell): Partial<Why> {
  const [weights, v] = [scene.drawn.weights.matrix, scene.drawn.v.matrix];
  const terms = Array.from({ length: weights.cols }, (_, i) => ({
    a: at(weights, r, i),
    b: at(v, i, c),
  }));
  return {
    parts: sumOf(terms, 'weight', 'v'),
    sources: [
      row('weights', r, weights.cols - 1),
      { matrix: 'v', rows: [0, v.rows - 1], cols: [c, c] },
    ],
    note: text.why.output,
  };
}

function explainCell(scene: Scene, cell: Cell): Partial<Why> {
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
      return { parts, sources: [spot('scores', r, c)], note: why.scaled(scene.headWidth) };
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
export function explain(scene: Scene, cell: Cell): Why | null {
  const { matrix, rows, cols } = scene.drawn[cell.matrix];
  if (cell.row >= matrix.rows || cell.col >= matrix.cols) return null;
  return {
    cell,
    rowName: rows.names[cell.row],
    colName: cols.names[cell.col],
    parts: [],
    value: at(matrix, cell.row, cell.col),
    note: '',
    sources: [],
    editable: null,
    ...explainCell(scene, cell),
  };
}
