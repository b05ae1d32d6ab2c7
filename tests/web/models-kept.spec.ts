// Models behind the service worker: they download with progress, end when the client gives up, survive an update of the
// page unless they have changed, and also load when there is no room to store them.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { dist, host, type Host } from './host.ts';
import { messagePattern } from './messages.ts';
import { kept, open } from './reach.ts';

test.use({ serviceWorkers: 'allow' });

const weights = 'models/gpt/model.safetensors';
const files = ['config', 'model', 'tokenizer'];
const asks = ({ asked }: Host) => asked.filter((path) => path === weights).length;
const keptModels = (page: Page) =>
  page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.endsWith(' models'));
    const caught = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return caught.flat().map(({ url }) => /models\/gpt\/(\w+)/u.exec(url)![1]);
  });

/** Opens the chapter behind a service worker. */
async function visit(page: Page): Promise<Host> {
  const server = await host();
  await page.goto(server.address);
  await kept(page);
  await open(page, 'model', server.address);
  return server;
}
const load = (page: Page) =>
  page
    .locator('#open')
    .getByRole('button', { name: messagePattern('model.load.button') })
    .click();
const isOpen = (page: Page) => expect(page.locator('#open [data-live="true"]')).toBeVisible();

/** Opens the updated page in place of the tab with the old one. */
async function update(page: Page, server: Host, change: (worker: string) => string): Promise<void> {
  const worker = await readFile(join(dist, 'service-worker.js'), 'utf8');
  server.change('service-worker.js', change(worker));
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    const coming = registration.installing;
    if (!coming) return;
    await new Promise<void>((done) =>
      coming.addEventListener('statechange', () => coming.state !== 'installing' && done()),
    );
  });
  await page.goto(new URL('/elsewhere', server.address).href);
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const [registration] = await navigator.serviceWorker.getRegistrations();
        return registration.waiting !== null || registration.installing !== null;
      }),
    )
    .toBe(false);
  await open(page, 'model', server.address);
  await kept(page);
}

test('one that is on its way says how far it is, and ends with who gives it up', async ({
  page,
  guard,
}) => {
  guard.expect(/ERR_ABORTED|ERR_FAILED/u);
  const server = await visit(page);
  const halved = server.halve(weights);
  await load(page);
  const progress = page.locator('#open progress');
  const share = () => progress.evaluate(({ value, max }: HTMLProgressElement) => value / max);
  await expect.poll(share).toBeGreaterThan(0.4);
  expect(await share()).toBeLessThan(0.7);
  await page
    .locator('#open')
    .getByRole('button', { name: messagePattern('model-load.cancel') })
    .click();
  await halved.left;
  expect(await keptModels(page)).not.toContain('model');
  halved.whole();
  await load(page);
  await isOpen(page);
  expect(asks(server)).toBe(2);
  await expect.poll(async () => (await keptModels(page)).sort()).toEqual(files);
  await server.close();
});

test('it is kept over an update, unless it has changed itself', async ({ page, guard }) => {
  guard.expect(/\b404\b/u);
  const server = await visit(page);
  await load(page);
  await isOpen(page);
  await expect.poll(async () => (await keptModels(page)).sort()).toEqual(files);

  const next = (worker: string, version: string) =>
    worker.replace(/"version":"\w+"/u, `"version":"${version}"`);
  await update(page, server, (worker) => next(worker, 'second'));
  expect((await keptModels(page)).sort()).toEqual(files);
  await load(page);
  await isOpen(page);
  expect(asks(server), 'it is not fetched again').toBe(1);

  const changed = new RegExp(`("${weights}":")\\w+`, 'u');
  await update(page, server, (worker) => next(worker, 'third').replace(changed, '$1another'));
  expect((await keptModels(page)).sort(), 'the old one goes').toEqual(['config', 'tokenizer']);
  await load(page);
  await isOpen(page);
  expect(asks(server), 'the new one is fetched').toBe(2);
  await expect.poll(async () => (await keptModels(page)).sort()).toEqual(files);
  await server.close();
});

test('where there is no room it comes all the same, and is not kept', async ({ page, guard }) => {
  guard.expect(/[Qq]uota/u);
  const server = await visit(page);
  const { origin } = new URL(server.address);
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  await load(page);
  await isOpen(page);
  expect(await keptModels(page)).not.toContain('model');
  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await server.close();
});
