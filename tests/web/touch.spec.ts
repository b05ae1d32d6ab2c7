// On a phone nothing lies over the page that nobody has asked for: no box that is placed beside a cell, and nothing else that
// keeps its place in the window, but for what says that something has failed or takes long.
import { expect, test } from './fixtures.ts';
import { chapters, open } from './reach.ts';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
for (const { id } of chapters) {
  test(`${id}: no box lies over what is scrolled through by touch`, async ({ page }) => {
    await open(page, id);
    const session = await page.context().newCDPSession(page);
    const swipe = { x: 195, y: 700, yDistance: -600, speed: 4000 };
    const end = () => page.evaluate(() => scrollY + innerHeight > document.body.scrollHeight - 4);
    for (let swipes = 0; swipes < 60 && !(await end()); ++swipes) {
      await session.send('Input.synthesizeScrollGesture', {
        ...swipe,
        gestureSourceType: 'touch',
      });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
      const over = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('body :not([role])')]
          .filter((one) => getComputedStyle(one).position === 'fixed')
          .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          .map((one) => one.outerHTML.slice(0, 120)),
      );
      expect(over, `after ${swipes + 1} swipes`).toEqual([]);
    }
    await session.detach();
  });
}
