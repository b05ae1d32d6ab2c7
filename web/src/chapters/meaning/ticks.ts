/** Ticks from 0 to the last number: round numbers at equal distances, and the last one. */
export function evenTicks(last: number): number[] {
  const rough = last / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const by = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? last;
  const ticks = Array.from({ length: Math.floor(last / by) + 1 }, (_, i) => i * by);
  return ticks.at(-1)! < last - by / 3 ? [...ticks, last] : [...ticks.slice(0, -1), last];
}
