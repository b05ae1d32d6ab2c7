// Files that the page saves.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';

/** The picture that a button of a figure saves. */
export async function saved(page: Page, take: Locator, kind: 'SVG' | 'PNG') {
  const download = page.waitForEvent('download');
  await take.getByRole('button', { name: kind }).click();
  const file = await download;
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}
