// The home page: its first sentence, and its heads' weights for a sentence, computed in Node.
import type { Page } from '@playwright/test';
import { chapter as computedBy, contentOf, idsOf, type HeadId } from './oracle.ts';
import { computed } from './reach.ts';

/** The strictness of its heads. */
const strict = 6;
export const sentence = 'the cat saw the dog chase the cat'.split(' ');

export async function weightsOf(tokens: readonly string[], head: HeadId): Promise<number[][]> {
  const content = idsOf(tokens).map(contentOf);
  return (await computedBy({ content, head, causal: true, tokens: true, strict })).weights;
}

export async function open(page: Page, hash = ''): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`./${hash}`);
  await computed(page);
}
