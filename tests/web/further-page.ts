// Helpers for the tests of figure "Make it your own".
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { number } from './lessons.ts';
import { message } from './messages.ts';
import type { Here } from './model-page.ts';

/** The settings of a training of all weights, or of an adapter (LoRA) of these matrices; none is at its default. */
export function settingsOf(lora: { readonly rank: number; readonly targets: string[] } | null) {
  const training = { batch: 2, learningRate: lora ? 5e-3 : 5e-4, warmup: 5, steps: 40, seed: 1 };
  if (!lora) return training;
  const { rank, targets } = lora;
  return { ...training, lora: targets.length > 0 ? { rank, targets } : { rank } };
}

export const press = (page: Page, name: string) =>
  page
    .locator('#further')
    .getByRole('button', { name: message(`model-further.buttons.${name}`) })
    .click();

/** Expects the step in the text to be the displayed one, and returns it. */
export async function stopped(figure: Locator): Promise<number> {
  await expect(figure).toHaveAttribute('data-training', 'waiting');
  await expect(async () => {
    const [, done] = /(\d+)/u.exec((await figure.getByRole('status').textContent())!)!;
    await expect(figure).toHaveAttribute('data-step', done, { timeout: 500 });
  }).toPass();
  return number(figure, 'step');
}

/** The movement of each head, layer by layer: computed in double precision from the numbers of two files. */
export async function moved({ tril, shape }: Here, before: Uint8Array, now: Uint8Array) {
  const [was, is] = await Promise.all(
    [before, now].map(async (bytes) => {
      const arrays = await tril.readArrays(bytes, 'model.safetensors');
      return new Map(arrays.map(({ name, tensor }) => [name, tensor.toArray<number[][]>()]));
    }),
  );
  const { layers, heads, width } = shape;
  const size = width / heads;
  return Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: heads }, (__, head) => {
      let [change, all] = [0, 0];
      for (const part of ['q', 'k', 'v', 'o']) {
        const name = `model.layers.${layer}.self_attn.${part}_proj.weight`;
        for (let i = head * size; i < (head + 1) * size; ++i) {
          for (let j = 0; j < width; ++j) {
            const [row, col] = part === 'o' ? [j, i] : [i, j];
            const old = was.get(name)![row][col];
            change += (is.get(name)![row][col] - old) ** 2;
            all += old ** 2;
          }
        }
      }
      return Math.sqrt(change / all);
    }),
  );
}
