// Exports of figures: links, pictures, and programs that compute the page's numbers, in C++, NumPy and PyTorch, in
// every chapter.
import type { Locator, Page } from '@playwright/test';
import type { Tensor } from 'tril';
import { takeOf, unfolded } from './menus.ts';
import { message } from './messages.ts';
import { tril } from './oracle.ts';
import { expect, languages, test, type Language, type Program, type Runner } from './programs.ts';
import { readHatch } from './hatch.ts';
import { motions, placeOf } from './places.ts';
import { settled, still } from './settled.ts';
import { saved } from './saved.ts';
import { weekly } from './weekly.ts';

/** The tested chapters, whose figures have programs, as addresses. */
const chapters = [
  'multiply?reading=outer&order=kji',
  'average',
  'average?show=sums&x=1,2;3,4.5&y=1,2;3,4',
  'attend?step=weights&text=the “cat” — 🙂 saw&edits=wq~0~7~2.5',
  'attend?by=numbers&text=1 0 2\n0 1 1\n2 1 nan&head=same&mask=none&added=100&step=output',
  'mask?rules=causal,drawn&drawn=8.8080808080808080&pattern=strided&size=0',
  'mask?hide=zero&overwritten=true&garbage=nan&pattern=window',
  'mask?hide=after&overwritten=true&garbage=huge&pattern=padding',
  'heads?writers=1010',
  'block',
  'block?norm=pre&off=norm2,residual1&positions=rotary&order=rotate&activation=gelu&measure=spread',
  'longer?mask=window&tokens=6&keys=3',
  'longer?head=same',
  'towers',
  'write',
  'write?exercise=heads&program=block',
  'towers?mode=reverse&padding=2&flips=memoryMask.1.0!targetMask.2.1&source=one two three four',
];

/** The address among them that every run tests. */
const always = ['attend?step=weights&text=the “cat” — 🙂 saw&edits=wq~0~7~2.5'];

/** Further chapters with pictures of their figures. */
const withoutPrograms = ['learn', 'meaning', 'model'];

/** The figures without programs in all three languages: times and rounding errors. */
const notToRepeat = ['measured', 'strassen-error', 'longer-measured'];

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

async function open(page: Page, address: string): Promise<Locator[]> {
  await page.goto('about:blank');
  await page.goto(placeOf(address.replaceAll('\n', '%0A')));
  await page.locator('[data-variant]').waitFor();
  await page.locator('[data-take]').last().waitFor({ state: 'attached' });
  await still(page); // every figure of the chapter has its answer
  return Promise.all((await page.locator('[data-take]').all()).map(unfolded));
}

/** The program that the figure's button of that language copies; null if there is no button. */
async function copied(page: Page, take: Locator, language: Language): Promise<Program | null> {
  await unfolded(take);
  const button = take.getByRole('button', { name: language, exact: true });
  if ((await button.count()) === 0) return null;
  await page.evaluate(() => navigator.clipboard.writeText('nothing yet'));
  await button.click();
  const inClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(inClipboard, { intervals: [20, 50, 100] }).not.toBe('nothing yet');
  await expect(take.getByRole('status')).toHaveText(message('figures.take.copied'));
  return { name: (await take.getAttribute('data-take'))!, language, code: await inClipboard() };
}

/** The programs of all languages, figure by figure. */
async function programs(
  page: Page,
  address: string,
  takes: readonly Locator[],
): Promise<Program[]> {
  const found: Program[] = [];
  for (const take of takes) {
    for (const language of languages) {
      const one = await copied(page, take, language);
      if (one) found.push(one);
      else
        expect(notToRepeat, `${language} of ${address}`).toContain(
          await take.getAttribute('data-take'),
        );
    }
  }
  expect(found.length, `programs of ${address}`).toBeGreaterThan(0);
  return found;
}

/** The programs of all gradients, in Python, since the core has no program that takes gradients step by step. */
async function ofGradients(page: Page, name: string): Promise<Program[]> {
  const found: Program[] = [];
  const chips = page
    .getByRole('radiogroup', { name: message('check.own.of'), exact: true })
    .getByRole('radio');
  await expect(chips.last()).toHaveText(/[✓✗]/u);
  for (const chip of await chips.all()) {
    await chip.click();
    const of = (await chip.innerText()).slice(0, -2);
    const take = await takeOf(page, 'check-own');
    for (const language of ['NumPy', 'PyTorch'] as const) {
      const one = await copied(page, take, language);
      expect(one?.code).toContain(`${of} of`);
      found.push({ ...one!, name: `check-own-${name}-${of}` });
    }
  }
  return found;
}

/** The programs of every example of chapter "Check", and of the expected result for a visitor's output. */
async function proofs(page: Page): Promise<Program[]> {
  await open(page, 'check?sample=noScale');
  const found: Program[] = [];
  const copyAll = async (name: string) => {
    for (const language of languages) {
      found.push((await copied(page, page.locator(`[data-take="${name}"]`), language))!);
    }
  };
  await expect(page.locator('[data-all]')).not.toHaveAttribute('data-all', /^\d$/);
  for (const example of await page.locator('[data-example]').all()) {
    await example.getByRole('button').click();
    await copyAll(`check-${await example.getAttribute('data-example')}`);
  }
  await copyAll('check-own');
  await copyAll('check-bug');
  await open(page, 'check?sample=jacobianNone&kind=attentionBackward');
  found.push(...(await ofGradients(page, 'sample')));
  return found;
}

/**
 * The programs of the expected result for a visitor's output with a mask from a file, of any axes and in each
 * interpretation.
 */
async function masked(page: Page): Promise<Program[]> {
  const core = await tril();
  const [q, k, v] = [1, 2, 3].map((seed) => core.randomNormal([2, 4, 5, 4], { seed }));
  const [fewK, fewV] = [4, 5].map((seed) => core.randomNormal([2, 2, 5, 4], { seed }));
  const [rowsQ, rowsK, rowsV] = [6, 7, 8].map((seed) => core.randomNormal([2, 5, 8], { seed }));
  const seen = core.mask.toTensor(core.mask.window({ left: 1, right: 1 }), [5, 5]);
  const looks = core.tensor(
    [5, 5],
    seen.read().map((one, i) => Number(one === 0 && i > 4)), // the first query sees nothing
  );
  const padding = core.tensor([
    [0, 0, 0, 0, 1],
    [0, 0, 0, 1, 1],
  ]);
  const added = core.tensor(
    [4, 5, 5],
    core
      .randomNormal([4, 5, 5], { seed: 9 })
      .read()
      .map((one, i) => [one, -Infinity, one, -1e12, 12345678848][i % 6] ?? one),
  );
  const cases: Record<string, { causal: string; heads?: string; tensors: Record<string, Tensor> }> =
    {
      look: { causal: 'no', tensors: { q, k, v, mask: looks } },
      hide: { causal: 'yes', tensors: { q, k: fewK, v: fewV, key_padding_mask: padding } },
      add: { causal: 'yes', tensors: { q, k, v, mask: added } },
      sideBySide: {
        causal: 'no',
        heads: '2',
        tensors: { q: rowsQ, k: rowsK, v: rowsV, mask: padding },
      },
    };
  const found: Program[] = [];
  for (const [name, { tensors, ...choices }] of Object.entries(cases)) {
    await open(page, `check?${new URLSearchParams(choices).toString()}`);
    const buffer = Buffer.from(core.writeSafetensors(tensors));
    const mimeType = 'application/octet-stream';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'own.safetensors', mimeType, buffer });
    const take = await takeOf(page, 'check-own');
    await take.waitFor();
    for (const language of languages) {
      const one = await copied(page, take, language);
      if (one) found.push({ ...one, name: `check-own-${name}` });
      else expect([name, language]).toEqual(['sideBySide', 'C++']);
    }
  }
  const backward: Record<string, Record<string, Tensor>> = {
    attention: { q, k: fewK, v: fewV, mask: looks, d_output: q, d_q: q, d_k: fewK, d_v: fewV },
    linear: {
      ...{ x: rowsQ, weight: core.randomNormal([8, 8], { seed: 7 }), d_output: rowsV },
      ...{ d_x: rowsQ, d_weight: core.randomNormal([8, 8], { seed: 5 }) },
      d_bias: core.randomNormal([8], { seed: 6 }),
    },
  };
  for (const [name, tensors] of Object.entries(backward)) {
    await open(page, 'check');
    const buffer = Buffer.from(core.writeSafetensors(tensors));
    const mimeType = 'application/octet-stream';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'own.safetensors', mimeType, buffer });
    found.push(...(await ofGradients(page, name)));
  }
  return found;
}

async function expectRight(runner: Runner, found: readonly Program[]): Promise<void> {
  await runner.expectRight(found);
  // Skips at the end: all available languages have been tested.
  const missing = languages.map((language) => runner.missing(language)).filter(Boolean);
  if (process.env.CI) expect(missing).toEqual([]);
  test.skip(missing.length > 0, missing.join('; '));
}

for (const [name, make] of Object.entries({ check: proofs, 'check with masks': masked })) {
  test(`every program finds the same: ${name}`, weekly(), async ({ page, runner }) => {
    await expectRight(runner, await make(page));
  });
}

test('an SVG file holds the numbers as they are drawn', async ({ attend, page }) => {
  await attend.open({ step: 'weights', text: 'a <b> & c\u0018' }); // the last character is not allowed in XML
  const drawn = await attend.drawn('weights');
  const { name, content } = await saved(page, await takeOf(page, 'weights'), 'SVG');
  expect(name).toBe('tril-weights.svg');
  // The picture has the visitor's text only where it is drawn.
  expect(/<desc>(.*?)<\/desc>/su.exec(content.toString('utf8'))![1]).toMatch(
    /^Tril, [^?#]*\/attend\/$/u,
  );
  const { texts, hatch } = await page.evaluate((svg) => {
    const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
    if (parsed.querySelector('parsererror')) throw new Error('not well-formed');
    const of = (selector: string) => [
      ...parsed.querySelectorAll(`[data-matrix="weights"] ${selector}`),
    ];
    return {
      texts: of('[data-cell] text').map((text) => text.textContent),
      hatch: of('[data-hatch] path').map((path) => path.getAttribute('d')),
    };
  }, content.toString('utf8'));
  const digits = drawn.flat().map(({ text }) => text);
  expect(texts).toEqual(digits.filter((text) => text !== ''));
  // The picture hatches masked cells as the page does.
  expect(digits).toContain('');
  const { lines, edge } = (await readHatch(attend.matrix('weights')))!;
  expect(hatch).toEqual([lines, edge]);
});

for (const { place, name, start, frames, parts, attribute } of [
  {
    ...{ place: 'longer?step=1', name: 'online-softmax', start: null },
    ...{ frames: ['48', '78', '96'], parts: '[data-sum]', attribute: 'width' },
  },
  {
    ...{ place: 'attend?step=weights&head=same', name: 'weights' },
    start: 'See how softmax makes this row',
    ...{ frames: ['50', '68', '110'], parts: '[data-bar]', attribute: 'transform' },
  },
]) {
  test(`a picture shows the frame that is seen: ${name}`, async ({ page }) => {
    await open(page, place);
    if (start) await page.getByRole('button', { name: start }).click();
    const take = await takeOf(page, name);
    const slider = page
      .locator(`[data-stepper="${start ? 'laid' : 'online'}"]`)
      .getByRole('slider');
    const seen: string[] = [];
    for (const frame of frames) {
      await slider.fill(frame);
      await still(page, 100);
      const here = await page
        .locator(`.alive ${parts}`)
        .evaluateAll((all, which) => all.map((one) => one.getAttribute(which)), attribute);
      const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
      const drawn = await page.evaluate(
        ([source, selector, which]) => {
          const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
          return [...parsed.querySelectorAll(selector)].map((one) => one.getAttribute(which));
        },
        [svg, parts, attribute],
      );
      expect(drawn.length).toBeGreaterThan(3);
      expect(drawn, `frame ${frame}`).toEqual(here);
      seen.push(drawn.join());
    }
    expect(new Set(seen).size, 'every frame is another').toBe(frames.length);
  });
}

test('a picture of a block has its stream, as far as it has come', async ({ page }) => {
  await open(page, 'block?stage=residual1');
  const stream = page.locator('[data-figure="block"] [data-stream]');
  const outlines = await stream
    .locator('[data-strand]')
    .evaluateAll((strands) => strands.map((strand) => strand.getAttribute('d')!));
  const front = await stream.getAttribute('data-front');
  const take = await takeOf(page, 'block');
  const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
  const parts = await page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
    const flowed = parsed.querySelector('[data-flowed]')!;
    return {
      strands: [...parsed.querySelectorAll('[data-strand]')].map((one) => one.getAttribute('d')!),
      height: flowed.getAttribute('height'),
      flowed: [...flowed.querySelectorAll('path')].map((one) => one.getAttribute('d')!),
      words: [...parsed.querySelectorAll('text')].map((text) => text.textContent),
    };
  }, svg);
  expect(parts.strands).toEqual(outlines);
  expect(parts.flowed).toEqual(outlines);
  expect(parts.height).toBe(front);
  expect(parts.words).toContain('Feed-forward');
});

/** Expects a picture of each figure to be readable, and as large as the figure. */
async function expectPictures(
  page: Page,
  address: string,
  takes: readonly Locator[],
): Promise<void> {
  for (const take of takes) {
    // Figures that train are loaded when they come near the view.
    await take.scrollIntoViewIfNeeded();
    await settled(page);
    const figure = take.locator('xpath=ancestor::*[contains(concat(@class, " "), "card ")][1]');
    await expect(figure.locator('[data-training="loading"]')).toHaveCount(0);
    await settled(page);
    const about = `${address}: ${await take.getAttribute('data-take')}`;
    const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
    expect(svg, about).not.toMatch(/http:\/\/(?!www\.w3\.org|localhost)/u);
    // The text of a cell may be a computed NaN.
    expect(svg.replace(/<desc>.*?<\/desc>/su, ''), about).not.toMatch(
      /="[^"]*(?:NaN|undefined)[^"]*"/u,
    );
    // Transparent colours are written in a form that every program understands.
    if (svg.includes('<polygon')) expect(svg, about).toMatch(/<polygon[^>]*fill-opacity="0\.\d+"/);
    const shape = /width="(\d+)" height="(\d+)"><desc>/.exec(svg)!;
    const png = (await saved(page, take, 'PNG')).content;
    expect(png.subarray(1, 4).toString(), about).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)], about).toEqual([
      2 * Number(shape[1]),
      2 * Number(shape[2]),
    ]);
  }
}

for (const address of chapters) {
  const details = weekly(address, always);
  test(
    `every program finds the same, and pictures can be read: ${JSON.stringify(address)}`,
    details,
    async ({ page, runner }) => {
      const takes = await open(page, address);
      const found = await programs(page, address, takes);
      await test.step('pictures', () => expectPictures(page, address, takes));
      await test.step('programs', () => expectRight(runner, found));
    },
  );
}

for (const address of [...withoutPrograms, ...motions]) {
  test(
    `pictures can be read: ${address}`,
    weekly(address, ['model', motions[0]]),
    async ({ page }) => {
      await expectPictures(page, address, await open(page, address));
    },
  );
}

test('a motion is taken along as it stands', async ({ page }) => {
  const [crossing] = motions;
  const [take] = await open(page, crossing);
  const motion = page.locator('[data-motion="cross"]');
  await motion.getByRole('slider').fill('110');
  await motion.locator('[data-frame="110"]').waitFor();
  const svg = (await saved(page, take, 'SVG')).content.toString('utf8');
  const products = await motion.locator('[data-product]').count();
  expect(products).toBeGreaterThan(0);
  expect(svg.match(/data-product=/gu)).toHaveLength(products);
});

test('a link is copied', async ({ attend, page }) => {
  await attend.open({ head: 'first' });
  const take = await takeOf(page);
  await take.getByRole('button', { name: message('figures.take.link') }).click();
  await expect(take.getByRole('status')).toHaveText(message('figures.take.copied'));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
});
