// From the core's answer to matrices that can be drawn, and why each number is what it is.
import type { MaskAnswer } from '../../compute/lessons/mask';
import { at, type MatrixData } from '../../compute/protocol';
import { inPercent, inText } from '../../figures/format';
import { listed } from '../../figures/local';
import { numerals, type Axis, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Mark } from '../../figures/pointing.svelte';
import {
  differences,
  drawnOf,
  letter,
  markCell,
  markCol,
  markRow,
  rowByCol,
  softmaxParts,
  word,
  wordAxis,
} from '../../figures/scene';
import { factor, largestOf, whyAt, type Part, type Why } from '../../figures/why';
import { hides, type HideId, type RuleId } from '../../compute/lessons/mask-rules';
import { maskIds, type MaskCell, type MaskState } from '../../state/mask';
import type { Typed } from './entered';
import text from '$texts/mask.yaml';

export type MaskId = (typeof maskIds)[number];

export interface Scene {
  readonly answer: MaskAnswer;
  readonly labels: readonly string[];
  readonly hide: HideId;
  readonly drawn: Readonly<Record<MaskId, Drawn>>;
}

export function tokenAxis(title: string, { labels, words }: Typed): Axis {
  const names = words ? labels : labels.map((label) => text.row({ label }));
  return { ...wordAxis(labels, title, names), words };
}

/** `before`: the answer before the last change, to mark what it changed; of other scores it says nothing. */
export function sceneOf(
  answer: MaskAnswer,
  typed: Typed,
  hide: HideId,
  before: MaskAnswer | null,
): Scene {
  const last = before && !differences(answer.scores, before.scores) ? before : null;
  const { titles, symbols } = text;
  const square = {
    rows: tokenAxis(titles.query, typed),
    cols: tokenAxis(titles.key, typed),
    titled: true,
  };
  const wide = (title: string) => ({
    rows: tokenAxis(title, typed),
    cols: numerals(answer.values.cols, titles.entry),
  });
  const end = scaleEnd(answer.scores.data);
  const ends = scaleEnd(answer.values.data, answer.output.data);
  const hidden = (row: number, col: number) => at(answer.mask, row, col) !== 0;
  const named = (id: Exclude<MaskId, 'mask' | 'values'>) => word(symbols[id]);
  const scores = { ...square, role: 'score', end, shared: true } as const;
  const outputs = { role: 'v', end: ends, shared: true } as const;
  const drawn: Record<MaskId, Drawn> = {
    scores: drawnOf('scores', answer.scores, { ...scores, symbol: named('scores') }),
    mask: drawnOf('mask', answer.mask, {
      ...{ ...square, role: 'weight', symbol: letter('M'), end: 0, hidden },
    }),
    masked: drawnOf('masked', answer.masked, {
      ...{ ...scores, symbol: named('masked') },
      hidden: (row, col) => at(answer.masked, row, col) === -Infinity,
      changed: differences(answer.masked, last?.masked),
    }),
    weights: drawnOf('weights', answer.weights, {
      ...{ ...square, role: 'weight', symbol: named('weights'), kind: 'weights' },
      hidden: (row, col) => hidden(row, col) && at(answer.weights, row, col) === 0,
      changed: differences(answer.weights, last?.weights),
    }),
    values: drawnOf('values', answer.values, {
      ...{ ...outputs, ...wide(titles.key), symbol: letter(symbols.values) },
    }),
    output: drawnOf('output', answer.output, {
      ...{ ...outputs, ...wide(titles.query), symbol: named('output') },
      changed: differences(answer.output, last?.output),
    }),
  };
  return { answer, labels: typed.labels, hide, drawn };
}

/** The mask as the visitor has drawn it, where no other rule takes part; else as it was answered. */
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

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: MaskCell): Mark[] {
  const line = (id: MaskId) => markRow(drawn[id], row);
  const spot = (id: MaskId) => markCell(id, row, col);
  switch (matrix) {
    case 'masked':
      return [spot('scores'), spot('mask')];
    case 'weights':
      return line('masked');
    case 'output':
      return [...line('weights'), ...markCol(drawn.values, col)];
    case 'mask':
      return [spot('scores'), spot('masked'), spot('weights')];
    default:
      return [];
  }
}

export const across = (matrix: MatrixData) => Array.from({ length: matrix.cols }, (_, i) => i);

const seesNothing = (masked: MatrixData, row: number) =>
  across(masked).every((key) => at(masked, row, key) === -Infinity);

function explain(scene: Scene, { matrix, row, col }: MaskCell): { parts: Part[]; note: string } {
  const { answer, hide } = scene;
  const { why } = text;
  const hidden = at(answer.mask, row, col) !== 0;
  switch (matrix) {
    case 'scores':
      return { parts: [], note: why.scores };
    case 'mask': {
      const by = (Object.keys(answer.single) as RuleId[])
        .filter((rule) => at(answer.single[rule]!, row, col) !== 0)
        .map((rule) => why.reasons[rule]);
      return {
        parts: [],
        note: by.length === 0 ? why.open : why.hiddenBy({ reasons: listed(by) }),
      };
    }
    case 'masked': {
      if (hide === 'after') return { parts: [], note: why.maskedAfter };
      if (hide === 'zero' && hidden) return { parts: [], note: why.maskedZero };
      const add = hidden ? text.hide.names[hide === 'large' ? 'large' : 'infinity'] : '+ 0';
      const parts = [factor(at(answer.scores, row, col), 'score'), { text: ` ${add}` }];
      return { parts, note: why.masked };
    }
    case 'weights': {
      if (seesNothing(answer.masked, row)) {
        return { parts: [], note: why.naive({ value: inText(answer.naive) }) };
      }
      if (hide === 'after' && hidden) return { parts: [], note: why.after };
      const note = hide === 'after' ? why.after : why.softmax;
      return { parts: softmaxParts(answer.masked, row, col), note };
    }
    case 'values':
      return { parts: [], note: why.values };
    case 'output': {
      const terms = rowByCol(answer.weights, row, answer.values, col);
      return { parts: largestOf(terms, 'weight', 'v'), note: why.output };
    }
  }
}

/** Null for a cell that is not there. */
export const whyOf = (scene: Scene, cell: MaskCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => explain(scene, cell));

/** What can be said of the whole: a row that sees nothing, a leak, a row that is not whole, or all is well. */
export function verdictOf({ answer, labels, hide }: Scene): string {
  const rows = answer.mask.data.length / answer.mask.cols;
  const all = Array.from({ length: rows }, (_, row) => row);
  const most = (of: MatrixData) =>
    all.reduce((best, row) => (at(of, row, 0) > at(of, best, 0) ? row : best), 0);
  const leaking = most(answer.leaks);
  const leak = at(answer.leaks, leaking, 0);
  const { verdicts } = text;
  if (leak > 0) return verdicts.leaks({ name: labels[leaking], share: inPercent(leak) });
  const empty = all.find((row) => seesNothing(answer.mask, row));
  if (empty !== undefined) return verdicts.empty({ name: labels[empty] });
  const least = all.reduce(
    (best, row) => (at(answer.sums, row, 0) < at(answer.sums, best, 0) ? row : best),
    0,
  );
  if (hide === 'after' && answer.mask.data.includes(-Infinity)) {
    return verdicts.short({ name: labels[least], sum: inText(at(answer.sums, least, 0)) });
  }
  return verdicts.clean;
}

/** Whether two rows are the same bits. */
export function sameBits(one: MatrixData, other: MatrixData, row: number): boolean {
  return Array.from({ length: one.cols }, (_, col) => col).every((col) =>
    Object.is(at(one, row, col), at(other, row, col)),
  );
}
