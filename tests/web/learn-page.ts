// Section "born" of chapter "Learn", for its tests.
import type { Page } from '@playwright/test';
import { message } from './messages.ts';

export async function ready(page: Page): Promise<void> {
  await page.locator('#born .card').scrollIntoViewIfNeeded();
  await page.locator('#born [data-training="ready"]').waitFor();
}
export const train = (page: Page) =>
  page.getByRole('button', { name: message('learn-born.buttons.first'), exact: true }).click();
export const finished = (page: Page) =>
  page.locator('#born [data-done]').waitFor({ timeout: 120_000 });
