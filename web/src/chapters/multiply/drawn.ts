// Matrices of this chapter as the figures draw them.
import type { MatrixData } from '../../compute/protocol';
import { numerals, plain, type Drawn } from '../../figures/matrix';
import { scaleEnd } from '../../figures/paint';
import type { Role } from '../../figures/palette.svelte';
import text from '$texts/multiply.yaml';

interface Options {
  readonly id: string;
  readonly base: string;
  readonly sub?: string;
  readonly role: Role;
  readonly matrix: MatrixData;
  readonly editable?: boolean;
  readonly letter?: boolean;
}

export function drawnOf(options: Options): Drawn {
  const { id, base, sub, role, matrix, editable = false, letter = true } = options;
  return {
    ...plain,
    ...{ id, role, matrix, editable },
    symbol: { base, sub, letter },
    rows: numerals(matrix.rows, text.readings.axes.row),
    cols: numerals(matrix.cols, text.readings.axes.column),
    end: scaleEnd(matrix.data),
  };
}
