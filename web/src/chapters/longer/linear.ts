// Linear attention's matrices as they are drawn, and why each number is what it is.
import type { LinearOrders } from '../../compute/lessons/longer';
import { at, type MatrixData } from '../../compute/protocol';
import { inText } from '../../figures/format';
import { numerals, plain, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import type { Mark } from '../../figures/pointing.svelte';
import { sumOf, type Part, type Why } from '../../figures/why';
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
  const one = (id: Id, role: Role, matrix: MatrixData, changes: Partial<Drawn>): Drawn => ({
    ...plain,
    ...{ id, role, matrix, rows: down, cols: entries(matrix), titled: true },
    symbol: {
      base: id === 'soft' ? words.soft : id === 'features' ? words.features : words.symbols[id],
      letter: id !== 'soft' && id !== 'features',
    },
    end: scaleEnd(matrix.data),
    ...changes,
  });
  const { scores, pairs, left, right, soft, features } = orders;
  const outputs = { end: scaleEnd(left.data, right.data), shared: true };
  const positive = features.data.every((weight) => weight >= 0 && weight <= 1);
  return {
    orders,
    drawn: {
      scores: one('scores', 'score', scores, { cols: across }),
      pairs: one('pairs', 'weight', pairs, { rows: numerals(pairs.rows, text.axes.entry) }),
      left: one('left', 'v', left, outputs),
      right: one('right', 'v', right, outputs),
      soft: one('soft', 'weight', soft, { cols: across, kind: 'weights', end: 1 }),
      features: one('features', 'weight', features, {
        cols: across,
        ...(positive ? { kind: 'weights', end: 1 } : {}),
      }),
    },
  };
}

export function sourcesOf({ drawn }: Scene, { matrix, row, col }: LinearCell): Mark[] {
  const last = drawn.scores.matrix.cols - 1;
  if (matrix === 'left') return [{ matrix: 'scores', rows: [row, row], cols: [0, last] }];
  if (matrix === 'right') {
    return [{ matrix: 'pairs', rows: [0, drawn.pairs.matrix.rows - 1], cols: [col, col] }];
  }
  return [];
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

export function whyOf(scene: Scene, cell: LinearCell): Why | null {
  const drawn = scene.drawn[cell.matrix];
  const { row, col } = cell;
  if (row >= drawn.matrix.rows || col >= drawn.matrix.cols) return null;
  const value = at(drawn.matrix, row, col);
  return { drawn, row, col, value, parts: explain(scene, cell), note: words.why[cell.matrix] };
}
