// Repeated questions: when they return, how many a chapter has, how a broken text is read, and the page that asks them.
import { readFileSync } from 'node:fs';
import {
  answered,
  dueAt,
  met,
  mostOfChapter,
  readCards,
  waits,
  writeCards,
  type Cards,
} from '../../web/src/figures/cards.ts';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { message, messagePattern } from './messages.ts';
import { open } from './reach.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const key = 'tril.cards';
const none: Cards = new Map();

test('a question comes back at the next visit, and after one, three and nine days', () => {
  const day = 86_400_000;
  expect(waits.slice(1)).toEqual([day, 3 * day, 9 * day]);
  let all = met(none, 'mask/future', 1000);
  expect(dueAt(all, 1000)).toEqual([]);
  let now = 1000;
  for (const wait of waits) {
    expect(dueAt(all, now + wait - 1)).toEqual([]);
    now += wait;
    expect(dueAt(all, now)).toEqual(['mask/future']);
    all = answered(all, 'mask/future', true, now);
  }
  // A question answered right four times is done.
  expect(dueAt(all, now + 1000 * day)).toEqual([]);
  expect(met(all, 'mask/future', now)).toBe(all);
  // A question answered wrong begins again, with other numbers.
  const [before] = all.values();
  const [after] = answered(all, 'mask/future', false, now).values();
  expect(after).toEqual({ stage: 0, due: now + waits[0], turn: before.turn + 1 });
});

test('no more than five of a chapter are kept, and the longest due come first', () => {
  let all = none;
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  for (const [i, name] of names.entries()) all = met(all, `mask/${name}`, 10 - i);
  all = met(all, 'heads/a', 0);
  expect([...all.keys()].filter((id) => id.startsWith('mask'))).toHaveLength(mostOfChapter);
  expect(dueAt(all, 1e12)).toEqual(['heads/a', 'mask/e', 'mask/d', 'mask/c', 'mask/b', 'mask/a']);
});

test('what was written is read back; what is no such text is not', () => {
  const all = met(met(none, 'mask/future', 5), 'heads/reads', 6);
  expect(readCards(writeCards(all))).toEqual(all);
  for (const broken of ['', '{', 'null', '3', '[]', '{"version":1}', '{"version":2,"cards":{}}']) {
    expect(readCards(broken), broken).toBeNull();
  }
  const good = { stage: 1, due: 2, turn: 3 };
  const cards = {
    'mask/future': good,
    'mask/<b>': good,
    ['__proto__']: good,
    'mask/a': null,
    'mask/b': { ...good, stage: 9 },
    'mask/c': { ...good, due: -1 },
    'mask/d': { ...good, turn: 0.5 },
    'mask/e': { ...good, due: 'soon' },
  };
  const read = readCards(JSON.stringify({ version: 1, cards }));
  expect(read).toEqual(new Map([['mask/future', good]]));
  const many = Object.fromEntries('abcdefgh'.split('').map((name) => [`mask/${name}`, good]));
  expect(readCards(JSON.stringify({ version: 1, cards: many }))?.size).toBe(mostOfChapter);
});

test('answered in its chapter, asked again later with other numbers, taken along, deleted', async ({
  page,
}) => {
  await open(page, 'average');
  const three = page.locator('#three [data-asked]');
  const first = await three.locator('.question').textContent();
  await three.getByRole('toolbar').getByRole('button').first().click();
  await page.locator('#three [data-answer]').waitFor();
  const stored = () => page.evaluate((name) => localStorage.getItem(name) ?? '', key);
  expect([...readCards(await stored())!.keys()]).toEqual(['average/three']);

  // Makes the visit look long past; a question that no longer exists is skipped.
  const past = new Map([
    ['average/three', { stage: 0, due: 1, turn: 2 }],
    ['mask/gone', { stage: 0, due: 2, turn: 1 }],
  ]);
  await page.evaluate(([name, text]) => localStorage.setItem(name, text), [
    key,
    writeCards(past),
  ] as const);
  await open(page, 'average');
  await page.getByRole('button', { name: message('shell.menu.openDue', { count: 2 }) }).click();
  await page.getByRole('link', { name: message('shell.menu.due', { count: 2 }) }).click();
  await expect(page).toHaveURL(/\/again\/$/u);
  const asked = page.locator('[data-due="2"] [data-asked]');
  await expect(asked.locator('.question')).not.toHaveText(first!);
  await expectAccessible(page);
  await asked.getByRole('toolbar').getByRole('button').first().click();
  const answer = page.locator('[data-answer]');
  const right = (await answer.getAttribute('data-answer')) === 'right';
  const card = readCards(await stored())!.get('average/three')!;
  expect({ stage: card.stage, turn: card.turn }).toEqual({ stage: right ? 1 : 0, turn: 3 });
  expect(card.due).toBeGreaterThan(Date.now());
  await page.getByRole('button', { name: message('again.next') }).click();
  await expect(page.getByText(message('again.gone'))).toBeVisible();
  await page.getByRole('button', { name: message('again.finish') }).click();
  await expect(page.getByText(messagePattern('again.known'))).toBeVisible();

  const waiting = page.waitForEvent('download');
  await page.getByRole('button', { name: message('again.kept.save') }).click();
  const file = await (await waiting).path();
  expect(readFileSync(file, 'utf8')).toBe(await stored());
  await page.getByRole('button', { name: message('again.kept.forget') }).click();
  expect(await stored()).not.toBe('');
  await page.getByRole('button', { name: message('again.kept.sure') }).click();
  expect(await stored()).toBe('');
  await expect(page.getByText(message('again.none'))).toBeVisible();
  const field = page.locator('input[type="file"]');
  const given = (text: string) => ({
    ...{ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(text) },
  });
  await field.setInputFiles(given('{"version":1,"cards":3}'));
  await expect(page.getByText(message('again.kept.notTaken', { file: 'mine.json' }))).toBeVisible();
  expect(await stored()).toBe('');
  await field.setInputFiles(file);
  await expect(page.getByText(message('again.kept.taken', { count: 2 }))).toBeVisible();
  expect(readCards(await stored())?.size).toBe(2);
});

test('every question that a chapter keeps can be asked by itself', async ({ page }) => {
  test.slow();
  const ids = [
    ...['multiply/readings', 'multiply/memory', 'multiply/strassen'],
    ...['average/three', 'average/series', 'attend/steps', 'attend/stable', 'attend/scale'],
    ...['mask/masks', 'mask/future', 'mask/blocks', 'heads/reads', 'heads/circuit'],
    ...['block/block', 'block/norm', 'block/shuffle', 'block/depth', 'check/own'],
    ...['towers/maps', 'towers/cross', 'towers/steps'],
    ...['longer/online', 'longer/linear', 'longer/rank'],
  ];
  const past = new Map(ids.map((id, i) => [id, { stage: 0, due: i, turn: 1 }]));
  await page.goto('./again/');
  await page.evaluate(([name, text]) => localStorage.setItem(name, text), [
    key,
    writeCards(past),
  ] as const);
  await page.reload();
  for (const [i, id] of ids.entries()) {
    const asked = page.locator(`[data-at="${i}"] [data-asked]`);
    await expect(asked.locator('.question'), id).not.toBeEmpty();
    await asked.getByRole('toolbar').getByRole('button').first().click();
    await expect(page.locator('[data-answer]'), id).not.toBeEmpty();
    await page.locator('.box > .chip').click();
  }
  await expect(page.getByText(messagePattern('again.known'))).toBeVisible();
});
