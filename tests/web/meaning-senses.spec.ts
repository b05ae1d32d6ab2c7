// Chapter "Meaning", a word in its sentences: the encoder's vectors of the word, against the model in Node and plain
// sums.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Tensor } from 'tril';
import { loadTril } from 'tril/training';
import { findPythonWith } from '../../wasm/toolchain/system.mjs';
import { bank, chosenPassages, tokensOf, contextOf, type Line } from '../../models/meaning.mjs';
import { expectLine, readChart } from './drawn.ts';
import { expect, test } from './fixtures.ts';
import { takeOf } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { open } from './reach.ts';
import { weekly } from './weekly.ts';

const read = (path: string) => new Uint8Array(readFileSync(new URL(`../../web/dist/models/${path}`, import.meta.url))); // prettier-ignore
/** The error of 4 layers, whose sums differ between variants of the core in the last places. */
const rounding = 2e-4;

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0); // prettier-ignore
const mean = (list: readonly number[]) => list.reduce((a, b) => a + b, 0) / list.length;

/** The first two principal components of the rows, by the power method. */
function principal(rows: readonly (readonly number[])[]): number[][] {
  let left = rows.map((row) => [...row]);
  return [0, 1].map(() => {
    let direction = rows[0].map((_, i) => Math.sin(i + 1));
    for (let n = 0; n < 400; ++n) {
      const next = direction.map(() => 0);
      for (const row of left) {
        const along = dot(row, direction);
        row.forEach((x, i) => (next[i] += along * x));
      }
      const length = Math.sqrt(dot(next, next));
      direction = next.map((x) => x / length);
    }
    left = left.map((row) => {
      const along = dot(row, direction);
      return row.map((x, i) => x - along * direction[i]);
    });
    return direction;
  });
}

test(
  'the encoder parts the senses of a word, layer by layer, as in Node',
  weekly(),
  async ({ page, context }) => {
    test.setTimeout(180_000);
    const tril = await loadTril();
    const names = ['config.json', 'tokenizer.json', 'model.safetensors'];
    const files = Object.fromEntries(names.map((name) => [name, read(`encoder/${name}`)]));
    const model = await tril.loadModel(files);
    const text = new TextDecoder().decode(read('speeches.txt'));
    const passages = chosenPassages(text, bank);

    /** The word's vector after each layer, scaled to length 1. */
    const rowsOf = (passage: Line) => {
      const { tokens, from, count } = tokensOf(model, passage, contextOf(model));
      return tril.scope(() => {
        const { trace } = model.forward(tokens, { trace: true });
        const streams: Tensor[] = [
          trace!.embedded,
          ...trace!.layers.map(({ residPost }) => residPost),
        ];
        return streams.map((stream) => {
          const all = stream.toArray<number[][]>().slice(from, from + count);
          const row = all[0].map((_, i) => mean(all.map((one) => one[i])));
          const length = Math.sqrt(dot(row, row));
          return row.map((x) => x / length);
        });
      });
    };
    const rows = passages.map(rowsOf);
    const depths = rows[0].length;
    // The rule, evaluated again: the list with more of its words within eight words.
    const words = (part: string) => part.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const senses = passages.map(({ before, after }) => {
      const near = [...words(before).slice(-8), ...words(after).slice(0, 8)];
      const [first, second] = bank.cues.map((cues) => near.filter((one) => cues.includes(one)).length); // prettier-ignore
      return first === second ? -1 : first > second ? 0 : 1;
    });
    const of = (sense: number) => senses.flatMap((one, n) => (one === sense ? [n] : []));
    const groups = [of(0), of(1)];
    expect(groups.map((group) => group.length > 5)).toEqual([true, true]);
    const separation = (layer: number) => {
      const cosine = (n: number, m: number) => dot(rows[n][layer], rows[m][layer]);
      const to = (n: number, group: readonly number[]) =>
        mean(group.filter((m) => m !== n).map((m) => cosine(n, m)));
      const pairs = groups.map((group, sense) =>
        group.map((n) => ({ own: to(n, group), other: to(n, groups[1 - sense]) })),
      );
      return {
        within: mean(pairs.map((group) => mean(group.map(({ own }) => own)))),
        across: mean(pairs.map((group) => mean(group.map(({ other }) => other)))),
      };
    };

    // One map for all layers: each row minus its layer's mean, in two directions.
    const apart = Array.from({ length: depths }, (_, layer) => {
      const of = rows.map((one) => one[layer]);
      const middle = of[0].map((_, i) => mean(of.map((row) => row[i])));
      return of.map((row) => row.map((x, i) => x - middle[i]));
    });
    const directions = principal(apart.flat());
    const places = apart.map((of) => of.map((row) => directions.map((one) => dot(row, one))));

    await open(page, 'meaning');
    const section = page.locator('#bank');
    await section.scrollIntoViewIfNeeded();
    const depth = section.getByRole('slider', { name: message('meaning-senses.depth') });
    const measured = section.locator('dl[data-layer]');
    /**
     * Checks the position of each dot after a layer: both axes have one scale, and all layers together fill the map.
     */
    let signs: number[] = [];
    const expectDots = async (layer: number) => {
      const map = section.locator('[data-senses-map]');
      const dots = await map.locator('[data-sense]').evaluateAll((found) =>
        found.map((one) => {
          const { e, f } = (one as SVGPathElement).transform.baseVal[0].matrix;
          return { at: [e, f], data: [Number((one as SVGElement).dataset.x), Number((one as SVGElement).dataset.y)] }; // prettier-ignore
        }),
      );
      const room = await Promise.all(['width', 'height'].map(async (name) => Number(await map.getAttribute(name)))); // prettier-ignore
      // The sign of an axis is arbitrary, and the same for all layers; in the first layer all dots may coincide.
      if (layer === depths - 1) {
        signs = [0, 1].map((axis) => Math.sign(dots.reduce((sum, { data }, n) => sum + data[axis] * places[layer][n][axis], 0))); // prettier-ignore
      }
      const ends = [0, 1].map((axis) => {
        const all = places.flat().map((place) => signs[axis] * place[axis]);
        return [Math.min(...all), Math.max(...all)];
      });
      // The room above is for the name of an axis.
      const above = [0, 16];
      const unit = Math.min(...ends.map(([least, most], axis) => (room[axis] - above[axis] - 44) / (most - least))); // prettier-ignore
      for (const [n, { at }] of dots.entries()) {
        for (const axis of [0, 1]) {
          const off = (signs[axis] * places[layer][n][axis] - mean(ends[axis])) * unit;
          const expected = (room[axis] + above[axis]) / 2 + (axis === 0 ? off : -off);
          expect(Math.abs(at[axis] - expected), `dot ${n}, axis ${axis}, layer ${layer}`).toBeLessThan(1); // prettier-ignore
        }
      }
    };
    const expectAll = async () => {
      const counts = await section
        .locator('[data-count]')
        .evaluateAll((found) => found.map((one) => Number((one as HTMLElement).dataset.count)));
      expect(counts).toEqual(
        [groups[0].length, groups[1].length, of(-1).length].filter((n) => n > 0),
      );
      await expect(section.locator('[data-sense]')).toHaveCount(passages.length);
      for (const layer of [depths - 1, ...Array(depths).keys()]) {
        await depth.fill(String(layer));
        await expect(measured).toHaveAttribute('data-layer', String(layer));
        const expected = separation(layer);
        for (const name of ['within', 'across'] as const) {
          const shown = Number(await measured.getAttribute(`data-${name}`));
          expect(Math.abs(shown - expected[name]), `${name}, layer ${layer}`).toBeLessThan(
            rounding,
          );
        }
        await expectDots(layer);
      }
      const chart = await readChart(section.locator('svg:has([data-series="within"])'));
      const layers = Array.from({ length: depths }, (_, layer) => layer);
      for (const name of ['within', 'across'] as const) {
        expectLine(chart, name, layers.map((layer) => [layer, separation(layer)[name]])); // prettier-ignore
      }
    };
    // The result that was computed when the page was built, before anything is loaded.
    await expect(section.locator('[data-senses="none"]')).toContainText(
      message('meaning-senses.made'),
    );
    const veil = section.getByRole('button', { name: message('figures.ask.skip') });
    for (const one of await veil.all()) if (await one.isVisible()) await one.click();
    await expectAll();
    await expect(section.getByLabel(message('meaning-senses.sentence'))).toBeDisabled();
    // By the rule the default sentence is about a river: if it falls closer to money, the text says so.
    const lands = section.locator('.lands [data-first]');
    for (let layer = 0; layer < depths; ++layer) {
      await depth.fill(String(layer));
      await expect(measured).toHaveAttribute('data-layer', String(layer));
      const [first, second] = await Promise.all(
        ['first', 'second'].map(async (name) => Number(await lands.getAttribute(`data-${name}`))),
      );
      const misses = layer > 0 && Number(first.toFixed(3)) < Number(second.toFixed(3));
      expect(await lands.getAttribute('data-missed')).toBe(misses ? 'true' : null);
      const sentence = messagePattern('meaning-senses.missed');
      await (misses ? expect(lands) : expect(lands).not).toContainText(sentence);
    }
    await expect(section.locator('[data-milliseconds]')).toHaveCount(0);
    const spots = () =>
      section
        .locator('[data-sense]')
        .evaluateAll((found) => found.map((one) => Number((one as SVGElement).dataset.x)));
    const before = await spots();

    await section.getByRole('button', { name: messagePattern('meaning-senses.load') }).click();
    await section.locator('[data-senses="there"]').waitFor({ timeout: 120_000 });
    const all = text.match(/(?<![\p{L}\p{N}])bank(?![\p{L}\p{N}])/gu)!.length;
    await expect(section.locator('[data-senses]')).toContainText(String(all));
    await expectAll();
    // The same map, except for differences between variants of the core.
    const widest = Math.max(...before.map(Math.abs));
    const after = await spots();
    for (const [n, x] of after.entries())
      expect(Math.abs(x - before[n])).toBeLessThan(0.01 * widest);
    // The senses start together, and separate.
    expect(separation(depths - 1).within - separation(depths - 1).across).toBeGreaterThan(0.05);

    // The exported program finds the same in the encoder's folder.
    const python = findPythonWith('torch');
    if (python) {
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.evaluate(() => navigator.clipboard.writeText(''));
      await (
        await takeOf(page, 'senses')
      )
        .getByRole('button', { name: message('figures.take.code.pytorch') })
        .click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(copied).toContain('largest difference');
      const folder = fileURLToPath(new URL('../../models/encoder', import.meta.url));
      const run = spawnSync(python, ['-c', await copied(), folder], { encoding: 'utf8' });
      expect(run.stderr).toBe('');
      expect(run.stdout.match(/^after \d+ layers: within/gmu)).toHaveLength(depths);
      const [, apart] = /largest difference: (\S+)/u.exec(run.stdout)!;
      expect(Number(apart), run.stdout).toBeLessThan(rounding);
    }

    // A sentence of the visitor's is placed among them.
    await section
      .getByLabel(message('meaning-senses.sentence'))
      .fill('We fished from the bank of the Ohio river all day.');
    await page.keyboard.press('Tab');
    const [own] = [rowsOf({ before: 'We fished from the ', word: 'bank', after: ' of the Ohio river all day.' })]; // prettier-ignore
    const near = groups.map((group) => mean(group.map((n) => dot(own[depths - 1], rows[n][depths - 1])))); // prettier-ignore
    await expect(async () => {
      expect(Math.abs(Number(await lands.getAttribute('data-first')) - near[0])).toBeLessThan(rounding); // prettier-ignore
      expect(Math.abs(Number(await lands.getAttribute('data-second')) - near[1])).toBeLessThan(rounding); // prettier-ignore
    }).toPass();
    model.dispose();
  },
);
