// Chapter "Model" without parts of its model: the cache, ablation and patching, against the package in Node on the same
// files.
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits, number } from './lessons.ts';
import { message } from './messages.ts';
import {
  allowed,
  expectCarried,
  expectPainted,
  expectRanked,
  expectShifts,
  near,
  opened,
  see,
} from './model-page.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('the cache: what is computed anew, counted, held and timed', async ({ page }) => {
  const text = 'The people of the United States and the Congress of the people';
  const core = await opened(page, `?${new URLSearchParams({ text }).toString()}`);
  const { model, shape, tril } = core;
  const ids = model.encode(text);
  const figure = await see(page, 'cache');
  const panel = (name: string) => figure.locator(`[data-panel="${name}"]`);
  await panel('with').waitFor();
  const [T, D] = [ids.length, shape.headWidth];
  expect(await number(panel('with'), 'now')).toBe(3 * D + T);
  expect(await number(panel('with'), 'kept')).toBe(2 * D * (T - 1));
  expect(await number(panel('without'), 'now')).toBe(3 * D * T + (T * (T + 1)) / 2);
  expect(await number(figure.locator('[data-apart]'), 'apart')).toBeLessThan(allowed);

  await figure
    .getByRole('radiogroup', { name: message('model-away.layer') })
    .getByRole('radio')
    .nth(1)
    .click();
  await expectPainted(figure, model.forward(ids, { trace: true }).trace!.layers[1]);

  // The cache is counted for the slider's number of tokens, and the core's cache has that size to the byte.
  const tokens = Math.min(100, shape.context);
  await figure
    .getByRole('slider', { name: message('model-away.cache.length') })
    .fill(String(tokens));
  const bytes = 2 * shape.layers * shape.kvHeads * D * 4 * tokens;
  await expect(figure.locator('[data-held]')).toHaveAttribute('data-held', String(bytes));
  await expect(figure.locator('[data-held]')).toHaveAttribute('data-bytes', String(bytes));
  const part = (name: string) => figure.locator(`[data-part="${name}"]`);
  const head = tril.cost.linear({ rows: 1, in: shape.width, out: shape.vocabulary, bias: false });
  expect(await number(part('head'), 'with')).toBe(head.flops);
  expect(await number(part('head'), 'without')).toBe(head.flops);
  for (const one of ['projections', 'feedForward']) {
    expect(await number(part(one), 'without')).toBe(tokens * (await number(part(one), 'with')));
  }
  const all = { with: 0, without: 0 };
  for (const one of ['projections', 'attention', 'feedForward', 'head']) {
    all.with += await number(part(one), 'with');
    all.without += await number(part(one), 'without');
  }
  expect(await number(part('all'), 'with')).toBe(all.with);
  expect(await number(part('all'), 'without')).toBe(all.without);
  const rows = figure.locator('[data-key-heads]');
  for (const row of await rows.all()) {
    const heads = await number(row, 'key-heads');
    expect(shape.heads % heads).toBe(0);
    expect(await number(row, 'bytes')).toBe((bytes / shape.kvHeads) * heads);
  }

  await figure.getByRole('button', { name: message('model-away.cache.times.start') }).click();
  const timed = figure.locator('[data-tokens]');
  await timed.nth(1).waitFor({ timeout: 60_000 });
  await figure
    .getByRole('button', { name: message('model-away.cache.times.stop') })
    .click({ force: true })
    .catch(() => {});
  await expect(figure.locator('[data-timing]')).toHaveAttribute(
    'data-timing',
    /cancelled|finished/u,
  );
  for (const row of (await timed.all()).slice(0, 2)) {
    const [alone, together] = [await number(row, 'with'), await number(row, 'without')];
    expect(alone).toBeGreaterThan(0);
    expect(await number(row, 'times')).toBeCloseTo(together / alone, 4);
  }
  await expectAccessible(page, '#cache');
  await page.setViewportSize({ width: 360, height: 780 });
  await expectFits(page);
  model.dispose();
});

test('parts are taken away, ranked, and carried over', weekly(), async ({ page }) => {
  // An address with more state would lift the veil.
  const core = await opened(page);
  const { model } = core;
  const ids = model.encode(await page.locator('#open textarea').first().inputValue());
  const whole = core.said(ids);

  const figure = await see(page, 'away');
  const loss = figure.locator('[data-loss]');
  near(await number(loss, 'loss'), whole.loss);
  await figure.locator('[data-part="1h2"]').click();
  await figure.locator('[data-part="2f"]').click();
  await expect(figure).toHaveAttribute('data-off', '2');
  const without = [
    { layer: 0, head: 1 },
    { layer: 1, part: 'feedForward' },
  ] as const;
  const after = core.said(ids, { without });
  await expect(async () => near(await number(loss, 'now'), after.loss)).toPass();
  near(await number(loss, 'loss'), whole.loss);
  await expectShifts(figure, whole.shares, after.shares);
  await expect(page).toHaveURL(/off=1h2\.2f/u);
  await expect(figure.locator('[data-part="1h2"]')).toHaveAttribute('aria-pressed', 'true');
  await figure.getByRole('button', { name: message('model-away.away.back') }).click();
  await expect(async () => near(await number(loss, 'now'), whole.loss)).toPass();

  // The guess comes before any number is shown; then every part is ablated in turn.
  const veil = page.locator('[data-veil="model-away"]');
  await expect(veil).toHaveAttribute('data-covered', 'true');
  await expect(figure.locator('[data-part][data-rise]')).toHaveCount(0);
  await page.locator('#away [data-asked] button').first().click();
  await page.locator('#away [data-answer]').waitFor({ timeout: 60_000 });
  await expect(veil).not.toHaveAttribute('data-covered', 'true');
  await figure.getByRole('button', { name: message('model-away.away.ranking.again') }).click();
  await expect(figure.locator('[data-ranking]')).toHaveAttribute('data-ranking', 'finished', {
    timeout: 60_000,
  });
  await expectRanked(page, core, ids);
  await expectAccessible(page, '#away');

  const patch = await see(page, 'patch');
  await expect(patch).toHaveAttribute('data-patching', 'finished', { timeout: 60_000 });
  const { receiver, columns, cell, patched, base } = await expectCarried(page, core);
  await cell(0, columns - 2).press('Enter');
  await expect(patch.locator('[data-chosen]')).toHaveAttribute('data-chosen', `0.${columns - 2}`);
  await patch.locator('[data-token]').first().waitFor();
  await expectShifts(patch, core.said(receiver).shares, patched(0, columns - 2));
  await page.keyboard.press('ArrowRight');
  await expect(cell(0, columns - 1)).toBeFocused();
  await page
    .locator('#patch')
    .getByRole('button', { name: message('model-away.patch.swap') })
    .click();
  await expect(page).toHaveURL(/into=/u);
  await expect(async () => {
    near(await number(base, 'after'), core.said(receiver).shares[await number(base, 'answer')]);
  }).toPass();
  await expectAccessible(page, '#patch');
  await page.setViewportSize({ width: 360, height: 780 });
  await expectFits(page);
  model.dispose();
});
