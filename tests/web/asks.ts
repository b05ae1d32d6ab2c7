// A question of the page, and what is said to a guess.
import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';

/** The answer that is seen, if there is one, is to a right guess or to a wrong one, and says this. */
export async function expectAnswer(
  ask: Locator,
  how: 'right' | 'wrong',
  sentence?: string | RegExp,
): Promise<void> {
  const answer = ask.locator('[data-answer]');
  await expect(answer).toHaveAttribute('data-answer', how);
  if (sentence !== undefined) await expect(answer).toHaveText(sentence);
}
