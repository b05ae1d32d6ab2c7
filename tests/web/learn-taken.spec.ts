// Chapter "Learn": exports a training, as its weights and as a program that repeats it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTril } from 'tril/training';
import { bornCode } from '../../web/src/chapters/learn/born-code.ts';
import { finished, ready, train } from './learn-page.ts';
import { Lesson } from './lessons.ts';
import { takeOf } from './menus.ts';
import { message } from './messages.ts';
import {
  batchOf,
  length,
  seedOf,
  sequences,
  tasks,
  trained,
  trainerOf,
  weightsOf,
} from './oracles/born.ts';
import { expect, test as base } from './programs.ts';
import { sameModule, variantOf } from './same-module.ts';
import { saved } from './saved.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'learn')),
});

test('programs draw the batches of a training', async () => {
  const tril = await loadTril();
  const [seed, step] = [7, 3];
  for (const task of ['induction', 'previous', 'fixed'] as const) {
    const [drawing] = bornCode(task, seed, []).split('\nimport json');
    const input = `${drawing}\nimport json\nprint(json.dumps(batch(${step})))`;
    const { stdout, stderr } = spawnSync('python3', ['-'], { encoding: 'utf8', input });
    expect(stderr).toBe('');
    const { tokens, targets } = batchOf(tril, tasks[task].periods, seedOf(seed, step));
    const rows = JSON.parse(stdout) as [number[], number[]][];
    expect(rows).toHaveLength(sequences);
    expect(rows.map(([given]) => given)).toEqual(tokens);
    expect(rows.map(([, wanted]) => wanted)).toEqual(targets);
    expect(rows[0][0]).toHaveLength(length);
  }
});

test.describe('a training taken along', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test(
    'with its weights before and after, and as a program',
    weekly(),
    async ({ lesson, page, runner }) => {
      const [task, seed] = ['previous', 5] as const;
      await lesson.open({ task, seed: String(seed) });
      await ready(page);
      const tril = await sameModule(await variantOf(page));
      const take = await takeOf(page, 'born');
      await expect(
        take.getByRole('button', { name: message('figures.take.code.pytorch') }),
      ).toHaveCount(0);
      const trainer = trainerOf(tril, task, seed);
      const file = () => Buffer.from(weightsOf(trainer));
      const beginning = await saved(page, take, 'Weights at step 0');
      expect(beginning.content.equals(file())).toBe(true);
      await train(page);
      await finished(page);
      const { steps, periods } = tasks[task];
      for (let step = 0; step < steps; ++step)
        trainer.step(batchOf(tril, periods, seedOf(seed, step)));
      const end = await saved(page, take, `Weights at step ${steps}`);
      expect(end.content).toHaveLength(beginning.content.length);
      expect(end.content.equals(beginning.content)).toBe(false);
      expect(end.content.equals(file())).toBe(true);
      trainer.dispose();
      await take
        .getByRole('button', { name: message('figures.take.code.pytorch'), exact: true })
        .click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(copied).toContain(beginning.name);
      const code = await copied();
      const expected = code.slice(code.indexOf('What the page shows.'));
      expect(expected.match(/\d\.\d+/gu)).toHaveLength(10);
      // The program looks for the file in its working folder, which is another one here.
      const place = join(mkdtempSync(join(tmpdir(), 'tril-')), beginning.name);
      writeFileSync(place, beginning.content);
      const moved = code.replaceAll(`open("${beginning.name}"`, `open(${JSON.stringify(place)}`);
      expect(moved).not.toBe(code);
      await runner.expectRight([{ name: 'born', language: 'PyTorch', code: moved }]);
    },
  );
});

test('a head being born is taken along as an animated picture', async ({ lesson, page }) => {
  const [task, seed] = ['previous', 5] as const;
  await lesson.open({ task, seed: String(seed), head: '2' });
  await ready(page);
  const tril = await sameModule(await variantOf(page));
  await train(page);
  await finished(page);
  const take = await takeOf(page, 'born');
  const { name, content: bytes } = await saved(page, take, message('learn-born.film.animated'));
  expect(name).toBe('tril-previous-5-head-2.gif');
  expect(bytes.subarray(0, 6).toString()).toBe('GIF89a');

  // The same training here, with the head's weights in each picture.
  const { frames } = trained(tril, task, seed);
  // The centres of cells: the head is 288 pixels wide and high, 16 from the left and 44 from the top.
  const middle = (i: number) => Math.floor((9 * (2 * i + 1)) / 2);
  const middles = Array.from({ length: length * length }, (_, i) => [
    16 + middle(i % length),
    44 + middle(Math.floor(i / length)),
  ]);
  const pictures = await page.evaluate(
    async ([data, places]) => {
      const raw = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const decoder = new ImageDecoder({ data: raw, type: 'image/gif' });
      await decoder.tracks.ready;
      const count = decoder.tracks.selectedTrack!.frameCount;
      /** The red channel at these points. */
      const pixels: number[][] = [];
      for (let frameIndex = 0; frameIndex < count; ++frameIndex) {
        const { image } = await decoder.decode({ frameIndex });
        const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
        const on = canvas.getContext('2d', { willReadFrequently: true })!;
        on.drawImage(image, 0, 0);
        const { data: rgba } = on.getImageData(0, 0, canvas.width, canvas.height);
        pixels.push(places.map(([x, y]) => rgba[4 * (y * canvas.width + x)]));
      }
      return pixels;
    },
    [bytes.toString('base64'), middles] as const,
  );
  expect(pictures).toHaveLength(frames.length);
  // Cells are as dark as the root of their weight; a palette of 256 colours per picture is a few levels off.
  const [head] = [1];
  for (const [n, frame] of [...frames.entries()].filter(([n]) => n % 10 === 0)) {
    const weights = frame.heads[head].weights.flat();
    const full = 255 - pictures[n][0]; // the first token sees only itself
    for (const [i, red] of pictures[n].entries()) {
      const [row, col] = [Math.floor(i / length), i % length];
      const dark = col > row ? 0 : Math.sqrt(weights[i]);
      expect(Math.abs((255 - red) / full - dark) * full, `picture ${n}, cell ${i}`).toBeLessThan(12); // prettier-ignore
    }
  }
});
