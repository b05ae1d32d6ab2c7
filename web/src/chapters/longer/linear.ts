// Linear attention's matrices as they are drawn, and why each number is what it is.
import type { LinearOrders } from '../../compute/lessons/longer';
import { at, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { numerals, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import { drawnOf, letter, markCol, markRow, word, type Look } from '../../figures/scene';
import { sumOf, whyAt, type Part, type Why } from '../../figures/why';
import type { LinearCell, Source } from '../../state/longer';
import { tokenAxis } from './source';
import text from '$texts/longer.yaml';

const words = text.linear;
type Id = LinearCell['matrix'];

export interface Scene {
  readonly orders: LinearOrders;
  readonly drawn: Readonly<Record<Id, Drawn>>;
}

export function sceneOf(orders: LinearOrders, source: Source): Scene {
  const down = tokenAxis(source, orders.q.rows, text.axes.query);
  const across = tokenAxis(source, orders.k.rows, text.axes.key);
  const entries = (matrix: MatrixData) => numerals(matrix.cols, text.axes.entry);
  const draw = (id: Id, role: Role, matrix: MatrixData, look: Partial<Look>): Drawn =>
    drawnOf(id, matrix, {
      ...{ role, rows: down, cols: entries(matrix), titled: true },
      symbol: id === 'soft' || id === 'features' ? word(words[id]) : letter(words.symbols[id]),
      ...look,
    });
  const { scores, pairs, left, right, soft, features } = orders;
  const outputs = { end: scaleEnd(left.data, right.data), shared: true };
  const positive = features.data.every((weight) => weight >= 0 && weight <= 1);
  return {
    orders,
    drawn: {
      scores: draw('scores', 'score', scores, { cols: across }),
      pairs: draw('pairs', 'weight', pairs, { rows: numerals(pairs.rows, text.axes.entry) }),
      left: draw('left', 'v', left, outputs),
      right: draw('right', 'v', right, outputs),
      soft: draw('soft', 'weight', soft, { cols: across, kind: 'weights', end: 1 }),
      features: draw('features', 'weight', features, {
        cols: across,
        ...(positive ? { kind: 'weights', end: 1 } : {}),
      }),
    },
  };
}

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: LinearCell): Mark[] {
  if (matrix === 'left') return markRow(drawn.scores, row);
  return matrix === 'right' ? markCol(drawn.pairs, col) : [];
}

function explain({ orders }: Scene, { matrix, row, col }: LinearCell): Part[] {
  const { q, k, v, scores, pairs } = orders;
  const along = (count: number, term: (i: number) => { a: number; b: number }) =>
    Array.from({ length: count }, (_, i) => term(i));
  switch (matrix) {
    case 'scores':
      return sumOf(
        along(q.cols, (i) => ({ a: at(q, row, i), b: at(k, col, i) })),
        'q',
        'k',
      );
    case 'pairs':
      return sumOf(
        along(k.rows, (i) => ({ a: at(k, i, row), b: at(v, i, col) })),
        'k',
        'v',
      );
    case 'left':
      return sumOf(
        along(v.rows, (i) => ({ a: at(scores, row, i), b: at(v, i, col) })),
        'score',
        'v',
      );
    case 'right':
      return sumOf(
        along(q.cols, (i) => ({ a: at(q, row, i), b: at(pairs, i, col) })),
        'q',
        'weight',
      );
    case 'soft': {
      const score = {
        text: `${inText(at(scores, row, col))} / √${q.cols}`,
        role: 'score',
        raised: true,
      };
      return [{ text: 'e' }, score, { text: ' / …' }];
    }
    case 'features':
      return [];
  }
}

export const whyOf = (scene: Scene, cell: LinearCell): Why | null =>
  whyAt(scene.drawn[cell.matrix], cell, () => ({
    parts: explain(scene, cell),
    note: words.why[cell.matrix],
  }));
