// The state of the page is its address.
import { expect, test } from './fixtures.ts';

test('what is done on the page can be opened elsewhere by its address', async ({
  attend,
  page,
  context,
}) => {
  await attend.open();
  await page.getByLabel('Your text').fill('été ou hiver? 夏 & 冬 #1 100%');
  await page.getByRole('button', { name: 'Characters' }).click();
  await page.getByRole('button', { name: 'First token' }).click();
  await page.getByRole('button', { name: 'None' }).click();
  await attend.step('K');
  await attend.point('wk', 1, 3);
  await page.getByLabel('New value').first().fill('0.5');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/edits=wk/);
  const table = await attend.table();
  const why = await attend.why.innerText();

  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator('[data-variant]').waitFor();
  await expect(other.getByLabel('Your text')).toHaveValue('été ou hiver? 夏 & 冬 #1 100%');
  for (const name of ['Characters', 'Your own', 'None']) {
    await expect(other.getByRole('button', { name })).toHaveAttribute('aria-pressed', 'true');
  }
  await expect(other.locator('#steps .stage')).toHaveAttribute('data-step', 'k');
  expect(await other.locator('#steps .why').innerText()).toBe(why);
  await other.locator('#steps details summary').click();
  expect(
    (await other.locator('#steps tbody tr').first().locator('td').allTextContents()).length,
  ).toBe(table[0].length);
  await expect(other.getByRole('alert')).toHaveCount(0);
});

test('a broken address says what could not be read, and shows the rest', async ({
  attend,
  page,
}) => {
  await attend.open({
    step: 'nonsense',
    head: 'same',
    pin: 'q.99.0',
    edits: 'wq~0~0~alert(1)',
    text: 'still here',
    evil: '<img src=x onerror=alert(1)>',
  });
  const alert = page.getByRole('alert');
  for (const part of ['step=nonsense', 'pin=q.99.0', 'edits=wq', 'evil=<img']) {
    await expect(alert).toContainText(part);
  }
  await expect(page.getByLabel('Your text')).toHaveValue('still here');
  await expect(page.getByRole('button', { name: 'Same token' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(page.locator('#steps .stage')).toHaveAttribute('data-step', 'x');
  await alert.getByRole('button', { name: 'Dismiss' }).click();
  await expect(alert).toHaveCount(0);
});

test('an address that is no address at all falls back as well', async ({ page }) => {
  for (const hash of [
    '#',
    '#?',
    '#%E0%A4%A',
    '#?text=%E0%A4%A',
    '#?text',
    '#attend?',
    '#attend?text=%E0%A4%A',
  ]) {
    await page.goto('about:blank');
    await page.goto(`./${hash}`);
    await expect(page.locator('h1')).toBeVisible();
    await expect(page.locator('.card').first()).toBeVisible();
    await page.waitForLoadState('networkidle');
  }
});

test('a pin outside of its matrix is said, not shown', async ({ attend, page }) => {
  await attend.open({ text: 'one two', pin: 'weights.5.5', step: 'weights' });
  await expect(page.getByRole('alert')).toContainText('outside');
  await attend.point('weights', 1, 0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('back and forward go through heads and texts; steps do not fill the history', async ({
  attend,
  page,
}) => {
  await attend.open();
  await page.getByRole('button', { name: 'Same token' }).click();
  await attend.step('Scores');
  await attend.step('Weights');
  await page.getByRole('button', { name: 'First token' }).click();
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Same token' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Previous token' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await page.goForward();
  await expect(page.getByRole('button', { name: 'Same token' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
});

test('the formula is the map: each symbol leads to its step and lights up', async ({
  attend,
  page,
}) => {
  await attend.open();
  const map = page.getByRole('navigation', { name: 'The formula is the map' });
  for (const [name, step] of [
    ['Q: the queries', 'q'],
    ['K: the keys', 'k'],
    ['Q K transposed: the scores', 'scores'],
    ['divided by the square root of d', 'scaled'],
    ['plus M: the mask', 'masked'],
    ['softmax: scores become weights', 'weights'],
    ['V: the values', 'v'],
  ]) {
    const link = map.getByRole('link', { name, exact: true });
    expect(await link.getAttribute('href')).toContain(`step=${step}`);
    await link.click();
    await expect(page.locator('#steps .stage')).toHaveAttribute('data-step', step);
    await expect(link).toHaveAttribute('aria-current', 'step');
  }
});
