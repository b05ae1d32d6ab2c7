// The position of an element on the page, once it is stable and can be clicked: elements that scroll into view are
// drawn first, and a card that was off screen receives no pointer events before the next frame.
import type { Locator } from '@playwright/test';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Scrolls to the element and waits until it has stayed in place for some frames and milliseconds. Returns its box in
 * pixels of the window.
 */
export async function boxOf(locator: Locator): Promise<Box> {
  await locator.scrollIntoViewIfNeeded();
  return locator.evaluate(
    (element) =>
      new Promise<Box>((found) => {
        const [frames, pause] = [5, 120];
        let [same, since, last] = [0, performance.now(), ''];
        const look = () => {
          const { x, y, width, height } = element.getBoundingClientRect();
          const place = [x, y, width, height].join();
          if (place !== last) [same, since, last] = [0, performance.now(), place];
          else same += 1;
          if (same >= frames && performance.now() - since >= pause) found({ x, y, width, height });
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
}
