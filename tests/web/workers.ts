// Gives a test control of the page's Workers: it can make them fail, or leave questions of a kind without an answer.
import type { Page } from '@playwright/test';

/**
 * Records the page's Workers, so that a test can make them fail, and the messages to them, with the bytes of numbers
 * and files in each.
 */
export async function holdWorkers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    const posted: Held['posted'] = [];
    const bytesOf = (one: unknown): number => {
      if (one instanceof ArrayBuffer || ArrayBuffer.isView(one)) return one.byteLength;
      if (typeof one !== 'object' || one === null) return 0;
      return Object.values(one).reduce((sum: number, part) => sum + bytesOf(part), 0);
    };
    const written = (_: string, value: unknown) =>
      typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
    Object.assign(window, { workers, posted, hold: '' });
    window.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        workers.push(this);
      }
      override postMessage(message: { what: string; kind?: string; ask?: unknown }): void {
        const { what, kind, ask } = message;
        posted.push({ what, kind, bytes: bytesOf(message), says: JSON.stringify(ask, written) });
        // A held question never gets its answer.
        if ((window as unknown as Held).hold !== message.kind) super.postMessage(message);
      }
    };
  });
}
export interface Held {
  readonly workers: Worker[];
  /** `says` is the question, in JSON. */
  readonly posted: {
    readonly what: string;
    readonly kind?: string | undefined;
    readonly bytes: number;
    readonly says?: string | undefined;
  }[];
  hold: string;
}

export const inPage = <Result>(page: Page, work: (held: Held) => Result) =>
  page.evaluate(`(${work.toString()})(window)`) as Promise<Result>;
/** Ends the Worker like a browser, for example for want of memory. */
export const kill = (page: Page) =>
  inPage(page, ({ workers }) => {
    const worker = workers[workers.length - 1];
    worker.terminate();
    worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory', cancelable: true }));
  });
