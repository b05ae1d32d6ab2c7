// The first figure of chapter "Heads": one sentence as one, two and four heads read it, and the row of Q that is
// divided among them, against a call for each division in Node.
import type { Page } from '@playwright/test';
import { arcsIn, expectWeights, middlesIn } from './arcs.ts';
import { expectAccessible } from './axe.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf, type Rows } from './lessons.ts';
import { message } from './messages.ts';
import { tril } from './oracle.ts';
import { headsApart, ids, sideBySide } from './oracles/heads.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'heads')),
});

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const alive = '.alive [data-figure="reads"]';
const rounding = 1e-4;

/** The weights of `count` heads, and the Q of all of them side by side. */
async function divided(count: number): Promise<{ maps: Rows[]; q: Rows }> {
  const core = await tril();
  const apart = await headsApart(ids);
  const each = 4 / count;
  const maps = Array.from({ length: count }, (_, head) => {
    const own = apart.slice(head * each, (head + 1) * each);
    const [q, k, v] = (['q', 'k', 'v'] as const).map((which) =>
      core.tensor(sideBySide(own.map((one) => one[which]))),
    );
    return rowsOf(core.attention(q, k, v, { causal: true, trace: true }).trace.weights);
  });
  return { maps, q: sideBySide(apart.map((head) => head.q)) };
}

async function expectLanes(page: Page, count: number, row: number, place = alive): Promise<void> {
  const { maps, q } = await divided(count);
  await expect(page.locator(place)).toHaveAttribute('data-into', String(count));
  await expect(page.locator(`${place} [data-lane]`)).toHaveCount(count);
  for (const [head, map] of maps.entries()) {
    const lane = `${place} [data-lane="${head}"]`;
    await expect(page.locator(`${lane} [data-arcs]`)).toHaveAttribute('data-arcs', String(row));
    const arcs = await arcsIn(page, lane);
    const expected = new Map(map[row].map((weight, key) => [String(key), weight] as const));
    expectWeights(arcs, expected, () => 8, rounding);
    const middles = await middlesIn(page, lane);
    for (const { key, ends } of arcs) {
      if (key === String(row)) continue; // a loop from the word to itself
      expect(Math.abs(ends[0][0] - middles.get(String(row))!), `from ${row}`).toBeLessThan(1.5);
      expect(Math.abs(ends[1][0] - middles.get(key)!), `to ${key}`).toBeLessThan(1.5);
    }
    // The text names the key with the largest weight, and the weight.
    const said = page.locator(`${place} [data-answers] tr`).nth(head).locator('.mono');
    const most = Math.max(...map[row]);
    expect(Math.abs(Number(await said.textContent()) - most)).toBeLessThan(0.006);
  }
  // The strips show the entries of Q, in order, head by head.
  const cells = await page.locator(`${place} [data-entry]`).evaluateAll((all) =>
    all.map((cell) => {
      const { left, top } = cell.getBoundingClientRect();
      return { value: Number((cell as HTMLElement).dataset.value), left, top };
    }),
  );
  expect(cells).toHaveLength(q[row].length);
  const each = q[row].length / count;
  for (const [entry, { value, left, top }] of cells.entries()) {
    expect(Math.abs(value - q[row][entry]), `entry ${entry}`).toBeLessThan(rounding);
    if (entry % each === 0) continue;
    expect(top, `entry ${entry}`).toBeCloseTo(cells[entry - 1].top, 1);
    const step = cells[1].left - cells[0].left;
    expect(left - cells[entry - 1].left, `entry ${entry}`).toBeCloseTo(step, 1);
  }
}

test('one head, two, four: arcs, strips and answers are the core’s', async ({ lesson, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lesson.open();
  await expectLanes(page, 2, 8);
  const into = page.getByRole('radiogroup', { name: message('heads.reads.into') });
  for (const count of [4, 1, 2]) {
    await into.getByRole('radio', { name: message('heads.reads.heads', { count }) }).click();
    await expectLanes(page, count, 8);
    await page.locator(`${alive} [data-lane="0"] [data-word="3"]`).click();
    await expectLanes(page, count, 3);
    await page.keyboard.press('Escape');
    await page.mouse.move(0, 0);
  }
});

test('strips part when the row is divided, and come together again', async ({ lesson, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.setViewportSize({ width: 1440, height: 900 });
  await lesson.open({ into: '1' });
  const first = page.locator(`${alive} [data-entry="11"]`);
  const second = page.locator(`${alive} [data-entry="12"]`);
  const between = async () => (await second.boundingBox())!.x - (await first.boundingBox())!.x;
  const together = await between();
  await page.getByRole('radio', { name: message('heads.reads.heads', { count: 2 }) }).click();
  await expect.poll(between).toBeGreaterThan(together + 20);
  await page
    .getByRole('radio', { name: message('heads.reads.heads', { count: 1 }), exact: true })
    .click();
  await expect.poll(between).toBeCloseTo(together, 1);
});

test('by keys, in the address, and freed by Escape', async ({ lesson, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await lesson.open({ into: '4', word: '5' });
  await expectLanes(page, 4, 4);
  await page.locator(`${alive} [data-lane="1"] [data-word="4"]`).focus();
  await page.keyboard.press('ArrowRight');
  // A pinned word stays; the word under the pointer is compared with it.
  await expect(page.locator(`${alive} [data-lane="1"] .compared`).first()).toBeAttached();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/word=6/);
  await expectLanes(page, 4, 5);
  await page.keyboard.press('Escape');
  await expect(page).not.toHaveURL(/word=/);
});

test(
  'in the first screen, whole at every width, without faults',
  weekly(),
  async ({ lesson, page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await lesson.open();
    await page.evaluate(() => scrollTo(0, 0));
    for (const part of ['.lanes', '[data-answers]']) {
      const { y, height } = (await page.locator(`${alive} ${part}`).boundingBox())!;
      expect(y + height, part).toBeLessThanOrEqual(900);
    }
    const long = Array.from({ length: 14 }, (_, i) => `Donaudampfschiff${i}`).join(' ');
    await lesson.open({ text: long, into: '4' });
    await expectFits(page);
    await lesson.open({ into: '4' });
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page);
  },
);

test.describe('without script', () => {
  test.use({ javaScriptEnabled: false });
  for (const width of [360, 768, 1440]) {
    test(`two heads read the sentence, ${width} pixels wide`, async ({ page, guard }) => {
      guard.expect(/^failed, csp: /);
      await page.setViewportSize({ width, height: 900 });
      await page.goto('./heads/');
      await expectLanes(page, 2, 8, '.stills > .still:visible [data-figure="reads"]');
    });
  }
});
