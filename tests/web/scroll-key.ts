// A key that scrolls, pressed until the page has scrolled: under load a browser may lose a key.
import type { Page } from '@playwright/test';
import { expect } from './expect.ts';

/** Presses the key until the page is scrolled beyond `top`. */
export async function pressToScroll(page: Page, key: string, top: number): Promise<void> {
  await expect(async () => {
    await page.keyboard.press(key);
    await expect
      .poll(() => page.evaluate(() => scrollY), { message: key, timeout: 5000 })
      .toBeGreaterThan(top);
  }).toPass({ timeout: 60_000 });
}
