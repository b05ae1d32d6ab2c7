import { reasonOf, seeReadme } from './describe.js';
import { defineAbsent } from './absent-calls.js';
import { calls, type Calls } from './calls.js';
import { Context, notLoaded } from './context.js';
import { TrilError } from './error.js';
import { detectFeatures } from './features.js';
import { isUrl } from './kinds.js';
import {
  compileModule,
  moduleAt,
  moduleBeside,
  type WasmModule,
  type WasmSource,
} from './module.js';
import { booleanOption, checkKeys, checkName, describe, integerOption } from './names.js';
import { nodeVersion } from './builtin.js';
import type { Raw, RawOptions, Script, StartedWorker } from './raw.js';
import { chooseVariant, type Variant } from './variant.js';

/** The options of `loadTril`. */
export interface LoadOptions {
  /** Build to load (default: the best that this engine can run). */
  readonly variant?: Variant;
  /**
   * Number of threads to compute on, the caller's included (default 1). More than one needs shared
   * memory: in a browser a cross-origin isolated page, and a Worker to call from, since the page's
   * own thread may not wait. Without it, one thread is used; `tril.threads` is the actual number.
   */
  readonly threads?: number;
  /**
   * Maximum size in bytes of the memory that all threads share, from 16 MiB to 4 GiB, rounded up to 64 KiB
   * (default 4 GiB, or as much as the engine can reserve). Memory begins with 16 MiB and the stacks of the
   * threads, and grows on demand. Without threads it can grow to 4 GiB.
   */
  readonly memory?: number;
  /**
   * The .wasm file of the variant: compiled, as bytes, or as `fetch` gives it; or a promise of these. For
   * hosts and bundles in which it cannot be fetched. It belongs to `'simd'` unless `variant` names
   * another.
   */
  readonly wasm?: WasmSource | PromiseLike<WasmSource> | undefined;
  /** The address of the .wasm file (default: beside the module's script). */
  readonly wasmUrl?: string | URL | undefined;
  /**
   * Whether to warn on the console about every tensor that was never disposed, once the garbage
   * collector finds it, with its shape, the call that made it and its origin. Costs time: for
   * development.
   */
  readonly development?: boolean;
}

const maximumThreads = 32;

const page = 65536;
/**
 * Sizes in pages of shared memory. `worker` has room for a worker's stack of 1 MiB. `max` is one page below 4 GiB,
 * since sizes in bytes must fit into 32 bits.
 */
const pages = { min: 256, worker: 18, max: 65535 };

/**
 * Makes growing memory that `workers` share with the caller, and returns it with its maximum size in bytes, at most
 * `asked`. The stacks lie in its initial part, since workers see only that part (shared_memory.cc).
 */
function sharedMemory(
  workers: number,
  asked: number | undefined,
  maximum = Math.min(Math.ceil((asked ?? Infinity) / page), pages.max),
): { wasmMemory: object; trilMemory: number } {
  const initial = Math.min(pages.min + pages.worker * workers, maximum);
  try {
    const wasmMemory = new WebAssembly.Memory({ initial, maximum, shared: true });
    return { wasmMemory, trilMemory: maximum * page };
  } catch (error) {
    const half = Math.floor(maximum / 2);
    if (asked === undefined && half >= pages.min) return sharedMemory(workers, asked, half);
    const problem = `this engine gives no ${maximum * page} bytes to threads: ${reasonOf(error)}`;
    throw new TrilError('loadTril', 'memory', problem);
  }
}

function checkMemory(memory: number | undefined): number | undefined {
  if (memory === undefined) return undefined;
  const [min, max] = [pages.min * page, (pages.max + 1) * page];
  if (Number.isInteger(memory) && memory >= min && memory <= max) return memory;
  const problem = `must be a whole number of bytes from ${min} to ${max}, is ${describe(memory)}`;
  throw new TrilError('loadTril', 'memory', problem);
}

/** The loaders of each variant's script, and the suffix of its file name. */
export interface Modules {
  readonly suffix: string;
  readonly fetch: Partial<Record<Variant, () => Promise<Script>>>;
  /** The module of the only variant, if its host requires an import. */
  readonly wasm?: WasmModule;
}

const names = ['variant', 'threads', 'memory', 'wasm', 'wasmUrl', 'development'];

function checkOptions(options: LoadOptions, only: Variant | undefined) {
  checkKeys('loadTril', 'options', 'option', options, names);
  const { wasm, wasmUrl, variant } = options;
  if (only && variant !== undefined && variant !== only) {
    checkName('loadTril', 'variant', 'variant', variant, [only]);
  }
  const threaded = String(variant ?? only).endsWith('threads');
  const threads = integerOption('loadTril', 'threads', options.threads, threaded ? 2 : 1, 1);
  if (threads > maximumThreads) {
    throw new TrilError('loadTril', 'threads', `must be at most ${maximumThreads}, is ${threads}`);
  }
  const memory = checkMemory(options.memory);
  if (wasmUrl !== undefined && typeof wasmUrl !== 'string' && !isUrl(wasmUrl)) {
    throw new TrilError('loadTril', 'wasmUrl', `must be a URL, is ${describe(wasmUrl)}`);
  }
  if (wasm !== undefined && wasmUrl !== undefined) {
    throw new TrilError('loadTril', 'wasmUrl', 'does not go with wasm');
  }
  const development = booleanOption('loadTril', 'development', options.development, false);
  return { threads, memory, wasm, wasmUrl: wasmUrl && String(wasmUrl), development };
}

/** Returns advice for a script whose module was not found. */
function advice(file: string, wasmUrl: string | undefined): string {
  if (wasmUrl) return `It must be ${file} of this version, served as it is. ${seeReadme}`;
  if (nodeVersion() === undefined) {
    return `${file} must be served as it is from where its script lies, or be given as wasm or wasmUrl. ${seeReadme}`;
  }
  return `A bundle must leave the package outside, have ${file} beside it, or give it as wasm. ${seeReadme}`;
}

/** Compiles the module given by the caller. */
async function moduleGiven(wasm: LoadOptions['wasm'], file: string): Promise<WasmModule> {
  let source: unknown;
  let module: WasmModule | undefined;
  try {
    source = await wasm;
    module = await compileModule(source);
  } catch (error) {
    throw new TrilError('loadTril', 'wasm', `is not ${file}: ${reasonOf(error)}`);
  }
  if (module) return module;
  const problem = 'must be a WebAssembly.Module, bytes, a Response or a promise of one';
  throw new TrilError('loadTril', 'wasm', `${problem}, is ${describe(source)}`);
}

/** Loads the module from its address. */
async function moduleFound(
  script: Script,
  name: string,
  wasmUrl: string | undefined,
): Promise<WasmModule> {
  try {
    return await (wasmUrl ? moduleAt(wasmUrl) : moduleBeside(script, name));
  } catch (error) {
    const file = `${name}.wasm`;
    const problem = `${wasmUrl ?? file} could not be loaded: ${reasonOf(error)}. ${advice(file, wasmUrl)}`;
    throw new TrilError('loadTril', wasmUrl ? 'wasmUrl' : 'variant', problem);
  }
}

/**
 * Throws if the module belongs to another script. A module without custom sections, which a tool may remove, is
 * accepted.
 */
function checkTag(module: WasmModule, { wasmTag }: Script, argument: string) {
  const [section] = WebAssembly.Module.customSections(module as WebAssembly.Module, 'tril');
  const tag = section && new TextDecoder().decode(section);
  if (tag === undefined || tag === wasmTag) return;
  const problem = `is that of another variant or version: ${tag} in place of ${wasmTag}`;
  throw new TrilError('loadTril', argument, problem);
}

/** Runs the script with its module and starts all its workers, which are added to `started`. */
function run(
  script: Script,
  module: WasmModule,
  sharing: Pick<RawOptions, 'trilWorkers' | 'wasmMemory' | 'trilMemory'>,
  started: StartedWorker[],
  begin: (raw: Raw) => Context,
): Promise<Context> {
  let failed = false;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      failed = true;
      const problem = `a worker could not be started: ${reasonOf(error)}. ${seeReadme}`;
      reject(new TrilError('loadTril', 'threads', problem));
    };
    const wait = (context: Context) => {
      if (context.engine.started) resolve(context);
      else if (!failed) setTimeout(wait, 1, context);
    };
    const options: RawOptions = {
      TrilError,
      ...sharing,
      trilStarted: (worker) => {
        if (worker.on) worker.on('error', fail);
        else worker.addEventListener?.('error', ({ message }) => fail(message));
        started.push(worker);
        return worker;
      },
      instantiateWasm: (imports, receive) => {
        WebAssembly.instantiate(module as WebAssembly.Module, imports as WebAssembly.Imports)
          .then((instance) => receive(instance, module))
          .catch((error: unknown) => {
            const problem = `is that of another variant or version: ${reasonOf(error)}`;
            reject(new TrilError('loadTril', 'wasm', problem));
          });
        return {};
      },
    };
    script
      .default(options)
      .then((raw) => wait(begin(raw)), sharing.trilWorkers > 0 ? fail : reject)
      .catch(reject);
  });
}

/** Implements `loadTril` for these modules, with the calls `more` if given. */
export async function loadFrom<More extends object>(
  from: Modules,
  options: LoadOptions,
  more?: (context: Context) => More,
): Promise<Tril & More> {
  const all = Object.keys(from.fetch) as Variant[];
  const only = all.length === 1 ? all[0] : undefined;
  const { threads, memory, wasm, wasmUrl, development } = checkOptions(options, only);
  // The variant of a given module is unknown: the plainest is assumed unless named.
  const plainest = threads > 1 ? 'simd-threads' : 'simd';
  const asked = options.variant === undefined ? only : options.variant;
  const variant = chooseVariant(detectFeatures(), {
    ...options,
    variant: asked === undefined && wasm !== undefined ? plainest : asked,
  });
  const shares = variant.endsWith('threads');
  const available = shares ? threads : 1;
  const name = `tril-${variant}${from.suffix}`;
  const own = wasm === undefined && wasmUrl === undefined ? from.wasm : wasm;
  const given = own === undefined ? undefined : moduleGiven(own, `${name}.wasm`);
  given?.catch(() => {}); // it is awaited when the script is there
  const script = await from.fetch[variant]!().catch((error: unknown) => {
    const entry = `tril/${variant}${from.suffix}`;
    const problem = `${name}.js could not be imported: ${reasonOf(error)}. "${entry}" loads it without import()`;
    throw new TrilError('loadTril', 'variant', problem);
  });
  const module = await (given ?? moduleFound(script, name, wasmUrl));
  checkTag(module, script, wasm === undefined && wasmUrl ? 'wasmUrl' : 'wasm');
  const workers: StartedWorker[] = [];
  const sharing = {
    trilWorkers: available - 1,
    ...(shares && sharedMemory(available - 1, memory)),
  };
  const end = () => workers.forEach((worker) => void worker.terminate());
  // eslint-disable-next-line no-console -- this is what the option asks for
  const warn = development ? (message: string) => console.warn(message) : undefined;
  const begin = (raw: Raw) => new Context(raw, available, end, warn);
  const context = await run(script, module, sharing, workers, begin).catch((error: unknown) => {
    end();
    throw error;
  });
  const { threads: started } = context.engine;
  const calling = { variant, threads: started, ...calls(context), ...more?.(context) };
  defineAbsent(calling, (call, part) => () => {
    throw new TrilError(call, part, notLoaded(part));
  });
  return Object.freeze(calling as Tril & More);
}

/** A loaded module: the calls of every module, its build, and its contents. */
export interface Tril extends Calls {
  /** The build that was loaded. */
  readonly variant: Variant;
  /** The number of threads, the caller's included. */
  readonly threads: number;
}
