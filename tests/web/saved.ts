// Files that the page saves.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';

/** The file that a button in that part of the page saves. */
export async function saved(page: Page, within: Page | Locator, button: string) {
  const download = page.waitForEvent('download');
  await within.getByRole('button', { name: button, exact: true }).click();
  const file = await download;
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}
