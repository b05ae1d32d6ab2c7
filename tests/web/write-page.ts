// Chapter "Write", for its tests, and a correct head.
import type { Locator, Page } from '@playwright/test';
import { test as base } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { message } from './messages.ts';

export class Writing extends Lesson {
  constructor(page: Page) {
    super(page, 'write');
  }

  get bench(): Locator {
    return this.page.locator('#bench');
  }

  /** The editor, once it is ready. */
  async editor(section = '#bench'): Promise<Locator> {
    await this.page.locator(`${section} [data-editor="ready"]`).waitFor();
    return this.page.locator(`${section} .cm-content`);
  }

  /** Replaces all of the code, like a paste. */
  async write(code: string, section = '#bench'): Promise<void> {
    await (await this.editor(section)).fill(code);
  }

  get ladder(): Locator {
    return this.bench.getByRole('combobox', { name: message('write.exercise') });
  }

  /** The text of the chosen exercise. */
  get chosen(): Locator {
    return this.ladder.locator('option:checked');
  }

  get verdict(): Locator {
    return this.bench.locator('[data-verdict]');
  }

  row(line: number, section = '#bench'): Locator {
    return this.page.locator(`${section} li[data-line="${line}"]`);
  }
}

export const test = base.extend<{ lesson: Writing }>({
  lesson: async ({ page }, use) => use(new Writing(page)),
});

const softmax = `def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;
export const head = (scores: string) => `import numpy as np

def attention(Q, K, V):
    scores = ${scores}
    weights = softmax(scores)
    return weights @ V

${softmax}`;
export const right = head('Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])');
