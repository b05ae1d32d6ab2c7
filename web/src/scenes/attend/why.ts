// The notes of each matrix, and the explanations that differ from the graph's: softmax subtracts the largest score first, and the
// mask is an addition.
import { at, type MatrixId } from '../../compute/page/protocol';
import type { Shown } from '../../figures/graph-values';
import type { Place } from '../../figures/grid';
import type { Drawn, LabelGroup } from '../../figures/matrix';
import { markCell, shareParts } from '../../figures/scene';
import { factor, type Part } from '../../figures/why';
import figureText from '$texts/figures.yaml';
import { digitsOf, periods } from '../../compute/shared/handmade/attend-heads';
import type { Tokens } from '../../entered/tokens';
import text from '$texts/attend.yaml';

type Said = Omit<Shown, 'node' | 'look'>;

interface Drawing {
  readonly headWidth: number;
  readonly tokens: Tokens | null;
  /** The columns of X. */
  readonly groups: readonly LabelGroup[];
  readonly drawn: Readonly<Record<MatrixId, Drawn>>;
}

/** As many powers of a row as are written out. */
const longRow = 6;

function inputNote({ groups, tokens: typed }: Drawing, { row, col }: Place): string {
  const { why } = text;
  const [, content, place] = groups;
  if (col === 0) return why.one;
  const inside = col < place.from ? col - content.from : col - place.from;
  const axis = inside % 2 === 0 ? 'sideways' : 'upright';
  const hand = Math.floor(inside / 2);
  if (col >= place.from) return why.where[axis]({ place: row, period: periods[hand] });
  if (!typed) return why.given;
  const id = typed.ids[row];
  const digits = digitsOf(id);
  const token = typed.tokens[row];
  return why.who[axis]({ token, id, digits: digits.join(''), digit: digits[hand] });
}

function softmaxParts({ drawn: { masked } }: Drawing, { row, col: own }: Place): Part[] {
  const seen = Array.from({ length: masked.matrix.cols }, (_, col) => col).filter(
    (col) => !masked.hidden(row, col),
  );
  const score = (col: number) => at(masked.matrix, row, col);
  const largest = Math.max(...seen.map(score));
  const bySize = [...seen].sort((a, b) => score(b) - score(a)).slice(0, longRow);
  const shown = seen.filter((col) => bySize.includes(col));
  const left = seen.length - shown.length;
  const more = left > 0 ? [{ text: ` ${figureText.why.smaller({ n: left })}`, quiet: true }] : [];
  return shareParts(score(own), shown.map(score), { off: largest, more });
}

export function saidOf(scene: Drawing): Readonly<Record<MatrixId, Said>> {
  const { why } = text;
  const { scaled, masked, weights } = scene.drawn;
  const silent = (note: Shown['note']) => ({ note, say: () => [] });
  const sum = (note: string) => ({ note, brief: true });
  const weight = silent(why.weight);
  const isHidden = ({ row, col }: Place) => masked.hidden(row, col);
  const isNaN = ({ row, col }: Place) => Number.isNaN(at(weights.matrix, row, col));
  /** The graph has no source for a hidden cell: its own score is marked. */
  const hiding = (id: MatrixId) => (cell: Place) =>
    isHidden(cell) ? [markCell(id, cell.row, cell.col)] : [];
  return {
    x: silent((cell) => inputNote(scene, cell)),
    ...{ wq: weight, wk: weight, wv: weight },
    ...{ q: sum(why.q), k: sum(why.k), v: sum(why.v), scores: sum(why.scores) },
    scaled: { note: why.scaled({ d: scene.headWidth }) },
    masked: {
      note: (cell) => (isHidden(cell) ? why.maskedHidden : why.maskedOpen),
      say: (cell) => [
        factor(at(scaled.matrix, cell.row, cell.col), 'score'),
        { text: isHidden(cell) ? ' + (−∞)' : ' + 0' },
      ],
      also: hiding('scaled'),
    },
    weights: {
      note: (cell) =>
        isNaN(cell) ? why.weightNaN : isHidden(cell) ? why.weightHidden : why.weights,
      say: (cell) => (isNaN(cell) || isHidden(cell) ? [] : softmaxParts(scene, cell)),
      also: hiding('masked'),
    },
    output: sum(why.output),
  };
}
