// Ticks of this chapter's charts.

/** Six ticks at equal distances from 0. */
export const evenTicks = (last: number) => Array.from({ length: 6 }, (_, i) => (i * last) / 5);

/** Round numbers that enclose all values, beginning no higher than `least`. */
export function lossTicks(values: readonly number[], least = Infinity): number[] {
  const [low, high] = [Math.min(least, ...values), Math.max(...values)];
  const raw = Math.max(high - low, 0.02) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((digit) => digit * power >= raw)! * power;
  const first = Math.floor(low / step + 1e-9);
  const parts = Math.ceil(high / step - 1e-9) - first;
  return Array.from({ length: Math.max(1, parts) + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(6)),
  );
}
