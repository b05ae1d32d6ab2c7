import type { MainModule as LessonsModule } from './generated/tril-simd-lessons.js';
import type { MainModule as TrainingModule } from './generated/tril-simd-training.js';
import type { MainModule as Declared } from './generated/tril-simd.js';
import type { TrilError } from './error.js';

/** The exports of a module, without the views of its memory, since versions of Emscripten differ in declaring them. */
type MainModule = Omit<Declared, `HEAP${string}`>;
/** The exports that only the modules of `tril/training` have. */
export type RawTraining = Omit<TrainingModule, keyof Declared | `HEAP${string}`>;
/** The exports that only the modules of `tril/lessons` have. */
type RawLessons = Omit<LessonsModule, keyof Declared | `HEAP${string}`>;
/**
 * The compiled module as Embind declares it. All variants have the same exports, and modules with lessons or training
 * have theirs in addition; `load.ts` makes tsc check that.
 */
export type Raw = MainModule & Partial<RawLessons> & Partial<RawTraining>;
/** A module of `tril/lessons`. */
export type RawWithLessons = Raw & RawLessons;
/** The common part of all objects of a module. */
export interface RawHandle {
  delete(): void;
}
export type RawEngine = InstanceType<Raw['_Engine']>;
export type RawTensor = NonNullable<ReturnType<Raw['_tensor']>>;
export type RawCache = NonNullable<ReturnType<Raw['_cache']>>;
export type RawModel = NonNullable<ReturnType<TrainingModule['_model']>>;
export type RawGenerated = NonNullable<ReturnType<TrainingModule['_modelGenerate']>>;
export type RawWordVectors = NonNullable<ReturnType<TrainingModule['_wordVectors']>>;
export type RawSequenceTrainer = NonNullable<ReturnType<TrainingModule['_sequenceTrainer']>>;
export type RawTrainer = NonNullable<ReturnType<TrainingModule['_trainer']>>;
/** The part of the module that the trainers of all models use. */
export type RawLearner = Pick<
  RawTrainer,
  | ('step' | 'evaluate' | 'done' | 'parameterCount' | 'settings' | 'tensors' | 'setParameters')
  | ('save' | 'restore' | 'delete')
>;
export type RawSession = NonNullable<ReturnType<TrainingModule['_session']>>;
export type RawTokenizer = NonNullable<ReturnType<TrainingModule['_tokenizer']>>;

/** The options of the function that makes a module. */
export interface RawOptions {
  /** The class of every error that the module throws. */
  readonly TrilError: typeof TrilError;
  /** Number of workers to start besides the caller; used by the variants with threads only. */
  readonly trilWorkers: number;
  /** Memory of all threads, a WebAssembly.Memory; used by the variants with threads only. */
  readonly wasmMemory?: object;
  /** Maximum size of that memory in bytes. */
  readonly trilMemory?: number;
  /** Instantiates the module with its imports. */
  readonly instantiateWasm: (
    imports: object,
    receive: (instance: object, module: object) => void,
  ) => object;
  /** Receives every worker that is started; used by the variants with threads only. */
  readonly trilStarted: <Started extends StartedWorker>(worker: Started) => Started;
}

/** The common interface of the web's and Node's Workers. */
export interface StartedWorker {
  addEventListener?(event: 'error', listener: (event: { readonly message?: string }) => void): void;
  on?(event: 'error', listener: (error: unknown) => void): void;
  terminate(): unknown;
}

/** The script of one variant. */
export interface Script {
  readonly default: (options: RawOptions) => Promise<Raw>;
  /** Address of the module: beside the script, unless a bundler moved it. */
  readonly wasmUrl: () => URL;
  /** The required content of the module's section `tril`. */
  readonly wasmTag: string;
}
