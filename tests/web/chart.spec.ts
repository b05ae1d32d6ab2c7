// Charts: every dot has the position given by the axes, ticks are written plainly, names do not touch.
import { keptApart, powerTicks, powerWritten } from '../../web/src/figures/chart.ts';
import { expect, numberOf, test } from './fixtures.ts';

test('every dot stands where both axes say', async ({ attend, page }) => {
  await attend.open();
  const charts = page.locator('[data-figure="scale"] svg:has(.tick)');
  await expect(charts).toHaveCount(2);
  for (const chart of await charts.all()) {
    const drawn = await chart.evaluate((svg) => ({
      up: Array.from(svg.querySelectorAll<SVGGElement>('.tick'), (tick) => ({
        written: tick.querySelector('text')!.textContent!,
        at: tick.transform.baseVal[0].matrix.f,
      })),
      across: Array.from(svg.querySelectorAll('.along'), (tick) => ({
        written: tick.textContent!,
        at: Number(tick.getAttribute('x')),
      })),
      dots: Array.from(svg.querySelectorAll('circle'), (dot) => ({
        title: dot.querySelector('title')!.textContent!,
        x: dot.cx.baseVal.value,
        y: dot.cy.baseVal.value,
      })),
    }));
    expect(drawn.dots).toHaveLength(22);
    // The position of a value between two ticks, on a logarithmic scale.
    const place = (ticks: typeof drawn.up, value: number) => {
      const [one, other] = [ticks[0], ticks.at(-1)!];
      const [from, to] = [one, other].map(({ written }) => Math.log(numberOf(written)));
      return one.at + ((Math.log(value) - from) / (to - from)) * (other.at - one.at);
    };
    for (const { title, x, y } of drawn.dots) {
      const [, d, value] = /d = (\d+): (.+)$/u.exec(title)!;
      expect(Math.abs(x - place(drawn.across, Number(d))), title).toBeLessThan(0.5);
      // The title has at least three digits.
      expect(Math.abs(y - place(drawn.up, numberOf(value))), title).toBeLessThan(1);
    }
  }
});

test('ticks are 1, 2, 5 of a few powers of ten, of many only the powers', () => {
  expect(powerTicks(0.4, 30)).toEqual([0.5, 1, 2, 5, 10, 20]);
  expect(powerTicks(0.01, 20_000)).toEqual([0.01, 0.1, 1, 10, 100, 1000, 10_000]);
  expect(powerTicks(1e-12, 1e4).every((tick) => Number.isInteger(Math.log10(tick)))).toBe(true);
  expect([0.05, 1000, 20_000, 1e-7].map(powerWritten)).toEqual(['0.05', '1000', '2·10⁴', '10⁻⁷']);
});

test('names stay apart, in order, and above the axis', () => {
  const kept = keptApart([{ at: 98 }, { at: 10 }, { at: 99 }, { at: 12 }], 15, 100);
  expect(kept.map(({ at }) => at)).toEqual([10, 12, 98, 99]);
  expect(kept.map(({ top }) => top)).toEqual([10, 25, 85, 100]);
});
