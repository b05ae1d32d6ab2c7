// Opens every chapter in Chromium, for `npm test`: it is computed, its numbers are numbers, keys work. The *.spec.ts
// files test the figures.
import type { Page } from '@playwright/test';
import { chapters } from './chapters.ts';
import { test } from './fixtures.ts';
import { motions, placeOf } from './places.ts';
import { expectChapter, expectMotion, type Driven } from './smoke.ts';

const driven = (page: Page): Driven => ({
  goto: (address) => page.goto(address),
  evaluate: (work) => page.evaluate(work),
  press: (key) => page.keyboard.press(key),
});

for (const { id, title } of chapters) {
  test(`${id} computes, and its keys work`, ({ page }) =>
    expectChapter(driven(page), placeOf(id), title));
}

for (const place of motions) {
  test(`${place} moves`, ({ page }) => expectMotion(driven(page), placeOf(place)));
}
