import { calls, type Calls } from './calls.js';
import { Context } from './context.js';
import { TrilError } from './error.js';
import { detectFeatures } from './features.js';
import { booleanOption, checkKeys, describe, integerOption } from './names.js';
import type { Raw, RawOptions } from './raw.js';
import { chooseVariant, type Variant } from './variant.js';

/** The options of `loadTril`. */
export interface LoadOptions {
  /** Which build to load, instead of the best that this engine can run. */
  readonly variant?: Variant;
  /**
   * How many threads to compute on, the caller's included; 1 unless given. More than one needs
   * shared memory: in a browser a cross-origin isolated page, and a Worker to call from, since the
   * page's own thread may not wait. Where there is none, one thread is used; `tril.threads` says
   * how many there are.
   */
  readonly threads?: number;
  /** Where the .wasm file is served from, when not beside the module's script. */
  readonly wasmUrl?: string | URL;
  /**
   * Warn on the console of every tensor that was never disposed, once the garbage collector finds
   * it, with its shape, the call that made it and from where. Costs time: for development.
   */
  readonly development?: boolean;
}

const maximumThreads = 32;

/** How each variant is fetched, and what is behind its name in that of its file. */
export interface Modules {
  readonly suffix: string;
  readonly fetch: Record<
    Variant,
    () => Promise<{ readonly default: (options: RawOptions) => Promise<Raw> }>
  >;
}

/** Only the script of the variant that is asked for is fetched. Bundlers see four literal imports. */
const modules: Modules = {
  suffix: '',
  fetch: {
    simd: () => import('./generated/tril-simd.js'),
    relaxed: () => import('./generated/tril-relaxed.js'),
    'simd-threads': () => import('./generated/tril-simd-threads.js'),
    'relaxed-threads': () => import('./generated/tril-relaxed-threads.js'),
  },
};

const names = ['variant', 'threads', 'wasmUrl', 'development'];

function checkOptions(options: LoadOptions) {
  checkKeys('loadTril', 'options', 'option', options, names);
  const threaded = String(options.variant).endsWith('threads');
  const threads = integerOption('loadTril', 'threads', options.threads, threaded ? 2 : 1, 1);
  if (threads > maximumThreads) {
    throw new TrilError('loadTril', 'threads', `must be at most ${maximumThreads}, is ${threads}`);
  }
  const { wasmUrl } = options;
  if (wasmUrl !== undefined && typeof wasmUrl !== 'string' && !(wasmUrl instanceof URL)) {
    throw new TrilError('loadTril', 'wasmUrl', `must be a URL, is ${describe(wasmUrl)}`);
  }
  const development = booleanOption('loadTril', 'development', options.development, false);
  return { threads, wasmUrl: wasmUrl && String(wasmUrl), development };
}

/** `loadTril` of these modules, with `more` calls where there are any. */
export async function loadFrom<More extends object = object>(
  from: Modules,
  options: LoadOptions,
  more?: (context: Context) => More,
): Promise<Tril & More> {
  const { threads, wasmUrl, development } = checkOptions(options);
  const variant = chooseVariant(detectFeatures(), options);
  const available = variant.endsWith('threads') ? threads : 1;
  const rawOptions: RawOptions = {
    TrilError,
    trilWorkers: available - 1,
    ...(wasmUrl !== undefined && {
      locateFile: (file, folder) => (file.endsWith('.wasm') ? wasmUrl : folder + file),
    }),
  };
  const made = from.fetch[variant]().then((script) => script.default(rawOptions));
  const raw = await made.catch((error: unknown) => {
    const file = wasmUrl ?? `tril-${variant}${from.suffix}.wasm`;
    const reason = String(error).replace(/^RuntimeError: Aborted\((.*)\)\..*/s, '$1');
    const problem =
      `${file} could not be loaded: ${reason}. It must be served as it is; ` +
      `the package's README, "Where it runs", says what a bundler has to be told`;
    throw new TrilError('loadTril', wasmUrl === undefined ? 'variant' : 'wasmUrl', problem);
  });
  // eslint-disable-next-line no-console -- this is what the option asks for
  const warn = development ? (message: string) => console.warn(message) : undefined;
  const context = new Context(raw, available, warn);
  const { threads: started } = context.engine;
  const all = { variant, threads: started, ...calls(context), ...more?.(context) };
  return Object.freeze(all as Tril & More);
}

/**
 * Loads the core, compiled to WebAssembly, and returns everything it can compute. Each call makes a
 * module of its own, with its own memory; tensors of one cannot be used with another.
 *
 * @throws TrilError where an option is wrong, or this engine cannot run the variant
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril';
 *
 * const tril = await loadTril({ variant: 'simd' });
 * tril.variant; // 'simd'
 * tril.threads; // 1
 * ```
 */
export function loadTril(options: LoadOptions = {}): Promise<Tril> {
  return loadFrom(modules, options);
}

/** A loaded module: all calls, what it runs on, and what it holds. */
export interface Tril extends Calls {
  /** The build that was loaded. */
  readonly variant: Variant;
  /** How many threads it computes on, the caller's included. */
  readonly threads: number;
}
