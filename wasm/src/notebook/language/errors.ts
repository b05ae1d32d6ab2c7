// Errors of programs, with Python's kinds.
import { read } from './work.js';

/** An error raised by a program, or by the interpreter for it. */
export class Raised extends Error {
  /** Counted from 1; set when the error leaves its statement. */
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

/** Raised at a limit of the program's work: nothing runs after it. */
export class Stopped extends Raised {}

export function raise(kind: string, message: string): never {
  throw new Raised(kind, message);
}

/** Raises an error with the kind and the words of a library. */
export function raiseAs(
  library: 'numpy' | 'torch',
  errors: Readonly<Record<'numpy' | 'torch', readonly [kind: string, message: string]>>,
): never {
  return raise(...errors[library]);
}

/** The result of a call; undefined where it raises an error of that kind. */
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

/** Counts a text as work before it is made. @throws Raised where it is too long */
export function checkText(length: number): void {
  checkTextLength(length);
  read(length);
}

/** Texts joined with a separator. @throws Raised where the result is too long */
export function joined(texts: readonly string[], between: string): string {
  checkText(texts.reduce((sum, { length }) => sum + length + between.length, -between.length));
  return texts.join(between);
}

/** An error for a feature of Python that the subset lacks. */
export const outside = (what: string, instead = '', line?: number): Raised =>
  new Raised(
    'NotImplementedError',
    `${what} is not in the subset of Python that runs here${instead && `; ${instead}`}`,
    line,
  );
