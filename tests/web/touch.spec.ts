// On a phone nothing unasked lies over the page: no box beside a cell, and nothing else at a fixed position in the
// window, except messages about a failure or a long wait.
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';
import { usual, weekly } from './weekly.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
for (const { id } of chapters) {
  test(
    `${id}: no box lies over what is scrolled through by touch`,
    weekly(id, usual),
    async ({ page }) => {
      await open(page, id);
      const session = await page.context().newCDPSession(page);
      const swipe = {
        x: 195,
        y: 600,
        yDistance: -400,
        speed: 4000,
        gestureSourceType: 'touch',
      } as const;
      for (const card of await page.locator('main .card:visible').all()) {
        // The finger touches the figure first, wherever that is.
        await card.evaluate((one) => one.scrollIntoView({ block: 'center' }));
        await session.send('Input.synthesizeScrollGesture', swipe);
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
        const over = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('body :not([role])')]
            .filter((one) => getComputedStyle(one).position === 'fixed')
            .filter((one) =>
              one.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
            )
            .map((one) => one.outerHTML.slice(0, 120)),
        );
        expect(over).toEqual([]);
      }
      await session.detach();
    },
  );
}

for (const known of [true, false]) {
  test(`model: a swipe looks at another token${known ? '' : ', where scrolling has no end event'}`, async ({
    page,
  }) => {
    if (!known) {
      await page.addInitScript(() => {
        Reflect.deleteProperty(window, 'onscrollend');
        addEventListener('scrollend', (event) => event.stopImmediatePropagation(), true);
      });
    }
    await open(page, 'model');
    const roll = page.locator('.roll').first();
    const looked = roll.locator('.choice [aria-pressed="true"]');
    await expect(looked).toHaveCount(1);
    const places = () =>
      roll
        .locator('.choice button')
        .evaluateAll((all) => all.map((one) => one.getAttribute('aria-pressed')).indexOf('true'));
    const before = await places();
    // The events of a swipe in a browser.
    await roll.locator('.scroller').evaluate((one) => {
      one.dispatchEvent(new PointerEvent('pointerdown'));
      one.scrollLeft = 0;
    });
    expect(before).toBeGreaterThan(0);
    await expect.poll(places).toBe(0);
  });
}
