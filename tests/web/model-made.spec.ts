// Chapter "Model" before its model is loaded: the prerendered results of its lower figures, against the package in
// Node.
import { openingAsks, openingText } from '../../web/src/compute/shared/opened/opening-text.ts';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits, expectTablesFit, number } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import {
  allowed,
  expectCarried,
  expectPainted,
  expectRanked,
  expectShifts,
  here,
  near,
  see,
  visited,
  type Here,
} from './model-page.ts';
import { nextOf } from './oracles/model.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

/**
 * The cost of the last `rows` of `tokens` tokens and of the next guess, by the core's count of each part: projections,
 * causal attention, and a gated feed-forward, all without biases.
 */
function flopsOf({ tril, shape }: Here, rows: number, tokens: number): number {
  const { layers, heads, width, hidden, vocabulary } = shape;
  const linear = (from: number, to: number, count = rows) =>
    tril.cost.linear({ rows: count, in: from, out: to, bias: false }).flops;
  const attention = tril.cost.attention({
    ...{ heads, queries: rows, keys: tokens, width: width / heads },
    ...{ causal: true, past: tokens - rows },
  });
  const activation = tril.cost.activation({ count: rows * hidden, activation: 'silu' });
  const layer =
    4 * linear(width, width) +
    attention.flops +
    2 * linear(width, hidden) +
    activation.flops +
    linear(hidden, width);
  return layers * layer + linear(width, vocabulary, 1);
}

test('before a model is loaded the figures further down are true, too', async ({ page }) => {
  const models: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/models/')) models.push(request.url());
  });
  await visited(page);
  const core = await here();
  const { model, shape } = core;
  const ids = model.encode(openingText);

  // The question has the model's own answer.
  const question = page.locator('#open .ask').first();
  const [{ text, sampling }] = openingAsks;
  const { kept, plain } = nextOf({ ...core, tokenizer: true }, { text, sampling, seed: 1 });
  expect(kept).toBe(1);
  await question.getByRole('button', { name: message('model-ask.options.one') }).click();
  const answer = question.locator('[data-answer]');
  await expect(answer).toHaveAttribute('data-answer', 'right');
  await expect(answer).toContainText(messagePattern('model-ask.says.right'));
  const likeliest = model.decode([plain.indexOf(Math.max(...plain))]);
  await expect(answer).toContainText(`“${likeliest.trim()}”`);

  const cache = await see(page, 'cache');
  await expect(cache.locator('[data-closed]')).toContainText(openingText.trim());
  await expectPainted(cache, model.forward(ids, { trace: true }).trace!.layers[0]);
  const [T, D] = [ids.length, shape.headWidth];
  expect(await number(cache.locator('[data-panel="with"]'), 'now')).toBe(3 * D + T);
  expect(await number(cache.locator('[data-apart]'), 'apart')).toBeLessThan(allowed);
  const tokensSoFar = cache.getByRole('slider', { name: message('model-away.cache.length') });
  for (const [key, tokens] of [
    ['Home', 16],
    ['End', shape.context],
  ] as const) {
    await tokensSoFar.press(key);
    const bytes = 2 * shape.layers * shape.kvHeads * D * 4 * tokens;
    await expect(cache.locator('[data-held]')).toHaveAttribute('data-held', String(bytes));
    await expect(cache.locator('[data-held]')).toHaveAttribute('data-bytes', String(bytes));
    const all = cache.locator('[data-part="all"]');
    expect(await number(all, 'with')).toBe(flopsOf(core, 1, tokens));
    expect(await number(all, 'without')).toBe(flopsOf(core, tokens, tokens));
  }
  await expect(cache.locator('[data-timing]')).toHaveCount(0);

  const away = await see(page, 'away');
  const whole = core.said(ids);
  near(await number(away.locator('[data-loss]'), 'loss'), whole.loss);
  await expectShifts(away, whole.shares, whole.shares);
  await expect(away.locator('[data-part]').first()).toBeDisabled();
  await expect(away.locator('[data-part][data-rise]')).toHaveCount(0);
  const veil = page.locator('[data-veil="model-away"]');
  const { height } = (await veil.boundingBox())!;
  await page.locator('#away [data-asked] button').first().click();
  await expect(veil).not.toHaveAttribute('data-covered', 'true');
  expect(Math.abs((await veil.boundingBox())!.height - height)).toBeLessThan(1);
  await expectRanked(page, core, ids);
  await expectAccessible(page, '#away');

  const patch = await see(page, 'patch');
  const { cell, columns } = await expectCarried(page, core);
  await cell(0, columns - 2).press('Enter');
  await expect(patch.locator('[data-chosen]')).toHaveAttribute('data-chosen', `0.${columns - 2}`);
  await page
    .locator('#patch')
    .getByRole('button', { name: message('model-away.patch.swap') })
    .click();
  await expect(page.locator('#patch [data-closed]')).toContainText(
    message('model-away.patch.notLoaded'),
  );
  await expectAccessible(page, '#patch');
  await page.setViewportSize({ width: 360, height: 780 });
  await expectFits(page);
  await see(page, 'cache');
  await expectTablesFit(page);
  expect(models).toEqual([]);
  model.dispose();
});
