// Failures of the Worker, as a visitor sees them: it is restarted unnoticed, and if that does not help, the visitor is
// told why and can try again. Long computations can be ended.
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { holdWorkers, inPage, kill } from './workers.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('a Worker that dies is replaced unseen; one that dies again is said, and tried again', async ({
  attend,
  page,
}) => {
  await holdWorkers(page);
  await attend.open({ step: 'weights', text: 'a b a' });
  const before = await attend.drawn('weights');
  await kill(page);
  await page.getByRole('radio', { name: message('attend.head.names.first') }).click();
  await expect.poll(() => attend.drawn('weights')).not.toEqual(before);
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await inPage(page, ({ workers }) => workers.length)).toBe(2);

  // Two failures during a question that is new: now there is a reason, and an end.
  await inPage(page, (held) => void (held.hold = 'attend'));
  const held = await attend.drawn('weights');
  await page.getByLabel(message('attend.input.label')).fill('a a b');
  await kill(page);
  await expect.poll(() => inPage(page, ({ workers }) => workers.length)).toBe(3);
  await kill(page);
  await expect(page.getByRole('alert')).toContainText('out of memory');
  expect(await inPage(page, ({ workers }) => workers.length)).toBe(3);
  expect(await attend.drawn('weights')).toEqual(held);
  await expect(page.locator('[data-cost] :text-is("measuring")')).toHaveCount(0);
  const posted = await inPage(page, (all) => all.posted.length);
  await page.waitForTimeout(600);
  expect(await inPage(page, (all) => all.posted.length)).toBe(posted);

  await inPage(page, (all) => void (all.hold = ''));
  await page.getByRole('button', { name: message('shell.tryAgain') }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect.poll(() => attend.drawn('weights')).not.toEqual(held);
  await page.getByLabel(message('attend.input.label')).fill('a b a');
  await page.getByRole('radio', { name: message('attend.head.names.same') }).click();
  await expect.poll(() => attend.drawn('weights')).toEqual(before);
});

test('where the core cannot be loaded, the next try may succeed', async ({ page, guard }) => {
  guard.expect(/\.wasm|Failed to load|both async and sync|instantiation/);
  await page.route('**/*.wasm', (route) => route.abort());
  await page.goto('./#attend');
  await expect(page.getByRole('alert')).toContainText(message('shell.trouble'));
  await page.unroute('**/*.wasm');
  await page.getByRole('button', { name: message('shell.tryAgain') }).click();
  await page.locator('[data-matrix] [role="gridcell"]').first().waitFor();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the ways of going wrong are tried one by one, and that can be ended', async ({ page }) => {
  await holdWorkers(page);
  await page.addInitScript(() => Object.assign(window, { hold: 'own' }));
  await page.goto('./#check?sample=noScale');
  const state = page.locator('.trying');
  await expect(state).toHaveAttribute('data-state', 'running');
  await state.getByRole('button', { name: message('check.own.cancel') }).click();
  await expect(state).toHaveAttribute('data-state', 'cancelled');
  await expect(state).toContainText(message('check.own.cancelled'));
  const own = await inPage(page, ({ posted }) => posted.filter(({ what }) => what === 'cancel'));
  expect(own.length).toBeGreaterThan(0);
  await inPage(page, (held) => void (held.hold = ''));
  await state.getByRole('button', { name: message('shell.tryAgain') }).click();
  await expect(state).toHaveAttribute('data-state', 'answered');
  await expect(page.locator('[data-verdict]').first()).toBeVisible();
});

test('a proof whose numbers cannot be fetched says so, and is tried again', async ({
  page,
  guard,
}) => {
  guard.expect(/npy|Failed to (load|fetch)|ERR_FAILED/);
  await page.route('**/gelu*.npy', (route) => route.abort());
  await page.goto('./#check');
  const row = page.locator('[data-example="gelu"]');
  await expect(row).toContainText(message('figures.notComputed'));
  await expect(page.locator('[data-example="block"] [data-passed="true"]')).toBeVisible();
  await page.unroute('**/gelu*.npy');
  await page
    .getByRole('button', { name: message('shell.tryAgain') })
    .first()
    .click();
  await expect(row.locator('[data-passed="true"]')).toBeVisible();
});

test('a measurement is a session of its own Worker, which is kept when it is cancelled', async ({
  page,
}) => {
  await holdWorkers(page);
  await page.goto('./#longer');
  await page.locator('[data-variant]').waitFor();
  const state = page.locator('#measured [data-state]').first();
  const counted = () =>
    inPage(page, ({ workers, posted }) => ({
      workers: workers.length,
      begun: posted.filter(({ what, kind }) => what === 'begin' && kind === 'attention').length,
      cancelled: posted.filter(({ what }) => what === 'cancel').length,
    }));
  // The preview measurement begins by itself.
  await page.locator('#measured').scrollIntoViewIfNeeded();
  await expect(page.locator('#measured [data-show]')).toHaveAttribute('data-glanced', '9');
  for (const turn of [1, 2]) {
    await page
      .locator('#measured')
      .getByRole('button', { name: message('multiply.measured.start') })
      .click();
    await expect(state).toHaveAttribute('data-state', 'running');
    await page.locator('#measured progress').waitFor();
    await page
      .locator('#measured')
      .getByRole('button', { name: message('check.own.cancel') })
      .click();
    await expect(state).toHaveAttribute('data-state', 'cancelled');
    const { workers, begun, cancelled } = await counted();
    expect({ workers, begun }).toEqual({ workers: 2, begun: 1 + turn });
    expect(cancelled).toBeGreaterThanOrEqual(turn);
  }
});
