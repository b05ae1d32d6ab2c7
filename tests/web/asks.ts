// A question of the page, and the answer to a guess.
import type { Locator } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Expects the visible answer, if there is one, to be that to a right or a wrong guess, and to contain the sentence. */
export async function expectAnswer(
  ask: Locator,
  how: 'right' | 'wrong',
  sentence?: string | RegExp,
): Promise<void> {
  const answer = ask.locator('[data-answer]');
  await expect(answer).toHaveAttribute('data-answer', how);
  if (sentence !== undefined) await expect(answer).toHaveText(sentence);
}
