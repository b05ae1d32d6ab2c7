// Every chapter in WebKitGTK.
import { test } from '@playwright/test';
import { chapters } from './chapters.ts';
import {
  expectTwoFigures,
  expectWords,
  figureOf,
  foreign,
  scriptOf,
  twoFigures,
} from './foreign.ts';
import { motions, placeOf } from './places.ts';
import { expectChapter, expectMotion, expectPicture, expectTour, knowAll } from './smoke.ts';
import { WebKit } from './webkit.ts';

const webkit = new WebKit();
test.beforeAll(async ({ baseURL }) => {
  await webkit.start();
  await knowAll(webkit, baseURL);
});
test.afterAll(() => webkit.close());

for (const { id, title } of chapters) {
  test(`${id} computes, and its keys work`, async ({ baseURL }) => {
    await expectChapter(webkit, `${baseURL}${id}/`, title);
  });
}

for (const place of motions) {
  test(`${place} moves`, async ({ baseURL }) => {
    await expectMotion(webkit, `${baseURL}${placeOf(place)}`);
  });
}

test('the tour scrolls, and its head is trained', async ({ baseURL }) => {
  await expectTour(webkit, `${baseURL}tour/`);
});

test('a figure becomes a picture', async ({ baseURL }) => {
  await expectPicture(webkit, `${baseURL}block/`);
});

test('two figures in a foreign page, each in its own state', async ({ baseURL }) => {
  const around = await foreign(baseURL!, twoFigures(baseURL!));
  await expectTwoFigures(webkit, around.address);
  await around.close();
});

test('where there is no such figure, words say so', async ({ baseURL }) => {
  const around = await foreign(baseURL!, scriptOf(baseURL!) + figureOf(baseURL!, 'average/no/'));
  await expectWords(webkit, around.address);
  await around.close();
});
