// A figure's link leads to the figure, not to the head of its chapter.
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { chapters, computed, open } from './reach.ts';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

for (const { id } of chapters) {
  test(`${id}: the link of the last figure opens the page there`, async ({ page }) => {
    await open(page, id);
    const sections = page.locator('main section[id]');
    const last = sections.filter({ has: page.locator('[data-take]') }).last();
    const name = (await last.getAttribute('id'))!;
    const isFirst = name === (await sections.first().getAttribute('id'));
    await last.locator('[data-take] button').first().click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).pathname).toMatch(new RegExp(`/${id}/$`));
    expect(new URL(link).hash.split('?')[0]).toBe(isFirst ? '' : `#${name}`);
    await page.goto('about:blank');
    await page.goto(link);
    await computed(page);
    await expect(page.locator(`section[id="${name}"] .card`).first()).toBeInViewport();
    await expect(page.getByText(message('shell.brokenLink'))).toHaveCount(0);
  });
}
