// The page that everything begins with: its first sentence, and what its heads make of one in Node.
import type { Page } from '@playwright/test';
import { chapter as computedBy, contentOf, idsOf, type HeadId } from './oracle.ts';
import { computed } from './reach.ts';

/** How strict its heads are. */
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
