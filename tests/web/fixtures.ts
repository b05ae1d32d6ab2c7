// Fixtures that guard the page: an error on the console, an uncaught exception, or a request to another host fails
// every test.
import { test as base, type Locator, type Page } from '@playwright/test';
import { boxOf } from './box.ts';
import { expect } from './expect.ts';
import { messagePattern } from './messages.ts';
import { goTo, settled } from './settled.ts';

export class AttendPage {
  constructor(readonly page: Page) {}

  /**
   * Opens the chapter in a state, given in the form of its address, by default at the first step, and waits until it is
   * computed.
   */
  async open(query: Record<string, string> = {}): Promise<void> {
    const hash = new URLSearchParams({ step: 'x', ...query }).toString();
    await goTo(this.page, `attend?${hash}`);
    await this.page.locator('[data-variant]').waitFor();
    await this.page.evaluate(() => document.fonts.ready);
    await settled(this.page);
  }

  matrix(id: string): Locator {
    return this.page.locator(`[data-matrix="${id}"]`);
  }

  grid(id: string): Locator {
    return this.matrix(id).getByRole('grid');
  }

  cell(id: string, row: number, col: number): Locator {
    return this.page.locator(`#cell-${id}-${row}-${col}`);
  }

  /** Clicks at the position of the cell, since marks lie over it. */
  async point(id: string, row: number, col: number, click = true): Promise<void> {
    const cell = this.cell(id, row, col);
    const box = await boxOf(cell);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (click) await this.page.mouse.click(x, y);
    else await this.page.mouse.move(x, y);
  }

  get why(): Locator {
    return this.page.locator('#steps .why');
  }

  /** Goes to a step by its id, in upper or lower case. */
  async step(id: string): Promise<void> {
    const name = messagePattern(`attend.steps.${id.toLowerCase()}.name`).source;
    await this.page.getByRole('button', { name: new RegExp(`^\\d\\. ${name}(?: \\(|$)`) }).click();
  }

  /** The drawn cells of a matrix, row by row. */
  async drawn(id: string): Promise<DrawnCell[][]> {
    await settled(this.page);
    const cells = await this.matrix(id)
      .locator('[role="gridcell"]')
      .evaluateAll((elements) =>
        elements.map((element) => ({
          row: Number((element as HTMLElement).dataset.row),
          col: Number((element as HTMLElement).dataset.col),
          text: element.textContent!.trim(),
          label: element.getAttribute('aria-label') ?? '',
        })),
      );
    const rows: DrawnCell[][] = [];
    for (const { row, col, ...cell } of cells) (rows[row] ??= [])[col] = cell;
    return rows;
  }

  /** The step's matrix from the table of all digits. */
  async table(): Promise<number[][]> {
    const details = this.page.locator('#steps .stage details');
    if (!(await details.evaluate((element) => (element as HTMLDetailsElement).open))) {
      await details.locator('summary').click();
    }
    const rows = details.locator('tbody tr');
    await rows.first().waitFor();
    const texts = await rows.evaluateAll((elements) =>
      elements.map((row) => Array.from(row.querySelectorAll('td'), (cell) => cell.textContent!)),
    );
    return texts.map((row) => row.map(numberOf));
  }
}

export interface DrawnCell {
  readonly text: string;
  readonly label: string;
}

/** Parses a number as the page writes it, with a true minus sign. */
export function numberOf(text: string): number {
  const plain = text.trim().replaceAll('−', '-').replace('∞', 'Infinity');
  if (plain !== 'NaN' && Number.isNaN(Number(plain))) throw new Error(`not a number: "${text}"`);
  return Number(plain);
}

/** Lets a test provoke messages of the console on purpose. */
export interface Guard {
  expect(message: RegExp): void;
}

/**
 * The browser itself cancels requests that are still open when a test leaves its page: at the end of the test, or on
 * going to another document or chapter. Any other cancelled request was given up by the page.
 */
class Leaving {
  /** The time around such a change, in milliseconds. */
  readonly #around = 2000;
  readonly #left: number[] = [];
  readonly #ended: { readonly what: string; readonly at: number }[] = [];

  constructor(page: Page) {
    const placeOf = (url: string) => url.replace(/[?].*/u, '');
    let last = '';
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame() || placeOf(frame.url()) === last) return;
      last = placeOf(frame.url());
      this.#left.push(Date.now());
    });
    page.on('request', (request) => {
      if (request.isNavigationRequest()) this.#left.push(Date.now());
    });
  }

  ended(what: string): void {
    this.#ended.push({ what, at: Date.now() });
  }

  /** The unexplained requests at the end of a test whose page is still open. */
  unexplained(): string[] {
    return this.#ended
      .filter(({ at }) => !this.#left.some((left) => Math.abs(left - at) < this.#around))
      .map(({ what }) => what);
  }
}

/** Playwright's context behind that of the tests, in the version that the lock file names. */
interface Inner {
  readonly _connection?: {
    toImpl?: (outer: unknown) => { clearCache(): Promise<void> } | undefined;
  };
}

export const test = base.extend<{ attend: AttendPage; guard: Guard; veils: boolean }>({
  /** Whether questions cover their answers, as they do for visitors: `test.use({ veils: true })`. */
  veils: [false, { option: true }],
  context: async ({ context }, use) => {
    // Playwright clears the storage of a context that tests share one after another, and its cache of files as well: a
    // hundred files would be fetched and compiled again for every test. Their names change with their contents.
    const inner = (context as Inner)._connection?.toImpl?.(context);
    if (inner) inner.clearCache = () => Promise.resolve();
    await use(context);
  },
  guard: [
    async ({ page, baseURL, veils }, use) => {
      // By default, options and deeper sections are folded, and figures play by themselves at first sight:
      // opening.spec.ts, deeper.spec.ts and met.spec.ts test that.
      await page.addInitScript((covered) => {
        if (!location.protocol.startsWith('http')) return;
        if (!covered) localStorage.setItem('tril.veils', 'none');
        localStorage.setItem('tril.options', 'open');
        if (!localStorage.getItem('tril.deeper')) localStorage.setItem('tril.deeper', 'all');
        localStorage.setItem('tril.met', 'all');
      }, veils);
      const trouble: string[] = [];
      const own = new URL(baseURL!).hostname;
      page.on('console', (message) => {
        if (message.text() === 'Service Worker registration blocked by Playwright') return;
        if (message.type() === 'error' || message.type() === 'warning') {
          trouble.push(`console: ${message.text()}`);
        }
      });
      page.on('pageerror', (error) => trouble.push(`exception: ${error.message}`));
      page.on('request', (request) => {
        const { hostname, protocol } = new URL(request.url());
        if (protocol.startsWith('http') && hostname !== own)
          trouble.push(`request: ${request.url()}`);
      });
      const leaving = new Leaving(page);
      page.on('requestfailed', (request) => {
        const reason = request.failure()?.errorText ?? '';
        const failed = `failed, ${reason}: ${request.url()}`;
        if (reason === 'net::ERR_ABORTED') leaving.ended(failed);
        else trouble.push(failed);
      });
      page.on('response', (response) => {
        if (response.status() >= 400) trouble.push(`${response.status()}: ${response.url()}`);
      });
      const expected: RegExp[] = [];
      await use({ expect: (message) => expected.push(message) });
      trouble.push(...leaving.unexplained());
      const unexpected = trouble.filter((text) => !expected.some((message) => message.test(text)));
      expect(unexpected, 'console, exceptions and requests').toEqual([]);
    },
    { auto: true },
  ],
  attend: async ({ page }, use) => {
    await use(new AttendPage(page));
  },
});

export { expect };
