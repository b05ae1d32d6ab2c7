// The address of the page holds its state.
import type { Page } from '@playwright/test';
import { boxOf } from './box.ts';
import { expect, test } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('what is done on the page can be opened elsewhere by its address', async ({
  attend,
  page,
  context,
}) => {
  await attend.open();
  await page.getByLabel(message('attend.input.label')).fill('été ou hiver? 夏 & 冬 #1 100%');
  await page.getByRole('radio', { name: message('attend.input.modes.characters') }).click();
  await page.getByRole('radio', { name: message('attend.head.names.first') }).click();
  await page.getByRole('radio', { name: message('attend.mask.none') }).click();
  await attend.step('K');
  await attend.point('wk', 1, 3);
  await page.getByLabel(message('figures.why.edit')).first().fill('0.5');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/edits=wk/);
  const table = await attend.table();
  await expect(attend.why).toContainText('= 0.5');
  const why = await attend.why.innerText();

  const other = await context.newPage();
  await other.goto(page.url());
  await other.locator('[data-variant]').waitFor();
  await expect(other.getByLabel(message('attend.input.label'))).toHaveValue(
    'été ou hiver? 夏 & 冬 #1 100%',
  );
  for (const key of ['attend.input.modes.characters', 'attend.mask.none']) {
    await expect(other.getByRole('radio', { name: message(key) })).toHaveAttribute(
      'aria-checked',
      'true',
    );
  }
  const own = other.getByRole('button', { name: message('attend.head.own') });
  await expect(own).toHaveAttribute('aria-pressed', 'true');
  await expect(other.locator('#steps .stage')).toHaveAttribute('data-step', 'k');
  await expect.poll(() => other.locator('#steps .why').innerText()).toBe(why);
  await other.locator('#steps .stage details summary').click();
  expect(
    (await other.locator('#steps tbody tr').first().locator('td').allTextContents()).length,
  ).toBe(table[0].length);
  await expect(other.getByRole('alert')).toHaveCount(0);
});

test('a broken address says what could not be read, and shows the rest', async ({
  attend,
  page,
}) => {
  await attend.open({
    step: 'nonsense',
    head: 'same',
    pin: 'q.99.0',
    edits: 'wq~0~0~alert(1)',
    text: 'still here',
    evil: '<img src=x onerror=alert(1)>',
  });
  const alert = page.getByRole('alert');
  for (const part of ['step=nonsense', 'pin=q.99.0', 'edits=wq', 'evil=<img']) {
    await expect(alert).toContainText(part);
  }
  await expect(page.getByLabel(message('attend.input.label'))).toHaveValue('still here');
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.same') }),
  ).toHaveAttribute('aria-checked', 'true');
  await expect(page.locator('#steps .stage')).toHaveAttribute('data-step', 'weights');
  await alert.getByRole('button', { name: message('shell.dismiss') }).click();
  await expect(alert).toHaveCount(0);
});

test('an address that is no address at all falls back as well', weekly(), async ({ page }) => {
  for (const hash of [
    '#',
    '#?',
    '#%E0%A4%A',
    '#?text=%E0%A4%A',
    '#?text',
    '#attend?',
    '#attend?text=%E0%A4%A',
  ]) {
    await page.goto('about:blank');
    await page.goto(`./${hash}`);
    await expect(page.locator('h1').filter({ visible: true })).toHaveCount(1);
    await expect(page.locator('.card').filter({ visible: true }).first()).toBeVisible();
    await page.waitForLoadState('networkidle');
  }
});

test('a pin outside of its matrix is said, not shown', async ({ attend, page }) => {
  await attend.open({ text: 'one two', pin: 'weights.5.5', step: 'weights' });
  await expect(page.getByRole('alert')).toContainText(messagePattern('attend.pinOutside'));
  await attend.point('weights', 1, 0);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('back and forward go through heads and texts; steps do not fill the history', async ({
  attend,
  page,
}) => {
  await attend.open();
  await page.getByRole('radio', { name: message('attend.head.names.previous') }).click();
  await attend.step('Scores');
  await attend.step('Weights');
  await page.getByRole('radio', { name: message('attend.head.names.first') }).click();
  await page.goBack();
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.previous') }),
  ).toHaveAttribute('aria-checked', 'true');
  await page.goBack();
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.same') }),
  ).toHaveAttribute('aria-checked', 'true');
  await page.goForward();
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.previous') }),
  ).toHaveAttribute('aria-checked', 'true');
});

test('the formula is the map: each symbol leads to its step and lights up', async ({
  attend,
  page,
}) => {
  await attend.open();
  const map = page.getByRole('navigation', { name: message('shell.map') });
  for (const [part, step] of [
    ['q', 'q'],
    ['k', 'k'],
    ['product', 'scores'],
    ['scale', 'scaled'],
    ['mask', 'masked'],
    ['softmax', 'weights'],
    ['v', 'v'],
  ]) {
    const link = map.getByRole('link', { name: message(`shell.parts.${part}`), exact: true });
    const href = await link.getAttribute('href');
    if (step === 'weights') expect(href).not.toContain('step=');
    else expect(href).toContain(`step=${step}`);
    await link.click();
    await expect(page.locator('#steps .stage')).toHaveAttribute('data-step', step);
    await expect(link).toHaveAttribute('aria-current', 'step');
  }
});

/** Records the calls of the history from now on; the next `refuse` calls throw, as Safari's do after 100 in 30 s. */
async function watchHistory(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const calls: { push: boolean; time: number }[] = [];
    const refusing = { left: 0 };
    Object.assign(window, { calls, refusing });
    for (const name of ['pushState', 'replaceState'] as const) {
      const own = history[name].bind(history);
      history[name] = (...given) => {
        if (refusing.left > 0) {
          refusing.left -= 1;
          throw new DOMException('Attempt to use history more than 100 times', 'SecurityError');
        }
        calls.push({ push: name === 'pushState', time: performance.now() });
        own(...given);
      };
    }
  });
}
interface Watched {
  readonly calls: { push: boolean; time: number }[];
  readonly refusing: { left: number };
}
const called = (page: Page) => page.evaluate(() => (window as unknown as Watched).calls);
const stateOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]);

test('a run of a slider is one entry, and its address is written four times a second at most', async ({
  attend,
  page,
}) => {
  await watchHistory(page);
  await attend.open();
  const slider = page.locator('#scale input[type="range"]');
  await slider.focus();
  await still(page);
  const usual = await slider.inputValue();
  const before = (await called(page)).length;
  // Key presses, as of a key held down.
  const { took, pauses } = await slider.evaluate(async (input: HTMLInputElement) => {
    const begin = performance.now();
    let [last, pauses] = [begin, 0];
    for (let press = 0; press < 60; ++press) {
      input.valueAsNumber = press % 10;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
      await new Promise((later) => setTimeout(later, 16));
      if (performance.now() - last > 1100) ++pauses; // on a busy machine
      last = performance.now();
    }
    return { took: last - begin, pauses };
  });
  await expect.poll(() => stateOf(page).get('width')).toBe('9');
  const calls = (await called(page)).slice(before);
  const entries = calls.filter(({ push }) => push).length;
  expect(entries).toBeGreaterThan(0);
  expect(entries).toBeLessThanOrEqual(1 + pauses);
  // Scrolling the page writes its position, too.
  expect(calls.length).toBeLessThanOrEqual(Math.ceil(took / 250) + 3);

  // A drag with the mouse, from one end to the other, makes another entry.
  await page.waitForTimeout(1300);
  const box = await boxOf(slider);
  await page.mouse.move(box.x + 4, box.y + box.height / 2);
  await page.mouse.down();
  for (let x = 0; x <= 1; x += 0.1) await page.mouse.move(box.x + x * box.width, box.y + 5);
  await page.mouse.up();
  const end = await slider.inputValue();
  // The address is written when the drag ends, not some time later.
  expect(stateOf(page).get('width')).toBe(end);
  const both = (await called(page)).slice(before).filter(({ push }) => push);
  expect(both).toHaveLength(entries + 1);
  await page.goBack();
  await expect(slider).toHaveValue('9');
  for (let entry = 0; entry < entries; ++entry) await page.goBack();
  await expect(slider).toHaveValue(usual);
});

test('a browser that refuses to change the address is asked again, and nothing is lost', async ({
  attend,
  page,
}) => {
  await watchHistory(page);
  await attend.open();
  await page.evaluate(() => ((window as unknown as Watched).refusing.left = 2));
  await page.getByRole('radio', { name: message('attend.head.names.previous') }).click();
  await page.getByRole('radio', { name: message('attend.head.names.first') }).click();
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.first') }),
  ).toHaveAttribute('aria-checked', 'true');
  await expect.poll(() => stateOf(page).get('head')).toBe('first');
  for (const head of ['previous', 'same']) {
    const name = message(`attend.head.names.${head}`);
    await page.goBack();
    await expect(page.getByRole('radio', { name })).toHaveAttribute('aria-checked', 'true');
  }
});

test('beyond what browsers allow entries are written more rarely, not refused', async ({
  attend,
  page,
}) => {
  await watchHistory(page);
  await attend.open();
  const before = (await called(page)).length;
  await page.evaluate(
    (names) => {
      const all = [...document.querySelectorAll('button')];
      const buttons = names.map((name) => all.find((one) => one.textContent!.trim() === name));
      for (let turn = 0; turn < 150; ++turn) buttons[turn % 2]!.click();
    },
    ['same', 'first'].map((head) => message(`attend.head.names.${head}`)),
  );
  await expect.poll(() => stateOf(page).get('head')).toBe('first');
  expect((await called(page)).length - before).toBeLessThan(100);
});
