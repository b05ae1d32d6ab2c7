// Sizes of a hostile or careless caller. Every call with them must give a result or a TrilError, and leave a working
// module.
import { TrilError, type Tensor, type Tril } from 'tril';
import { expectWorking } from './helpers.js';

export const extremes = [0, 1, 2 ** 16, 2 ** 24, 2 ** 31 - 1] as const;

/** A call, and its sizes by name, with their values while another one is extreme. */
export interface Case {
  readonly sizes: Readonly<Record<string, number>>;
  readonly call: (sizes: never) => unknown;
}

/**
 * For up to two sizes every pair of extremes; for more sizes each one alone, and every two of them, with the others at
 * their own values.
 */
export function* extremesOf(sizes: Case['sizes']): Generator<Case['sizes']> {
  const names = Object.keys(sizes);
  for (const [i, name] of names.entries()) {
    for (const size of extremes) yield { ...sizes, [name]: size };
    for (const other of names.slice(i + 1)) {
      for (const size of extremes) {
        for (const beside of extremes) yield { ...sizes, [name]: size, [other]: beside };
      }
    }
  }
}

/** Collects outcomes other than a result or a TrilError; stops once the module no longer works. */
export class Failures {
  readonly found: string[] = [];
  constructor(private readonly tril: Tril) {}

  async expect(what: string, body: () => unknown): Promise<void> {
    const before = this.tril.memory().tensors;
    let made: unknown;
    try {
      made = body();
      if (made instanceof Promise) made = await made;
    } catch (error) {
      if (!(error instanceof TrilError)) this.found.push(`${what}: ${String(error)}`);
    }
    dispose(made);
    try {
      expectWorking(this.tril);
    } catch (error) {
      throw new Error(`after ${what} nothing works: ${String(error)}`);
    }
    const after = this.tril.memory().tensors;
    // The count may be lower if forgotten tensors have been collected meanwhile.
    if (after > before) this.found.push(`${what}: ${after - before} tensors are left behind`);
  }
}

/** Disposes everything that a call returned: tensors, trainers, caches, alone or in objects. */
function dispose(made: unknown): void {
  if (typeof made !== 'object' || made === null || ArrayBuffer.isView(made)) return;
  if ('dispose' in made && typeof made.dispose === 'function') (made as Tensor).dispose();
  else Object.values(made).forEach(dispose);
}
