// Runs axe on the page in its current state. The script is injected and run directly: the page has no frames to visit
// one by one, and passed checks are not reported, which would be most of the work.
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { default as Axe, NodeResult, RunOptions } from 'axe-core';
import { expect } from './fixtures.ts';
import { asSeen } from './reach.ts';

const { source } = createRequire(import.meta.url)('axe-core') as typeof Axe;

/**
 * Rules beyond axe's defaults: the size of touch targets, and that the visible label of a control is part of its name.
 */
const besides = {
  'target-size': { enabled: true },
  'label-content-name-mismatch': { enabled: true },
};

/**
 * Axe's default rules with those above: all; only the rule that depends on the theme, which takes longer than all
 * others together; or all others.
 */
const rules = {
  all: { rules: besides },
  colours: { runOnly: ['color-contrast'] },
  others: { rules: { ...besides, 'color-contrast': { enabled: false } } },
  /** Rules for pages whose headings and trees are another program's. */
  landmarks: {
    runOnly: ['landmark-one-main', 'landmark-unique', 'region', 'link-in-text-block'],
  },
} satisfies Record<string, RunOptions>;

interface Look {
  /** The state of the page, for the message. */
  readonly where?: string;
  readonly what?: keyof typeof rules;
  /** The part of the page to check, if the rest has been checked in other states. */
  readonly within?: string;
}

/** Checks the page in light and dark; rules that do not depend on the theme run once. Leaves the page dark. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  for (const [colorScheme, what] of [
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await expectFaultless(page, { where: colorScheme, what, within });
  }
}

/** Fails with the broken rules and the first elements that break each. */
export async function expectFaultless(page: Page, look: Look = {}): Promise<void> {
  const { where = '', what = 'all', within } = look;
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  await page.evaluate(() => scrollTo(0, 0)); // so that the header covers no element
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
