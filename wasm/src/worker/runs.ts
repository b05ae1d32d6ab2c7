// A run in the Worker as a stream of reports.
import { TrilError } from '../error.js';
import { checkKeys, integerOption, signalOption } from '../names.js';

interface Options {
  readonly steps?: number;
  readonly every?: number;
  readonly signal?: AbortSignal;
}

/**
 * Takes as many steps at a time as `every` says, and reports the last of them with all of them. `all` counts the
 * steps of a run whose options do not.
 */
export async function* reportsOf<Step extends object>(
  take: (count: number, signal: AbortSignal | undefined) => Promise<readonly Step[]>,
  options: Options,
  all: () => number | Promise<number>,
): AsyncGenerator<Step & { readonly steps: readonly Step[] }, void, undefined> {
  checkKeys('run', 'options', 'option', options, ['steps', 'every', 'signal']);
  const signal = signalOption('run', 'signal', options.signal);
  const every = integerOption('run', 'every', options.every, 1, 1);
  let left = integerOption('run', 'steps', options.steps, await all(), 0);
  while (left > 0) {
    let failure: TrilError | undefined;
    const steps = await take(Math.min(every, left), signal).catch((error: unknown) => {
      if (!(error instanceof TrilError)) throw error;
      failure = error;
      return (error.steps ?? []) as unknown as readonly Step[];
    });
    left -= steps.length;
    const last = steps.at(-1);
    if (last) yield { ...last, steps };
    if (failure) throw failure;
  }
}
