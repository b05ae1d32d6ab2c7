// Chapter "Longer": a manual step, frame by frame.
import { expect, test as base } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { message } from './messages.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'longer')),
});

test('a step by hand shows how its block is taken in, and with less motion only the end', async ({
  lesson,
  page,
}) => {
  const lanes = lesson.figure('online').locator('[data-lanes]');
  /** The frames that are shown after a step, until the last one of a block. */
  async function framesOf(): Promise<number[]> {
    const seen = await lanes.evaluateHandle((element) => {
      const frames: number[] = [];
      new MutationObserver(() => frames.push(Number(element.getAttribute('data-lanes')))).observe(
        element,
        { attributes: true, attributeFilter: ['data-lanes'] },
      );
      return frames;
    });
    const step = lesson.stepper('online').getByRole('button', {
      name: message('figures.player.step'),
    });
    await step.click();
    await expect(lesson.figure('online')).toHaveAttribute('data-step', '2');
    await expect(lanes).toHaveAttribute('data-lanes', '48');
    return seen.jsonValue();
  }
  await lesson.open({ step: '1' });
  const frames = await framesOf();
  expect(frames.length).toBeGreaterThan(2);
  expect(frames[0]).toBeLessThan(14);
  expect(frames).toEqual([...frames].sort((one, other) => one - other));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lesson.open({ step: '1' });
  expect((await framesOf()).every((frame) => frame === 48)).toBe(true);
});
