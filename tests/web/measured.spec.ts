// Disturbed time measurements: the page marks them, says so, and concludes nothing from them. The measuring Worker
// sends the test's messages; the charts are read back.
import { expectLine, readChart } from './drawn.ts';
import { expect, test } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';

/** Replaces the measuring Worker with one that sends the test's messages. */
const scripted = ({ kind, messages }: { kind: string; messages: object[] }) => {
  window.Worker = class extends Worker {
    override postMessage(message: { what: string; kind?: string; id: number }): void {
      if (message.what !== 'begin' || message.kind !== kind) return super.postMessage(message);
      const { id } = message;
      const hear = (data: object) => this.dispatchEvent(new MessageEvent('message', { data }));
      for (const one of messages) hear({ what: 'said', id, message: one });
      hear({ what: 'answer', id });
    }
  };
};

const sizes = [16, 32, 64, 128, 256, 512];

test('what could not be measured well is marked, and nothing is concluded from it', async ({
  page,
}) => {
  const measured = (runner: string, n: number, steady: boolean, gigaflops: number) => ({
    kind: 'measured',
    measured: { ...{ runner, n, steady, gigaflops, median: n ** 3 * 1e-6 }, least: 1, most: 2 },
  });
  const messages = [
    { kind: 'peak', gigaflops: 10 },
    ...sizes.map((n) => measured('tiled', n, n !== 512, 5)),
    ...sizes.map((n) => measured('strassen', n, true, 4)),
    ...sizes.map((n) => measured('ijk', n, n !== 16, 1)),
  ];
  await page.addInitScript(scripted, { kind: 'products', messages });
  await page.goto('./multiply/');
  const section = page.locator('#measured');
  await section.scrollIntoViewIfNeeded();
  // The preview says so, too.
  await expect(section.locator('[data-state="idle"]')).toContainText(
    messagePattern('multiply.measured.glanced', { times: 'rough' }),
  );
  await section
    .getByRole('button', { name: message('multiply.measured.start'), exact: true })
    .click();
  await expect(section.locator('[data-state]')).toHaveAttribute('data-state', 'finished');
  await expect(section.locator('td.unsteady[data-n]')).toHaveCount(2);
  await expect(section.locator('[data-unsteady]')).toContainText(
    messagePattern('shell.busy.some', { count: 2, all: 18 }),
  );
  await expect(section.locator('[data-crossover]')).toHaveText(
    message('multiply.measured.undecided'),
  );
  const exponent = (runner: string) => section.locator(`[data-runner=${runner}] [data-exponent]`);
  await expect(exponent('tiled')).toHaveText('?');
  await expect(exponent('strassen')).toHaveText('3.00');
  await expect(exponent('ijk')).toHaveText('3.00'); // fitted to the larger sizes
  await expect(section.locator('[data-runner=tiled] [data-share]')).toHaveText('50 %');
  await expect(section.locator('[data-over-peak]')).toHaveCount(0);
  const chart = await readChart(section.locator('svg[role=img]'));
  const logarithmic = { across: true, up: true };
  for (const [runner, speed] of Object.entries({ tiled: 5, strassen: 4, ijk: 1 })) {
    expectLine(
      chart,
      runner,
      sizes.map((n) => [n, speed]),
      logarithmic,
    );
  }
});

test('no share of a peak that something is faster than', async ({ page }) => {
  const messages = [
    { kind: 'peak', gigaflops: 10 },
    ...['tiled', 'ijk'].map((runner, i) => ({
      kind: 'measured',
      measured: {
        runner,
        n: 16,
        steady: true,
        gigaflops: 11 - 8 * i,
        median: 1,
        least: 1,
        most: 1,
      },
    })),
  ];
  await page.addInitScript(scripted, { kind: 'products', messages });
  await page.goto('./multiply/');
  const section = page.locator('#measured');
  await section
    .getByRole('button', { name: message('multiply.measured.start'), exact: true })
    .click();
  await expect(section.locator('[data-over-peak]')).toContainText(message('shell.busy.overPeak'));
  await expect(section.locator('[data-share]')).toHaveText(['?', '?']);
});

test('where linear attention wins is not told from unsteady times', async ({ page }) => {
  const measured = (runner: string, n: number, steady: boolean) => ({
    kind: 'measured',
    measured: {
      ...{ runner, n, steady, median: runner === 'linear' ? 1 : 2, least: 1, most: 2 },
      ...{ flops: 1, touched: 1, intensity: 1, bytes: 1, wrong: 0.1 },
    },
  });
  const of = (steady: boolean) =>
    ['full', 'online', 'linear', 'window'].flatMap((runner) =>
      [32, 64].map((n) => measured(runner, n, steady || runner !== 'online')),
    );
  for (const steady of [false, true]) {
    await page.addInitScript(scripted, { kind: 'attention', messages: of(steady) });
    await page.goto('about:blank');
    await page.goto('./longer/');
    const section = page.locator('#measured');
    await section
      .getByRole('button', { name: message('multiply.measured.start'), exact: true })
      .click();
    await expect(section.locator('[data-wins]')).toHaveAttribute(
      'data-wins',
      steady ? '32' : 'unsteady',
    );
    await expect(section.locator('td.unsteady')).toHaveCount(steady ? 0 : 2);
  }
});
