// Sizes as a hostile or careless caller gives them, and what must come of every call with them: a
// result, or a TrilError, and a module that works.
import { TrilError, type Tensor, type Tril } from 'tril';
import { expectWorking } from './helpers.js';

export const extremes = [0, 1, 2 ** 16, 2 ** 24, 2 ** 31 - 1] as const;

/** A call with sizes by their names, as they are where another one is extreme. */
export interface Case {
  readonly sizes: Readonly<Record<string, number>>;
  readonly call: (sizes: never) => unknown;
}

/**
 * For two names at most every pair of extremes; for more each name, and every two of them, with the
 * others as they are.
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

/** Collects what is neither a result nor a TrilError; stops where the module works no more. */
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
    // Fewer there are where something that was forgotten has been collected meanwhile.
    if (after > before) this.found.push(`${what}: ${after - before} tensors are left behind`);
  }
}

/** All that a call gave out: tensors, trainers, caches, alone or in objects. */
function dispose(made: unknown): void {
  if (typeof made !== 'object' || made === null || ArrayBuffer.isView(made)) return;
  if ('dispose' in made && typeof made.dispose === 'function') (made as Tensor).dispose();
  else Object.values(made).forEach(dispose);
}
