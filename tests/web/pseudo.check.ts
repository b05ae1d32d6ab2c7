// The home page and every chapter in a generated language: no text is untranslated, and none is too long. Every vowel
// of a translated word has an accent.
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { expectNoSidewaysScroll } from './lessons.ts';
import { asSeen, chapters, computed, cutTexts, open, unfold } from './reach.ts';
import { still } from './settled.ts';

/** Texts of no language: names, and functions in formulas. */
const names = new Set(['Tril', 'simd', 'relaxed', 'NaN', 'softmax']);
/** The words of the text whose singular values chapter "Longer" shows. */
const example = ['the', 'cat', 'saw', 'dog', 'chase', 'and', 'run', 'away'];

/** Chapters whose messages contain words of a model, or names in a file: a message isolates its values. */
const withNames: readonly string[] = ['meaning', 'model', 'check', 'write'];
const given = /\u2068[^\u2068\u2069]*\u2069/gu;

/** Words without an accent, with their element: visible, read aloud, or shown by hovering. */
async function escaped(page: Page, chapter: string): Promise<string[]> {
  const found = await page.evaluate(() => {
    const without =
      '.katex, code, pre, script, style, noscript, textarea, [translate="no"], [translate="no"] *';
    const said: (readonly [string, string])[] = [];
    const fields = document.querySelectorAll<HTMLInputElement>('textarea, input');
    // Names in a program appear beside its code.
    const code = document.querySelectorAll('[data-line] code');
    const typed = [
      ...Array.from(fields, ({ value }) => value),
      ...Array.from(code, ({ textContent }) => textContent),
    ].join(' ');
    for (const element of document.querySelectorAll('body *')) {
      if (element.closest(without)) continue;
      const place = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
      for (const name of ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name);
        if (text) said.push([`${place} ${name}`, text]);
      }
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) said.push([place, node.textContent!]);
      }
    }
    return { said, typed };
  });
  const tokens = new Set([...found.typed.split(/[^A-Za-z]+/u), ...example]);
  const own = (text: string) => (withNames.includes(chapter) ? text.replace(given, ' ') : text);
  const words = found.said.flatMap(([place, text]) =>
    (own(text).match(/(?<![\p{L}_.])[A-Za-z]{3,}(?![\p{L}_(])/gu) ?? [])
      .filter((word) => /[aeiouy]/iu.test(word) && !names.has(word) && !tokens.has(word))
      .map((word) => `${word} in ${place}: ${text.trim().slice(0, 80)}`),
  );
  return [...new Set(words)];
}

/** States other than the default that have texts of their own. */
const states = [
  'attend?by=numbers&text=1 0 2\n0 1 1&step=output',
  'mask?by=numbers&text=1 0 2\n0 1 1',
  'heads?step=concat',
  'check?sample=noScale',
  'check?sample=maskTurned&kind=multiHead&heads=2',
  'check?sample=right&kind=attentionBackward&of=d_k',
];

for (const address of states) {
  test(`${JSON.stringify(address)}: all is translated`, async ({ page }) => {
    const [chapter] = address.split('?');
    await open(page, address.replaceAll('\n', '%0A'));
    await unfold(page);
    await asSeen(page);
    expect(await escaped(page, chapter)).toEqual([]);
  });
}

test('a figure alone, and the lines that put it elsewhere: all is translated', async ({ page }) => {
  await page.goto('embed/average/series/');
  await page.locator('[data-variant]').waitFor();
  await unfold(page);
  await page.locator('[data-take] [aria-expanded]').click();
  await page.locator('[data-embed] textarea').first().waitFor();
  await asSeen(page);
  expect(await escaped(page, 'average')).toEqual([]);
  expect(await cutTexts(page)).toEqual([]);
});

for (const id of ['home', ...chapters.map((chapter) => chapter.id)]) {
  test(`${id}: all is translated, and fits`, async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    if (id === 'home') {
      await page.goto('./');
      await computed(page);
    } else {
      await open(page, id);
    }
    await unfold(page);
    await asSeen(page);
    const { language, direction } = await page.evaluate(() => ({
      language: document.documentElement.lang,
      direction: getComputedStyle(document.body).direction,
    }));
    expect(direction).toBe(language === 'ar-XB' ? 'rtl' : 'ltr');
    expect(await page.locator('h1').textContent()).toMatch(/[áéíóúýÁÉÍÓÚÝ]/u);
    expect.soft(await escaped(page, id)).toEqual([]);
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await still(page);
      await expectNoSidewaysScroll(page, `${width} px`);
      expect.soft(await cutTexts(page), `${width} px`).toEqual([]);
    }
  });
}
