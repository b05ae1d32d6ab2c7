// Deeper sections are folded behind their ledes until the visitor opens them.
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { message } from './messages.ts';
import { computed, open } from './reach.ts';
import { usual, weekly } from './weekly.ts';

const test = base.extend<{ folded: void }>({
  folded: [
    async ({ page }, use) => {
      // Removes the tests' own flag, once: the page remembers the sections that a visitor opens afterwards.
      await page.addInitScript(() => {
        if (!location.protocol.startsWith('http')) return;
        if (localStorage.getItem('tril.deeper') === 'all') localStorage.removeItem('tril.deeper');
      });
      await use();
    },
    { auto: true },
  ],
});

const deep = {
  attend: ['stable', 'scale'],
  mask: ['blocks'],
  heads: ['divided', 'split'],
  learn: ['step', 'cost'],
  meaning: ['analogies'],
  model: ['cache', 'patch'],
  multiply: ['memory', 'measured', 'strassen'],
  block: ['norm', 'shuffle', 'activations', 'depth'],
  towers: ['cross', 'steps', 'additive', 'shapes'],
  longer: ['linear', 'rank', 'measured'],
  check: ['proof'],
};
const section = (page: Page, id: string) => {
  const part = page.locator(`#${id}`);
  return { part, card: part.locator('.card'), button: part.locator('.text .chip').first() };
};

for (const [chapter, ids] of Object.entries(deep)) {
  test(
    `unfolded by a press, and at the next visit: ${chapter}`,
    weekly(chapter, usual),
    async ({ page }) => {
      await open(page, chapter);
      for (const id of ids) {
        const { part, card, button } = section(page, id);
        await expect(part.locator('.lede')).toBeVisible();
        await expect(card).toBeHidden();
        await expect(button).toContainText(message('shell.deeper'));
        await button.click();
        await expect(card).toBeVisible();
        await expect(card.locator(':scope > *').first()).toBeVisible();
      }
      await expect(page.locator('.folded')).toHaveCount(0);
      // The tests' own flag is gone: only the sections opened by a click are open now.
      await page.reload();
      await computed(page);
      for (const id of ids) await expect(section(page, id).card).toBeVisible();
    },
  );
}

test('a link to one unfolds it, and a link to a state unfolds all', async ({ page }) => {
  await open(page, 'longer');
  await expect(page.locator('.folded')).toHaveCount(deep.longer.length);
  await page.goto('./longer/#rank');
  await expect(section(page, 'rank').card).toBeVisible();
  await expect(section(page, 'linear').card).toBeHidden();
  await page.goto('about:blank');
  await page.goto('./towers/#?padding=1');
  await computed(page);
  await expect(page.locator('.folded')).toHaveCount(0);
});

test(
  'folded, a chapter has no accessibility faults, and on paper nothing is folded',
  weekly(),
  async ({ page }) => {
    await open(page, 'longer');
    await expectAccessible(page);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await expect(page.locator('.folded')).toHaveCount(0);
    await page.reload();
    await computed(page);
    await expect(page.locator('.folded')).toHaveCount(deep.longer.length);
  },
);

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });

  test('all words are there', async ({ page, guard }) => {
    guard.expect(/^failed, csp: .*\.js$/u);
    await page.goto('./longer/');
    await expect(page.locator('#rank .after')).toBeVisible();
    await expect(page.locator('#rank .chip')).toBeHidden();
  });
});
