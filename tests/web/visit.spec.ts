// A visit: arriving by any address, going back and forth, reading without a network, what a browser or a search engine
// learns about the page, and printing.
import type { Locator, Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.ts';
import { host } from './host.ts';
import { message, titleOf } from './messages.ts';
import { chapters, computed, kept, open } from './reach.ts';
import { still } from './settled.ts';
import { weekly } from './weekly.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const texts = new URL('../../web/src/texts/en/', import.meta.url);
const scrolled = (page: Page) => page.evaluate(() => Math.round(scrollY));
/** Waits until the history entry has this position: it is written when scrolling has ended. */
const noted = (page: Page, place: number) =>
  expect.poll(() => page.evaluate(() => history.state?.scroll)).toBe(place);
const chapter = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: message('shell.chapters') }).getByRole('link', { name });
/** Clicks at the position of the link: locators scroll the page at times, though the header is always in view. */
async function follow(page: Page, link: Locator): Promise<void> {
  const { x, y, width, height } = (await link.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
}

test('back, forward and reload lead to where one was, and to what was done there', async ({
  attend,
  page,
}) => {
  await attend.open();
  await page.getByRole('radio', { name: message('attend.head.names.same') }).click();
  await still(page);
  await page.mouse.wheel(0, 1600);
  await noted(page, 1600);

  await follow(page, chapter(page, /Mask/));
  await expect(page).toHaveTitle(titleOf('mask'));
  await expect.poll(() => scrolled(page)).toBe(0);
  await expect(page.locator('h1')).toBeFocused();
  await computed(page);
  await page.mouse.wheel(0, 700);
  await noted(page, 700);

  await page.goBack();
  await expect(page).toHaveTitle(titleOf('attend'));
  await computed(page);
  await expect.poll(() => scrolled(page)).toBe(1600);
  await expect(
    page.getByRole('radio', { name: message('attend.head.names.same') }),
  ).toHaveAttribute('aria-checked', 'true');
  await page.goForward();
  await computed(page);
  await expect.poll(() => scrolled(page)).toBe(700);
  await page.reload();
  await computed(page);
  await expect.poll(() => scrolled(page)).toBe(700);
});

test('a chapter that is slow to load begins at its head, and the one before keeps its place', async ({
  page,
}) => {
  await open(page, 'attend');
  await page.route('**/nodes/*.js', async (route) => {
    await page.waitForTimeout(600); // longer than it takes to store a position
    await route.continue();
  });
  await page.mouse.wheel(0, 1200);
  await expect.poll(() => scrolled(page)).toBe(1200);
  await follow(page, chapter(page, /Mask/));
  await expect(page).toHaveTitle(titleOf('mask'));
  await computed(page);
  expect(await scrolled(page)).toBe(0);
  await page.goBack();
  await expect(page).toHaveTitle(titleOf('attend'));
  await expect.poll(() => scrolled(page)).toBe(1200);
});

test('after a link to another chapter the keyboard goes on there', async ({ page }) => {
  await open(page, 'average');
  await chapter(page, /Block/).focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(titleOf('block'));
  await computed(page);
  await expect(page.locator('h1')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.locator('main :focus')).toHaveCount(1);
});

test('before any script has run a chapter can be read; the one before stays until the next is there', async ({
  page,
}) => {
  let pass: () => void;
  const gate = () => new Promise<void>((done) => (pass = done));
  let waiting = gate();
  await page.route('**/nodes/*.js', async (route) => {
    await waiting;
    await route.continue();
  });
  await page.goto('./');
  await expect(page.getByText(message('shell.welcome.what'))).toBeVisible();
  await expect(page.locator('h1')).toBeVisible();
  pass!();
  await computed(page);

  waiting = gate();
  await chapter(page, /Mask/).click();
  await page.waitForTimeout(300);
  await expect(page).toHaveTitle(message('shell.home.title'));
  await expect(page.locator('main .card').first()).toBeVisible();
  pass!();
  await expect(page).toHaveTitle(titleOf('mask'));
});

test('a chapter that cannot be loaded says so, and the next try succeeds', async ({
  page,
  guard,
}) => {
  guard.expect(/ERR_FAILED|Failed to (load|fetch)/);
  await open(page, 'attend');
  await page.route('**/nodes/*.js', (route) => route.abort());
  await chapter(page, /Mask/).click();
  await expect(page.getByRole('alert')).toContainText(message('shell.notLoaded'));
  await page.unroute('**/nodes/*.js');
  await page.goBack();
  await expect(page).toHaveTitle(titleOf('attend'));
  await chapter(page, /Mask/).click();
  await expect(page).toHaveTitle(titleOf('mask'));
  await computed(page);
});

test(
  'an address of no chapter says so, one with a broken state as well, in every chapter',
  weekly(),
  async ({ page }) => {
    const alert = page.getByRole('alert');
    const go = async (place: string) => {
      await page.goto('about:blank');
      await page.goto(place);
    };
    await go('./#attention?text=a+b');
    await expect(alert).toContainText('chapter=attention');
    await expect(page).toHaveTitle(titleOf('attend'));
    await expect(page.getByLabel(message('attend.input.label'))).toHaveValue('a b');
    for (const { id } of chapters) {
      await go(`./${id}/#?nonsense=1`);
      await expect(alert).toContainText('nonsense=1');
      await expect(page).toHaveTitle(titleOf(id));
    }
  },
);

test('one Worker and one module go along from chapter to chapter', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await open(page, 'attend');
  const workers = page.workers().map((worker) => worker.url());
  expect(workers).toHaveLength(1);
  const modules = () => asked.filter((url) => url.endsWith('.wasm')).length;
  const before = modules();
  for (const id of ['mask', 'heads', 'average']) {
    await page
      .getByRole('navigation', { name: message('shell.chapters') })
      .getByText(message(`shell.about.${id}.title`))
      .click();
    await expect(page).toHaveTitle(titleOf(id));
    await computed(page);
  }
  expect(page.workers().map((worker) => worker.url())).toEqual(workers);
  expect(modules()).toBe(before);
});

test('whoever comes to no chapter in particular is told what this is', async ({ page }) => {
  await page.goto('./');
  await computed(page);
  await expect(page.getByText(message('shell.welcome.what'))).toBeVisible();
  await chapter(page, /Mask/).click();
  await expect(page).toHaveTitle(titleOf('mask'));
  await expect(page.getByText(message('shell.welcome.what'))).toHaveCount(0);
});

test('chapters lead to one another, and the formula to all', async ({ page }) => {
  await open(page, 'attend');
  await expect(page).toHaveTitle(titleOf('attend'));
  await page.locator('a[rel="next"]').click();
  await expect(page).toHaveTitle(titleOf('average'));
  await chapter(page, /Attend/).click();
  await expect(page).toHaveTitle(titleOf('attend'));
  await page.locator('[data-matrix="weights"]').waitFor();
  await page.goBack();
  await expect(page).toHaveTitle(titleOf('average'));
  await page.getByRole('link', { name: message('shell.parts.product') }).click();
  await expect(page).toHaveTitle(titleOf('multiply'));
  await page.getByRole('link', { name: message('shell.parts.q') }).click();
  await page.locator('[data-matrix="q"]').waitFor();
});

test('the chapters stand in their order wherever they are listed, and say how long they take', async ({
  page,
}) => {
  const order = [
    ...['attend', 'average', 'mask', 'heads', 'learn', 'meaning', 'model'],
    ...['multiply', 'block', 'towers', 'longer', 'check', 'write'],
  ];
  const ids = (links: Locator) =>
    links.evaluateAll((all) =>
      all.map((one) => new URL((one as HTMLAnchorElement).href).pathname.split('/').at(-2)),
    );
  await page.goto('./');
  await computed(page);
  const list = page.getByRole('navigation', { name: message('shell.chapters'), exact: true });
  expect(await ids(list.first().locator('a'))).toEqual(order);
  expect(await ids(page.locator('main a[data-chapter]'))).toEqual(order);
  const times = await page.locator('main a[data-chapter] small').allTextContents();
  for (const [index, id] of order.entries()) {
    const minutes = Number(/\d+/.exec(times[index])![0]);
    // No reader is faster than 300 words a minute, and none spends five minutes on one figure. Deeper sections are
    // folded.
    const all = readFileSync(fileURLToPath(new URL(`${id}.md`, texts)), 'utf8');
    const sections = all.split(/^(?=## )/mu);
    const prose = sections.filter((section) => !/^## .* deep\}$/mu.test(section)).join('');
    const words = prose.match(/[\p{L}\p{N}]+/gu)!.length;
    const figures = prose.match(/^::figure/gmu)!.length;
    expect(minutes, id).toBeGreaterThan(words / 300);
    expect(minutes, id).toBeLessThan(words / 150 + 5 * figures);
  }
  for (const [index, id] of order.entries()) {
    await page.goto(`./${id}/`);
    const key = index < 7 ? 'shell.kicker' : 'shell.kickerUnder';
    const minutes = Number(/\d+/.exec(times[index])![0]);
    await expect(page.locator('.alive .kicker')).toHaveText(
      message(key, { number: index + 1, minutes }),
    );
    const around = await ids(page.locator('main ~ nav a'));
    expect(around).toEqual([order[index - 1], order[index + 1]].filter(Boolean));
  }
});

test('what a browser and a search engine are told is there', async ({ page, request }) => {
  await open(page, 'attend');
  for (const name of ['meta[name="description"]', 'meta[property="og:description"]']) {
    expect((await page.locator(name).getAttribute('content'))!.length).toBeGreaterThan(60);
  }
  for (const { id } of chapters) {
    const text = await (await request.get(`./${id}/`)).text();
    const place = new URL(`./${id}/`, page.url().replace(/attend\/$/, ''));
    const found = (expression: RegExp) => new URL(expression.exec(text)![1], place).href;
    expect(found(/<link rel="canonical" href="([^"]*)"/)).toMatch(new RegExp(`/${id}/$`));
    const picture = await request.get(found(/<meta property="og:image" content="([^"]*)"/));
    expect(picture.headers()['content-type'], id).toBe('image/png');
  }
  const at = await page
    .locator('link[rel="manifest"]')
    .evaluate((link: HTMLLinkElement) => link.href);
  const manifest = await (await request.get(at)).json();
  expect(new URL(manifest.start_url, at).href).toBe(new URL('../', page.url()).href);
  for (const { src } of manifest.icons) {
    expect((await request.get(new URL(src, at).href)).ok()).toBe(true);
  }
});

test('where there is no page, one says so and leads back', async ({ page }) => {
  await page.goto('./404.html');
  await page.getByRole('link').click();
  await computed(page);
  await expect(page).toHaveTitle(message('shell.home.title'));
});

test.describe('without a network', () => {
  test.use({ serviceWorkers: 'allow' });
  test('pages of the reference that were read can be read again', async ({ page, guard }) => {
    guard.expect(/ERR_CONNECTION_REFUSED|Failed to (load resource|fetch)|ERR_FAILED/);
    const server = await host();
    await open(page, 'attend', server.address);
    await kept(page);
    await page.goto(`${server.address}api/index.html`);
    await expect(page).toHaveTitle(/Tril for JavaScript/);
    await server.close();
    await page.goto('about:blank');
    await page.goto(`${server.address}api/index.html`);
    await expect(page).toHaveTitle(/Tril for JavaScript/);
  });
});

test.describe('forced colours', () => {
  test.use({ contextOptions: { forcedColors: 'active' } });
  test('bars and the lit symbols of the formula are still to be seen', async ({ page }) => {
    await open(page, 'attend?step=scores');
    const map = page.getByRole('navigation', { name: message('shell.map') });
    await expect(map.locator('a.on').first()).toHaveCSS('border-bottom-style', 'solid');
    await expect(map.locator('a:not(.on)').first()).toHaveCSS('border-bottom-style', 'none');
    const part = page.locator('.unit .bar span').first();
    const colour = await part.evaluate((one) => getComputedStyle(one).backgroundColor);
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(colour).not.toBe(ground);
  });
});

test('on paper roots are no longer than they are, and hints are left out', async ({ page }) => {
  await open(page, 'towers');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const zooms = await page
    .locator('main .card')
    .evaluateAll((cards) => cards.map((card) => Number((card as HTMLElement).style.zoom || 1)));
  expect(Math.min(...zooms)).toBeGreaterThan(0.5);
  const roots = page.locator('main .katex .hide-tail');
  expect(await roots.count()).toBeGreaterThan(0);
  for (const root of await roots.all()) await expect(root).toHaveCSS('overflow', 'hidden');
  for (const hint of await page.locator('.why:not([data-why])').all())
    await expect(hint).toBeHidden();
});
