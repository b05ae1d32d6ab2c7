import { TrilError, shapeText } from './error.js';
import { checkKeys } from './names.js';
import { nameGiven } from './old-names.js';
import type { OldSequenceBatch, SequenceBatch } from './sequence-trainer-types.js';
import { joinedValues, rowsOf, type RawBatches, type Rows } from './trainer-values.js';

interface RawSequences extends RawBatches {
  /** Whether the first sequences have no batch axis. */
  readonly single: boolean;
}

/** Concatenates parts of batches. */
function joined(parts: readonly (readonly Rows[])[]): RawSequences {
  const sizes = parts.flatMap(([source, target]) => [
    source!.rows,
    source!.shape.at(-1)!,
    target!.shape.at(-1)!,
  ]);
  const single = parts[0]?.[0]?.shape.length === 1;
  return { tokens: joinedValues(parts.flat()), sizes: Int32Array.from(sizes), single };
}

function checkShape(call: string, name: string, rows: Rows, shape: readonly unknown[], of: string) {
  const [wanted, found] = [shapeText(shape as number[]), shapeText(rows.shape)];
  if (wanted === found) return;
  throw new TrilError(call, name, `must have the ${of}, ${wanted}, is ${found}`);
}

/** A source and its target. */
export function pairOf(
  call: string,
  source: unknown,
  target: unknown,
  prefix = '',
): readonly [Rows, Rows] {
  const from = rowsOf(call, `${prefix}source`, source);
  const to = rowsOf(call, `${prefix}target`, target);
  const shape = [...from.shape.slice(0, -1), to.shape.at(-1)];
  checkShape(call, `${prefix}target`, to, shape, 'batches of source');
  return [from, to];
}

export const rawPair = (...pair: Parameters<typeof pairOf>): RawSequences =>
  joined([pairOf(...pair)]);

/** One batch, or several. */
export function rawBatches(call: string, given: unknown): RawBatches {
  const several = Array.isArray(given);
  const batches = (several ? given : [given]) as readonly (SequenceBatch & OldSequenceBatch)[];
  return joined(
    batches.map((batch, n) => {
      const prefix = several && batches.length > 1 ? `batches.${n}.` : '';
      checkKeys(call, `${prefix}batch`, 'part', batch, [
        ...['source', 'target', 'labels', 'answers'],
      ]);
      const [source, target] = pairOf(call, batch.source, batch.target, prefix);
      const given = nameGiven(call, batch, 'labels', 'answers', prefix);
      const name = `${prefix}${given}`;
      const labels = rowsOf(call, name, batch[given]);
      checkShape(call, name, labels, target.shape, 'shape of target');
      return [source, target, labels];
    }),
  );
}

/** Splits `[n, n numbers, m, m numbers, ...]` into a list of each. */
export function rowsSaid(flat: Int32Array): Int32Array[] {
  const rows: Int32Array[] = [];
  for (let at = 0; at < flat.length; at += 1 + flat[at]!) {
    rows.push(flat.slice(at + 1, at + 1 + flat[at]!));
  }
  return rows;
}
