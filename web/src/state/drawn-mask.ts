// A mask drawn by hand, as an address holds it: "8.01ff..." is its size and its cells row by row, four in a hexadecimal
// digit, the first in the highest bit; 1 hides.
import * as v from 'valibot';
import type { DrawnMask } from '../compute/shared/lessons/mask-rules';
import type { Field } from './fields';

const digitsFor = (size: number) => Math.ceil((size * size) / 4);

function drawnText({ size, hidden }: DrawnMask): string {
  const digits = Array.from({ length: digitsFor(size) }, (_, digit) =>
    [0, 1, 2, 3]
      .reduce((bits, place) => 2 * bits + (hidden[4 * digit + place] ? 1 : 0), 0)
      .toString(16),
  );
  return `${size}.${digits.join('')}`;
}

export const drawnMask = (most: number): Field<DrawnMask | null> => ({
  usual: null,
  longest: 3 + digitsFor(most),
  read: v.pipe(
    v.string(),
    v.regex(/^\d{1,2}\.[0-9a-f]+$/u),
    v.transform((text) => {
      const [size, digits] = text.split('.');
      return { size: Number(size), digits };
    }),
    v.check(({ size, digits }) => size >= 1 && size <= most && digits.length === digitsFor(size)),
    v.transform(({ size, digits }) => ({
      size,
      hidden: Array.from(
        { length: size * size },
        (_, i) => ((parseInt(digits[i >> 2], 16) >> (3 - (i & 3))) & 1) === 1,
      ),
    })),
  ),
  write: (drawn) => (drawn ? drawnText(drawn) : ''),
});
