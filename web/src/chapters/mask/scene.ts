// Converts the core's answer to matrices to draw, with the explanation of each number.
import type { MaskAnswer } from '../../compute/worker/lessons/mask';
import { at, type MatrixData } from '../../compute/page/protocol';
import { GraphScene, matrixOf, type Shown } from '../../figures/graph';
import type { Place } from '../../figures/grid';
import { inPercent, inText } from '../../figures/format';
import { listed } from '../../figures/local';
import { numerals, type Axis, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import { differences, letter, markCell, word, wordAxis } from '../../figures/scene';
import { factor } from '../../figures/why';
import { maskGraphs } from '../../compute/shared/handmade/mask-graph';
import { hides, type HideId, type RuleId } from '../../compute/shared/lessons/mask-rules';
import { maskIds, type MaskState } from '../../state/mask';
import type { Typed } from './entered';
import text from '$texts/mask.yaml';

export type MaskId = (typeof maskIds)[number];

export interface Scene {
  readonly answer: MaskAnswer;
  readonly labels: readonly string[];
  readonly hide: HideId;
  readonly scene: GraphScene<MaskId>;
  readonly drawn: Readonly<Record<MaskId, Drawn>>;
}

export function tokenAxis(title: string, { labels, words }: Typed): Axis {
  const names = words ? labels : labels.map((label) => text.row({ label }));
  return { ...wordAxis(labels, title, names), words };
}

/** `before`: the answer before the last change, to mark the differences; ignored if the scores differ. */
export function sceneOf(
  answer: MaskAnswer,
  typed: Typed,
  hide: HideId,
  before: MaskAnswer | null,
): Scene {
  const { values } = answer;
  const isSame =
    before && !differences(matrixOf(values, 'scores'), matrixOf(before.values, 'scores'));
  const { titles, symbols, why } = text;
  const [scores, M, V, weights, output] = ['scores', 'M', 'V', 'weights', 'output'].map((node) =>
    matrixOf(values, node),
  );
  const late = hide === 'after';
  const masked = late ? scores : matrixOf(values, 'masked');
  const changed = (node: string, now: MatrixData) =>
    differences(now, isSame && node in before.values ? matrixOf(before.values, node) : null);
  const axes = { rows: tokenAxis(titles.query, typed), cols: tokenAxis(titles.key, typed) };
  const square = { ...axes, titled: true } as const;
  const wide = (title: string) => ({
    rows: tokenAxis(title, typed),
    cols: numerals(V.cols, titles.entry),
  });
  const hidden = (row: number, col: number) => at(M, row, col) !== 0;
  const named = (id: Exclude<MaskId, 'mask' | 'values'>) => word(symbols[id]);
  const score = { ...square, role: 'score', end: scaleEnd(scores.data), shared: true } as const;
  const flowing = { role: 'v', end: scaleEnd(V.data, output.data), shared: true } as const;
  const isEmpty = (row: number) => seesNothing(masked, row);
  const spots =
    (ids: readonly MaskId[]) =>
    ({ row, col }: Place) =>
      ids.map((id) => markCell(id, row, col));
  const spotsOfHidden = (ids: readonly MaskId[]) => (cell: Place) =>
    hidden(cell.row, cell.col) ? spots(ids)(cell) : [];

  const shown: Record<MaskId, Shown> = {
    scores: { look: { ...score, symbol: named('scores') }, note: why.scores },
    mask: {
      node: 'M',
      look: { ...square, role: 'weight', symbol: letter('M'), end: 0, hidden },
      note({ row, col }) {
        const by = (Object.keys(answer.single) as RuleId[])
          .filter((rule) => at(answer.single[rule]!, row, col) !== 0)
          .map((rule) => why.reasons[rule]);
        return by.length === 0 ? why.open : why.hiddenBy({ reasons: listed(by) });
      },
      also: spots(['scores', 'masked', 'weights']),
    },
    masked: {
      ...(late && { node: 'scores' }),
      look: {
        ...{ ...score, symbol: named('masked') },
        hidden: (row, col) => at(masked, row, col) === -Infinity,
        changed: changed(late ? 'scores' : 'masked', masked),
      },
      note({ row, col }) {
        if (late) return why.maskedAfter;
        return hide === 'zero' && hidden(row, col) ? why.maskedZero : why.masked;
      },
      say({ row, col }) {
        if (late || (hide === 'zero' && hidden(row, col))) return [];
        const names = text.hide.names;
        const add = hidden(row, col) ? names[hide === 'large' ? 'large' : 'infinity'] : '+ 0';
        return [factor(at(scores, row, col), 'score'), { text: ` ${add}` }];
      },
      also: (cell) => [
        ...spots(['mask'])(cell),
        ...(hide === 'large' ? [] : spotsOfHidden(['scores'])(cell)),
      ],
    },
    weights: {
      look: {
        ...{ ...square, role: 'weight', symbol: named('weights'), kind: 'weights' },
        hidden: (row, col) => hidden(row, col) && at(weights, row, col) === 0,
        changed: changed('weights', weights),
      },
      note({ row }) {
        if (isEmpty(row)) return why.naive({ value: inText(answer.naive) });
        return late ? why.after : why.softmax;
      },
      ...{ brief: true, through: true },
      say: ({ row }) => (isEmpty(row) ? [] : null),
      also: spotsOfHidden(['masked', 'mask']),
    },
    values: {
      node: 'V',
      look: { ...flowing, ...wide(titles.key), symbol: letter(symbols.values) },
      note: why.values,
    },
    output: {
      look: {
        ...{ ...flowing, ...wide(titles.query), symbol: named('output') },
        changed: changed('output', output),
      },
      ...{ note: why.output, brief: true },
    },
  };
  const scene = new GraphScene<MaskId>({ graph: maskGraphs[hide], values, shown });
  return { answer, labels: typed.labels, hide, scene, drawn: scene.drawn as Scene['drawn'] };
}

/** The mask drawn by the visitor, if no other rule applies; else the mask of the answer. */
export function withDrawn(
  mask: Drawn,
  { rules, drawn }: Pick<MaskState, 'rules' | 'drawn'>,
): Drawn {
  if (!drawn || rules.length !== 1 || rules[0] !== 'drawn') return mask;
  const { cols } = mask.matrix;
  const hidden = (row: number, col: number) => hides(drawn, row, col);
  const data = mask.matrix.data.map((_, i) =>
    hidden(Math.floor(i / cols), i % cols) ? -Infinity : 0,
  );
  return { ...mask, matrix: { ...mask.matrix, data }, hidden };
}

export const across = (matrix: MatrixData) => Array.from({ length: matrix.cols }, (_, i) => i);

const seesNothing = (masked: MatrixData, row: number) =>
  across(masked).every((key) => at(masked, row, key) === -Infinity);

/** The verdict on the complete mask: a row that sees nothing, a leak, a row whose sum is not 1, or all is well. */
export function verdictOf({ answer, labels, hide }: Scene): string {
  const [M, sums, leaks] = ['M', 'sums', 'leaks'].map((node) => matrixOf(answer.values, node));
  const all = across(M);
  const most = (of: MatrixData) =>
    all.reduce((best, row) => (at(of, row, 0) > at(of, best, 0) ? row : best), 0);
  const leaking = most(leaks);
  const leak = at(leaks, leaking, 0);
  const { verdicts } = text;
  if (leak > 0) return verdicts.leaks({ name: labels[leaking], share: inPercent(leak) });
  const empty = all.find((row) => seesNothing(M, row));
  if (empty !== undefined) return verdicts.empty({ name: labels[empty] });
  const least = all.reduce((best, row) => (at(sums, row, 0) < at(sums, best, 0) ? row : best), 0);
  if (hide === 'after' && M.data.includes(-Infinity)) {
    return verdicts.short({ name: labels[least], sum: inText(at(sums, least, 0)) });
  }
  return verdicts.clean;
}

/** Whether two rows have the same bits. */
export function sameBits(one: MatrixData, other: MatrixData, row: number): boolean {
  return Array.from({ length: one.cols }, (_, col) => col).every((col) =>
    Object.is(at(one, row, col), at(other, row, col)),
  );
}
