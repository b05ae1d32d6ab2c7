// The stream through a block: strands whose widths follow the norms of the core's rows, and its animation.
import { expect, test } from './fixtures.ts';
import { Lesson, rowsOf } from './lessons.ts';
import { tril } from './oracle.ts';
import { blockOf, ids, inputOf } from './oracles/block.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

/** Drawings are laid out in hundredths of a pixel. */
const pixels = 0.02;

test('each strand of the stream is as wide as its row is large', async ({ page }) => {
  const core = await tril();
  const words = ['the', 'cat', 'saw', 'the', 'dog'];
  const norms = rowsOf(inputOf(core, ids, true)).map((row) => Math.hypot(...row));
  const block = new Lesson(page, 'block');
  const strands = page.locator('[data-stream] [data-strand]');
  /** The widths at a height in pixels, measured inside the drawn outlines once they have stopped moving. */
  const widths = (y: number) =>
    strands.evaluateAll(async (all, height) => {
      const moving = () => all.some((one) => one.getAnimations().length > 0);
      while (moving()) await new Promise(requestAnimationFrame);
      return all.map((one) => {
        const path = one as SVGGeometryElement;
        const step = 0.05;
        let inside = 0;
        for (let x = 0; x < 110; x += step) {
          if (path.isPointInFill(new DOMPoint(x, height))) inside += step;
        }
        return inside;
      });
    }, y);
  const near = (found: number[], expected: number[], what: string) => {
    for (const [token, width] of expected.entries()) {
      expect(Math.abs(found[token] - width), `${what}, ${words[token]}`).toBeLessThan(0.11);
    }
  };

  await block.open();
  const unit = Number(await strands.first().getAttribute('data-unit'));
  const x = norms.map((size) => size * unit);
  await expect(async () => near(await widths(60), x, 'x')).toPass();
  // A norm makes all rows equally large: the square root of the width.
  const equal = words.map(() => Math.sqrt(8) * unit);
  await expect(async () => near(await widths(220), equal, 'after the first norm')).toPass();
  await expect(page.locator('[data-changed]')).toHaveAttribute('data-changed', 'false');

  // Without it rows keep their sizes. Both are in view with the switch.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.locator('[data-part="norm1"]').getByRole('switch').click();
  await expect(page.locator('[data-stream] .whole')).toHaveCount(1);
  await expect(page.locator('[data-changed="true"]')).toBeInViewport();
  // Once the core has answered and the strands have moved. With the norm, all strands after it have equal widths.
  await expect(async () => {
    const came = await widths(145);
    near(await widths(220), came, 'without the norm');
    expect(Math.max(...came) / Math.min(...came)).toBeGreaterThan(1.05);
  }).toPass();

  // Without a residual connection the incoming stream ends there.
  await page.locator('[data-part="residual1"]').getByRole('switch').click();
  await expect(page.locator('[data-stream] .plus.off')).toHaveCount(1);
  const none = words.map(() => 0);
  await expect(async () => near(await widths(118), none, 'at the sum')).toPass();
});

test('what attention adds runs along its branch and merges, there and back', async ({ page }) => {
  const core = await tril();
  const { trace } = blockOf(core, inputOf(core, ids, true), 'post');
  const sizes = rowsOf(trace.attention).map((row) => Math.hypot(...row));
  const stages = 'x queries keys values scores masked weights heads attention residual1'.split(' ');
  const frames = 48;
  const block = new Lesson(page, 'block');
  await block.open();
  const stream = page.locator('[data-stream]');
  const slider = block.stepper('block').getByRole('slider');
  const unit = Number(await stream.locator('[data-strand]').first().getAttribute('data-unit'));
  /** The heights, from the top, of the ends of x, of the first sum and of the first norm. */
  const [sum, norm] = [118, 168];
  const at = async (stage: string, frame: number) => {
    await slider.fill(String(frames * (stages.indexOf(stage) - 1) + frame));
    await page.locator(`[data-stage="${stage}"]`).waitFor();
    return seen();
  };
  const seen = async () => {
    const added = stream.locator('[data-added="attention"]');
    const there = (await added.count()) > 0;
    return {
      front: Number(await stream.getAttribute('data-front')),
      height: Number(await stream.locator('[data-flowed]').getAttribute('height')),
      added: there ? parseFloat((await added.getAttribute('stroke-dasharray'))!) : 0,
      width: there ? Number(await added.getAttribute('stroke-width')) : 0,
    };
  };
  /** Slow at both ends, and complete within three quarters of a step. */
  const share = (frame: number) => {
    const t = Math.min(1, frame / 36);
    return t * t * (3 - 2 * t);
  };
  const width = sizes.reduce((all, size) => all + size, 0) * unit;
  const before = await seen();
  expect(before).toEqual({ front: sum, height: sum, added: 0, width: 0 });
  for (const frame of [9, 18, 30, 48, 18]) {
    const found = await at('attention', frame);
    expect(found.front, `front at ${frame}`).toBe(sum);
    expect(found.added, `way at ${frame}`).toBeCloseTo(100 * share(frame), 1);
    expect(Math.abs(found.width - Math.min(24, width)), 'as wide as its norm').toBeLessThan(pixels);
  }
  for (const frame of [9, 27, 48, 9]) {
    const found = await at('residual1', frame);
    const front = sum + share(frame) * (norm - sum);
    expect(Math.abs(found.front - front), `front at ${frame}`).toBeLessThan(pixels);
    expect(found.height).toBe(found.front);
    expect(found.added).toBe(100);
  }
  // Arrow keys move by a stage, with Shift by a frame.
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('[data-stage="attention"]').waitFor();
  await expect(stream).toHaveAttribute('data-front', String(sum));
  await expect(slider).toHaveValue(String(8 * frames));
  await page.keyboard.press('Shift+ArrowRight');
  await expect(slider).toHaveValue(String(8 * frames + 1));
  await page.locator('[data-stage="residual1"]').waitFor();
  await slider.fill('0');
  await page.locator('[data-stage="x"]').waitFor();
  expect(await seen()).toEqual(before);
});
