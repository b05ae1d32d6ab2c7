// The download before the first figure: bytes and requests are counted, without a clock.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from './fixtures.ts';
import { dist } from './host.ts';
import { chapters } from './reach.ts';
import { usual, weekly } from './weekly.ts';

/** The limits before a chapter's first figure, without fonts. `node tests/web/first-figure.mjs` measures the time. */
const before = { kilobytes: 100, requests: 24 };

for (const { id } of chapters) {
  test(
    `${id}: little is loaded before the first figure`,
    weekly(id, usual),
    async ({ page, baseURL }) => {
      const asked = new Set<string>();
      page.on('request', (request) => asked.add(new URL(request.url()).pathname));
      await page.goto(`./${id}/`);
      await page
        .locator('main :is([role="gridcell"], canvas, [data-map], [data-arcs])')
        .first()
        .waitFor();
      const base = new URL(baseURL!).pathname;
      const paths = [...asked].map((path) => path.slice(base.length).replace(/\/$/, '/index.html'));
      // The figure is in the page: it needs only the page's styles and the script that runs before the first paint.
      const files = paths.filter((path) => /\.(html|css)$|^arrive\.js$/.test(path));
      const sizes = await Promise.all(
        files.map(async (path) => gzipSync(await readFile(join(dist, path))).length / 1000),
      );
      const list = files.map((path, index) => `${path} ${sizes[index].toFixed(1)}`).join(', ');
      expect(files.length, list).toBeLessThanOrEqual(before.requests);
      expect(
        sizes.reduce((sum, size) => sum + size, 0),
        list,
      ).toBeLessThanOrEqual(before.kilobytes);
    },
  );
}
