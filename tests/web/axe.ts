// axe on the page as it stands. Injected and run at once: the page has no frames to be gone through one by one, and what
// passes is not written down, which is most of the work.
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { default as Axe, NodeResult, RunOptions } from 'axe-core';
import { expect } from './fixtures.ts';

const { source } = createRequire(import.meta.url)('axe-core') as typeof Axe;

/** Every rule of axe's own choice, and the size of what is tapped. */
const everything: RunOptions = {
  resultTypes: ['violations'],
  rules: { 'target-size': { enabled: true } },
};

/** Fails with the rules that are broken and the first elements that break each; `where` says in what state. */
export async function expectAccessible(page: Page, where = ''): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  // Colours that still glide from one theme to the other are neither's.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
        .map(({ finished }) => finished),
    ),
  );
  const violations = await page.evaluate(async (options) => {
    if (document.querySelector('iframe, frame')) throw new Error('frames would not be looked at');
    const { axe } = window as unknown as { axe: typeof Axe };
    return (await axe.run(document, options)).violations;
  }, everything);
  const look = ({ html, any }: NodeResult) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`;
  const found = violations.map(({ id, nodes }) => [id, nodes.slice(0, 4).map(look)]);
  expect(found, where).toEqual([]);
}
