// axe on the page as it stands. Injected and run at once: the page has no frames to be gone through one by one, and what
// passes is not written down, which is most of the work.
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { default as Axe, NodeResult, RunOptions } from 'axe-core';
import { expect } from './fixtures.ts';
import { asSeen } from './reach.ts';

const { source } = createRequire(import.meta.url)('axe-core') as typeof Axe;

/** Besides axe's own choice: the size of what is tapped, and that what is written on a control is what it is called. */
const besides = {
  'target-size': { enabled: true },
  'label-content-name-mismatch': { enabled: true },
};

/**
 * Every rule of axe's own choice, and those; or of them what depends on the theme, which takes longer
 * than all others together, or what does not.
 */
const rules = {
  all: { rules: besides },
  colours: { runOnly: ['color-contrast'] },
  others: { rules: { ...besides, 'color-contrast': { enabled: false } } },
  /** Of pages whose headings and trees are another program's. */
  landmarks: {
    runOnly: ['landmark-one-main', 'landmark-unique', 'region', 'link-in-text-block'],
  },
} satisfies Record<string, RunOptions>;

interface Look {
  /** The state that the page is in, for the message. */
  readonly where?: string;
  readonly what?: keyof typeof rules;
  /** A part of the page, where the rest is as it is in states that are looked at elsewhere. */
  readonly within?: string;
}

/** Light and dark; of what does not depend on the theme once. The page is dark afterwards. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  for (const [colorScheme, what] of [
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await expectFaultless(page, { where: colorScheme, what, within });
  }
}

/** Fails with the rules that are broken and the first elements that break each. */
export async function expectFaultless(page: Page, look: Look = {}): Promise<void> {
  const { where = '', what = 'all', within } = look;
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  await page.evaluate(() => scrollTo(0, 0)); // nothing lies half under the header
  await asSeen(page);
  const violations = await page.evaluate(
    async ({ options, part }) => {
      if (document.querySelector('iframe, frame')) throw new Error('frames would not be looked at');
      const { axe } = window as unknown as { axe: typeof Axe };
      return (await axe.run(part ?? document, options)).violations;
    },
    { options: { resultTypes: ['violations'], ...rules[what] } as RunOptions, part: within },
  );
  const said = ({ html, any }: NodeResult) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`;
  const found = violations.map(({ id, nodes }) => [id, nodes.slice(0, 4).map(said)]);
  expect(found, where).toEqual([]);
}
