// Errors of programs, by Python's kinds.

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

export function raise(kind: string, message: string): never {
  throw new Raised(kind, message);
}

/** An error for what Python has and the subset has not. */
export const outside = (what: string, instead = ''): Raised =>
  new Raised(
    'NotImplementedError',
    `${what} is not in the subset of Python that runs here${instead && `; ${instead}`}`,
  );
