// Tells when the page can be read: it marks when it asks and when it draws (compute/page/lessons.svelte.ts,
// figures/turns.ts).
import type { Locator, Page } from '@playwright/test';
import { placeOf } from './places.ts';

/** Waits until every question is answered and the answers are drawn. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { dataset } = document.documentElement;
    const isBusy = () => dataset.asking !== undefined || dataset.drawing !== undefined;
    const patience = performance.now() + 20_000;
    // Two frames in a row: a drawn figure may ask, and an answer is drawn a frame later.
    for (
      let quiet = 0;
      quiet < 2 && performance.now() < patience;
      quiet = isBusy() ? 0 : quiet + 1
    ) {
      await new Promise((done) => {
        requestAnimationFrame(() => setTimeout(done));
        setTimeout(done, 500); // if no frame comes
      });
    }
  });
}

/** Waits until the page is settled, and nothing on it has changed for a while. */
export async function still(page: Page, quiet = 200): Promise<void> {
  await settled(page);
  await page.evaluate(
    (pause) =>
      new Promise<void>((done) => {
        let timer = setTimeout(finish, pause);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(finish, pause);
        });
        function finish() {
          observer.disconnect();
          done();
        }
        observer.observe(document, { subtree: true, childList: true, characterData: true });
        setTimeout(finish, 10 * pause); // Something may move forever.
      }),
    quiet,
  );
  await settled(page);
}

/** Opens an address: by a link if its chapter is open already, which takes a tenth of the time, else as a new page. */
export async function goTo(page: Page, address: string): Promise<void> {
  const place = placeOf(address);
  const now = page.url();
  const isThere = now.includes(`/${address.split('?')[0]}/`) && !now.endsWith(`/${place}`);
  if (!isThere && now !== 'about:blank') await page.goto('about:blank');
  await page.goto(place);
}

/**
 * Styles the cards around these elements as if they were in view. In a card out of view a transition may stay for
 * minutes at the state when a style was last read. No reader sees that, but a test would.
 */
export const inSight = (elements: Locator): Promise<void> =>
  elements.evaluateAll((all) => {
    for (const one of all) {
      const card = one.closest<HTMLElement>('.card');
      if (card) card.style.contentVisibility = 'visible';
    }
  });
