// A figure's link leads to the figure, not to the top of its chapter; and a link with repeated fields works, too.
import { expect, test } from './fixtures.ts';
import { codecs, full } from './links.ts';
import { unfolded } from './menus.ts';
import { message } from './messages.ts';
import { chapters, computed, open } from './reach.ts';
import { still } from './settled.ts';
import { usual, weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

for (const { id } of chapters) {
  test(
    `${id}: the link of the last figure opens the page there`,
    weekly(id, usual),
    async ({ page }) => {
      await open(page, id);
      const sections = page.locator('main section[id]');
      const last = sections.filter({ has: page.locator('[data-take]') }).last();
      const name = (await last.getAttribute('id'))!;
      const isFirst = name === (await sections.first().getAttribute('id'));
      await unfolded(last.locator('[data-take]').first());
      await last.locator('[data-take] button').first().click();
      const link = await page.evaluate(() => navigator.clipboard.readText());
      expect(new URL(link).pathname).toMatch(new RegExp(`/${id}/$`));
      expect(new URL(link).hash.split('?')[0]).toBe(isFirst ? '' : `#${name}`);
      await page.goto('about:blank');
      await page.goto(link);
      await computed(page);
      await expect(page.locator(`section[id="${name}"] .card`).first()).toBeInViewport();
      await expect(page.getByText(message('shell.brokenLink'))).toHaveCount(0);
    },
  );
}

const places = Object.keys(codecs).map((id) => ({ id, place: id === 'home' ? '' : `${id}/` }));

for (const { id, place } of places) {
  test(
    `${id}: a link of which each field is broken, or given twice, says what it does not know`,
    weekly(id, usual),
    async ({ page }) => {
      const alert = page.getByRole('alert').filter({ hasText: 'zz' });
      const dismiss = async () => {
        // The page goes on: a dismissed message disappears.
        await still(page);
        await alert.getByRole('button').click();
        await expect(alert).toHaveCount(0);
      };
      const names = Object.keys(codecs[id].defaults);
      const bad = names.map((name, i) => `${name}=${['%', '%E0%A4%A', '%zz'][i % 3]}!`);
      const query = `${full[id]}&${bad.join('&')}&zz=${'9'.repeat(40_000)}`;
      const { problems } = codecs[id].decode(query);
      await page.goto(`./${place}#?${query}`);
      await page.locator('[data-variant]').first().waitFor();
      await expect(alert.locator('code')).toHaveCount(problems.length);
      await dismiss();

      await page.goto(`./${place}#?${full[id]}&${full[id]}&zz=1&zz=1`);
      await expect(alert.locator('code')).toHaveText(['zz=1', 'zz=1']);
      await dismiss();
    },
  );
}

/** Texts with two parts that look alike: by characters, a space and a no-break space. */
const alike: Record<string, string> = {
  attend: 'by=characters&step=weights&text=a b\u00a0c\u2003d',
  mask: 'by=characters&text=a b\u00a0c\u2003d',
  heads: 'text=a\u00a0a a\u2003a',
  block: 'text=a\u00a0a a\u2003a',
  towers: 'source=a\u00a0a a&target=a\u00a0a a',
  home: 'say=a\u00a0a a\u2003a',
  meaning: 'beside=war war war&analogy=mexico mexican france&word=war',
};
for (const { id, place } of places) {
  if (!(id in alike)) continue;
  test(`${id}: words that look alike are all there`, weekly(id, usual), async ({ page }) => {
    const query = new URLSearchParams(alike[id]).toString();
    await page.goto(`./${place}#?${query}`);
    await page.locator('[data-variant]').first().waitFor();
    for (const figure of await page.locator('main .card').all()) {
      await figure.scrollIntoViewIfNeeded();
    }
    await expect(page.getByRole('alert')).toHaveCount(0);
    await still(page);
    if (id === 'mask') {
      await expect(page.locator('[data-shares] [data-sum]')).toHaveCount(7);
      await expect(page.locator('[data-bits] li')).toHaveCount(7);
    }
    if (id === 'attend') await expect(page.locator('svg [data-point]')).toHaveCount(7);
  });
}
