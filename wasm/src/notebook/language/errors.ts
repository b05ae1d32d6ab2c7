// Errors of programs, by Python's kinds.
import { read } from './work.js';

/** What a program raises, or what is raised for it. */
export class Raised extends Error {
  /** Counted from 1; set where the error passes the statement that it comes from. */
  line: number | undefined;

  constructor(
    readonly kind: string,
    message: string,
    line?: number,
  ) {
    super(message);
    this.line = line;
  }
}

/** Raised where a program has used what it may use: nothing runs behind it. */
export class Stopped extends Raised {}

export function raise(kind: string, message: string): never {
  throw new Raised(kind, message);
}

/** Raises an error by the kind and the words of a library. */
export function raiseAs(
  library: 'numpy' | 'torch',
  errors: Readonly<Record<'numpy' | 'torch', readonly [kind: string, message: string]>>,
): never {
  return raise(...errors[library]);
}

/** What a call gives; undefined where it raises an error of that kind. */
export function unless<Result>(kind: string, call: () => Result): Result | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Raised && error.kind === kind) return undefined;
    throw error;
  }
}

/** @throws Raised where a list is too long */
export function checkLength(length: number, what = 'a list may have a million items'): void {
  if (length > 1e6) raise('MemoryError', what);
}

/** @throws Raised where a text is too long */
export const checkTextLength = (length: number): void =>
  checkLength(length, 'a string may have a million characters');

/** Counts a text that is about to be made as work. @throws Raised where it is too long */
export function checkText(length: number): void {
  checkTextLength(length);
  read(length);
}

/** Texts as one, with another between them. @throws Raised where it is too long */
export function joined(texts: readonly string[], between: string): string {
  checkText(texts.reduce((sum, { length }) => sum + length + between.length, -between.length));
  return texts.join(between);
}

/** An error for what Python has and the subset has not. */
export const outside = (what: string, instead = '', line?: number): Raised =>
  new Raised(
    'NotImplementedError',
    `${what} is not in the subset of Python that runs here${instead && `; ${instead}`}`,
    line,
  );
