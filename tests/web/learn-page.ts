// Section "born" of chapter "Learn", as tests use it.
import type { Page } from '@playwright/test';
import type { TrainingTril } from 'tril/training';
import { born } from '../../web/src/compute/training/born.ts';
import type { BornSaid } from '../../web/src/compute/training/protocol.ts';
import type { TaskId } from '../../web/src/compute/training/tasks.ts';
import { message } from './messages.ts';

export async function ready(page: Page): Promise<void> {
  await page.locator('#born .card').scrollIntoViewIfNeeded();
  await page.locator('#born [data-training="ready"]').waitFor();
}
export const train = (page: Page) =>
  page.getByRole('button', { name: message('learn-born.buttons.train'), exact: true }).click();
export const finished = (page: Page) =>
  page.locator('#born [data-done]').waitFor({ timeout: 120_000 });

/** The same training here; what it has said when all is over. */
export async function trainedHere(
  tril: TrainingTril,
  task: TaskId,
  seed: number,
): Promise<BornSaid[]> {
  const said: BornSaid[] = [];
  await born(
    tril,
    { task, seed },
    {
      say: (message) => 'frame' in message && said.push(message),
      told: () => [],
      next: async () => 'go' as const,
      turn: async () => {},
    },
  );
  return said;
}
