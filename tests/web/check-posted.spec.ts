// Chapter "Check": a visitor's tensors are sent to the Worker once, however often they are compared.
import type { Page } from '@playwright/test';
import { file, heads, test } from './check-case.ts';
import { expect } from './fixtures.ts';
import { message } from './messages.ts';
import { tril } from './oracle.ts';
import { holdWorkers, inPage, kill } from './workers.ts';

/** The number of begun questions with numbers or files in them, and their bytes in all, by kind. */
const postedOf = async (page: Page) => {
  const all = await inPage(page, ({ posted }) =>
    posted.filter(({ what, kind }) => what === 'begin' && /^(files|keep|own)$/u.test(kind ?? '')),
  );
  const of = (kind: string) => all.filter((one) => one.kind === kind);
  return Object.fromEntries(
    ['files', 'keep', 'own'].map((kind) => [
      kind,
      { begun: of(kind).length, bytes: of(kind).reduce((sum, { bytes }) => sum + bytes, 0) },
    ]),
  );
};

test('tensors are posted once for a set of files, not for each setting', async ({ open, page }) => {
  const core = await tril();
  await holdWorkers(page);
  await open();
  // The chapter's own case, above it, is compared in the same way.
  await page.locator('[data-found]').waitFor();
  await inPage(page, ({ posted }) => void posted.splice(0));
  const own = { ...heads(core), d_output: core.randomNormal([2, 3, 7, 4], { seed: 14 }) };
  const { q, k, v, d_output } = own;
  const { output, logSumExp } = core.attention(q, k, v, { causal: true, logSumExp: true });
  const found = core.attentionBackward(d_output, q, k, v, { causal: true, output, logSumExp });
  const bytes = core.writeSafetensors({
    ...own,
    ...{ d_q: found.dQuery, d_k: found.dKey, d_v: found.dValue },
  });
  const give = (name: string) =>
    page.locator('input[type=file]').setInputFiles(file(`${name}.safetensors`, bytes));
  const chip = (of: string) => page.getByRole('radio', { name: of });
  const settled = async (mark: string) => {
    for (const of of ['d_q', 'd_k', 'd_v']) await expect(chip(of)).toHaveText(`${of} ${mark}`);
  };
  await give('first');
  await settled('✓');
  const all = 4 * 7 * q.size;
  const first = await postedOf(page);
  expect(first).toMatchObject({
    files: { begun: 1, bytes: bytes.length },
    keep: { begun: 1, bytes: all },
    own: { begun: 3, bytes: 0 },
  });

  // Other settings, and another gradient.
  const causal = page.locator('#own').getByRole('radio', { name: message('check.own.causals.no') });
  await causal.click();
  await settled('✗');
  await chip('d_v').click();
  await expect(chip('d_v')).toBeChecked();
  await expect(page.locator('[data-verdict]')).toHaveAttribute('data-verdict', 'unknown');
  const later = await postedOf(page);
  expect(later).toMatchObject({ files: first.files, keep: first.keep, own: { bytes: 0 } });
  expect(later.own.begun).toBe(6);

  // The Worker ends, with all that it has kept: the next question is answered all the same.
  await kill(page);
  await page
    .locator('#own')
    .getByRole('radio', { name: message('check.own.causals.yes') })
    .click();
  await settled('✓');
  const { keep } = await postedOf(page);
  expect(keep).toEqual(first.keep);

  // Another file makes a new set, of the earlier tensors and of those in the file.
  await give('second');
  await expect.poll(async () => (await postedOf(page)).keep).toEqual({ begun: 2, bytes: 3 * all });
  await settled('✓');
});
