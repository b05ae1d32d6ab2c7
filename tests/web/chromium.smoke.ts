// Every chapter in Chromium, for `npm test`: it is computed, its numbers are numbers, keys work. What each figure shows is
// tested in the *.spec.ts files.
import { chapters } from './chapters.ts';
import { test } from './fixtures.ts';
import { placeOf } from './places.ts';
import { expectChapter } from './smoke.ts';

for (const { id, title } of chapters) {
  test(`${id} computes, and its keys work`, ({ page }) =>
    expectChapter(
      {
        goto: (address) => page.goto(address),
        evaluate: (work) => page.evaluate(work),
        press: (key) => page.keyboard.press(key),
      },
      placeOf(id),
      title,
    ));
}
