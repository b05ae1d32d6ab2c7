// Geometry of charts: scales, positions and texts of ticks, names without overlaps.

/** Maps the numbers of `domain` to the pixels of `range`; a domain of one number maps to the middle. */
export function scaleOf(
  domain: readonly [number, number],
  range: readonly [number, number],
  logarithmic: boolean,
): (value: number) => number {
  const along = logarithmic ? Math.log : (value: number) => value;
  const [from, to] = domain.map(along);
  return (value) => {
    const share = to > from ? (along(value) - from) / (to - from) : 0.5;
    return range[0] + share * (range[1] - range[0]);
  };
}

/** 1, 2 and 5 of each power of ten between two numbers; over many powers only 1, and over very many only some. */
export function powerTicks(least: number, most: number): number[] {
  const [from, to] = [least, most].map((value) => Math.floor(Math.log10(value)));
  const every = Math.ceil((to - from) / 9) || 1;
  const digits = to - from > 4 ? [1] : [1, 2, 5];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
    .filter((power) => power % every === 0)
    .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
    .filter((value) => value >= least && value <= most);
}

/** Formats a tick of `powerTicks`, as a power of ten if its zeros would have to be counted. */
export function powerWritten(value: number): string {
  if (value >= 0.01 && value <= 10_000) return String(value);
  const [digit, power] = value.toExponential().split('e');
  const raised = power
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/gu, (one) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(one)]);
  return digit === '1' ? `10${raised}` : `${digit}·10${raised}`;
}

/** The names ordered from the top, moved down and then up until all are at least `apart` from the next. */
export function keptApart<T extends { readonly at: number }>(
  names: readonly T[],
  apart: number,
  lowest: number,
): (T & { readonly top: number })[] {
  const placed = names.map((name) => ({ ...name, top: name.at })).sort((a, b) => a.at - b.at);
  for (let i = 1; i < placed.length; ++i) {
    placed[i].top = Math.max(placed[i].top, placed[i - 1].top + apart);
  }
  for (let i = placed.length - 1, limit = lowest; i >= 0; --i) {
    placed[i].top = Math.min(placed[i].top, limit);
    limit = placed[i].top - apart;
  }
  return placed;
}
