// The references beside the page: they are reachable from it, complete, and load nothing from elsewhere.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expectFaultless } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { dist } from './host.ts';
import { message } from './messages.ts';
import { weekly } from './weekly.ts';

test('every call is an example away from the page', async ({ page }) => {
  await page.goto('./average/');
  await page.getByRole('contentinfo').getByRole('link').click();
  await expect(page).toHaveTitle(/Tril for JavaScript/);
  await page.getByRole('link', { name: 'Calls', exact: true }).first().click();
  const attention = page.locator('.tsd-member', { has: page.locator('#attention') }).first();
  await expect(attention).toContainText('Vaswani');
  await expect(attention).toContainText('Throws');
  await expect(attention.locator('pre')).toContainText('tril.attention(q, k, v');
  await page.setViewportSize({ width: 360, height: 740 });
  const beyond = () => document.documentElement.scrollWidth - window.innerWidth;
  expect(await page.evaluate(beyond)).toBe(0);
});

test('the reference of the library is there where Doxygen is', async ({ page }) => {
  test.skip(!existsSync(join(dist, 'cpp')), 'built without Doxygen');
  await page.goto('./api/index.html');
  await page
    .getByRole('link', { name: message('figures.take.code.cpp') })
    .first()
    .click();
  await expect(page.getByText('Plain C++20')).toBeVisible();
  await page.goto('./cpp/attention_8h.html');
  await expect(page.getByText('Scaled dot-product attention').first()).toBeVisible();
});

test(
  'the reference has landmarks, and who looks for its text finds it',
  weekly(),
  async ({ page }) => {
    for (const path of ['index.html', 'interfaces/tril.Tril.html', 'hierarchy.html']) {
      await page.goto(`./api/${path}`);
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible();
      await expectFaultless(page, { where: path, what: 'landmarks' });
    }
  },
);
