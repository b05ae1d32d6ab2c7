// Section "born" of chapter "Learn", as tests use it.
import type { Page } from '@playwright/test';
import { createHash } from 'node:crypto';
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

/** The same training here; what it has said when all is over, and its end. */
async function trained(tril: TrainingTril, task: TaskId, seed: number) {
  const said: BornSaid[] = [];
  const end = await born(
    tril,
    { task, seed },
    {
      say: (message) => 'frame' in message && said.push(message),
      told: () => [],
      next: async () => 'go' as const,
      turn: async () => {},
    },
  );
  return { said, end };
}

export const trainedHere = async (tril: TrainingTril, task: TaskId, seed: number) =>
  (await trained(tril, task, seed)).said;

/** What names the head that the tour trains with this seed: its weights, to the bit. */
export async function hashHere(tril: TrainingTril, seed: number): Promise<string> {
  const { end } = await trained(tril, 'induction', seed);
  return createHash('sha256').update(end.weights).digest('hex').slice(0, 8);
}
