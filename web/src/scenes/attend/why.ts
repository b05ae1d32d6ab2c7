// Why a cell has its value: the equation with its numbers, the cells they come from, and a sentence. The
// factors are read from the trace, and so is the result; nothing is computed here.
import { at, type MatrixId } from '../../compute/page/protocol';
import type { Mark } from '../../figures/pointing.svelte';
import { markCell, markCol, markRow, rowByCol, rowByRow, shareParts } from '../../figures/scene';
import { factor, foundAt, largestOf, type Part, type Why } from '../../figures/why';
import figureText from '$texts/figures.yaml';
import type { Cell } from '../../state/attend';
import { digitsOf, periods, type WeightId } from '../../compute/shared/handmade/attend-heads';
import type { Scene } from './scene';
import text from '$texts/attend.yaml';

interface AttendWhy extends Why {
  readonly sources: readonly Mark[];
  /** Whose entry the visitor may change here. */
  readonly editable: 'weight' | 'number' | null;
}

/** As many powers of a row as are written out. */
const longRow = 6;

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
  return {
    parts: largestOf(rowByRow(left, r, right, c), drawn[a].role, drawn[b].role),
    sources: [...markRow(drawn[a], r), ...markRow(drawn[b], c)],
  };
}

function explainSoftmax(scene: Scene, { row: r, col: c }: Cell): Partial<AttendWhy> {
  const masked = scene.drawn.masked;
  const seen = Array.from({ length: masked.matrix.cols }, (_, col) => col).filter(
    (col) => !masked.hidden(r, col),
  );
  const sources = markRow(masked, r);
  if (Number.isNaN(at(scene.drawn.weights.matrix, r, c))) {
    return { note: text.why.weightNaN, sources };
  }
  if (masked.hidden(r, c)) return { note: text.why.weightHidden, sources };
  const score = (col: number) => at(masked.matrix, r, col);
  const largest = Math.max(...seen.map(score));
  const bySize = [...seen].sort((a, b) => score(b) - score(a)).slice(0, longRow);
  const shown = seen.filter((col) => bySize.includes(col));
  const left = seen.length - shown.length;
  const more = left > 0 ? [{ text: ` ${figureText.why.smaller({ n: left })}`, quiet: true }] : [];
  return {
    parts: shareParts(score(c), shown.map(score), { off: largest, more }),
    sources,
    note: text.why.weights,
  };
}

function explainOutput(scene: Scene, { row: r, col: c }: Cell): Partial<AttendWhy> {
  const { weights, v } = scene.drawn;
  return {
    parts: largestOf(rowByCol(weights.matrix, r, v.matrix, c), 'weight', 'v'),
    sources: [...markRow(weights, r), ...markCol(v, c)],
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
      return {
        parts,
        sources: [markCell('scores', r, c)],
        note: why.scaled({ d: scene.headWidth }),
      };
    }
    case 'masked': {
      const hidden = scene.drawn.masked.hidden(r, c);
      const parts: Part[] = [
        factor(at(scene.drawn.scaled.matrix, r, c), 'score'),
        { text: hidden ? ' + (−∞)' : ' + 0' },
      ];
      const note = hidden ? why.maskedHidden : why.maskedOpen;
      return { parts, sources: [markCell('scaled', r, c)], note };
    }
    case 'weights':
      return explainSoftmax(scene, cell);
    case 'output':
      return explainOutput(scene, cell);
  }
}

/** Null for a cell outside of its matrix. */
export function explain(scene: Scene, cell: Cell): AttendWhy | null {
  const found = foundAt(scene.drawn[cell.matrix], cell);
  if (!found) return null;
  return {
    ...found,
    parts: [],
    note: '',
    sources: [],
    editable: null,
    ...explainCell(scene, cell),
  };
}
