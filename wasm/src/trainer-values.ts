import { TrilError, shapeText } from './error.js';
import { describe } from './describe.js';
import { bytesOf } from './kinds.js';
import { camelCase } from './names.js';
import type {
  AdapterFiles,
  ModelFiles,
  TrainerSettings,
  TrainingLoss,
  TrainingStep,
} from './trainer-types.js';
import { flattenIntegers } from './values.js';

/** Whole numbers as the module takes them: `rows` rows of equal length; one row for a single axis. */
export interface Rows {
  readonly values: Int32Array;
  readonly shape: readonly number[];
  readonly rows: number;
}

/**
 * Batches as the module takes them: B, S and T of each, and the tokens of all, each with its sources `[B, S]`, which a
 * language model lacks (S is 0), its targets `[B, T]` and its labels `[B, T]`.
 */
export interface RawBatches {
  readonly tokens: Int32Array;
  readonly sizes: Int32Array;
}

/** The numbers of all these rows, concatenated. */
export function joinedValues(parts: readonly Rows[]): Int32Array {
  const all = new Int32Array(parts.reduce((sum, { values }) => sum + values.length, 0));
  let at = 0;
  for (const { values } of parts) {
    all.set(values, at);
    at += values.length;
  }
  return all;
}

/** The value itself, once known to be bytes. */
export function checkBytes(call: string, argument: string, bytes: unknown): Uint8Array {
  const found = bytesOf(bytes);
  if (found) return found;
  throw new TrilError(
    call,
    argument,
    `must be a Uint8Array or an ArrayBuffer, is ${describe(bytes)}`,
  );
}

/** Nested numbers `[T]` or `[B, T]`, or flat numbers as rows of `length`, if there are more. */
export function rowsOf(call: string, argument: string, data: unknown, length = Infinity): Rows {
  const { shape, values } = flattenIntegers(call, argument, data);
  const flat = shape.length === 1 && values.length > length;
  const whole = flat ? [values.length / length, length] : shape;
  if (whole.length > 2 || whole.includes(0) || !Number.isInteger(whole[0])) {
    const rows = flat ? `, rows of ${length}` : '';
    const problem = `must be [T] or [B, T]${rows}, and not empty; shape is ${shapeText(shape)}`;
    throw new TrilError(call, argument, problem);
  }
  return { values, shape: whole, rows: whole.length > 1 ? whole[0]! : 1 };
}

/** A setting as the core writes it: `true`, `4`, `[1, 2.5]`, or a name. */
function settingOf(text: string): unknown {
  if (text.startsWith('[')) return Object.freeze(JSON.parse(text));
  if (text === 'true' || text === 'false') return text === 'true';
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** Turns `['model.kv_heads', '4', ...]` into `{ model: { kvHeads: 4 }, ... }`. */
export function settingsOf(pairs: readonly string[]): TrainerSettings {
  const model: Record<string, unknown> = {};
  const lora: Record<string, unknown> = {};
  const settings: Record<string, unknown> = { model };
  const parts: Record<string, typeof settings> = { model, lora };
  for (let i = 0; i < pairs.length; i += 2) {
    const [part, name] = pairs[i]!.split('.') as [string, string];
    (parts[part] ?? settings)[camelCase(name)] = settingOf(pairs[i + 1]!);
  }
  Object.freeze(model);
  if (lora['targets']) {
    const targets = Object.freeze(String(lora['targets']).split(','));
    settings['lora'] = Object.freeze({ ...lora, targets });
  }
  return settings as unknown as TrainerSettings;
}

type Nine = [number, number, number, number, number, number, number, number, number];

/** A step as the module reports it. */
export function stepOf(found: readonly number[]): TrainingStep {
  const [step, loss, gradientNorm, learningRate, milliseconds, tokens, ...times] = found as Nine;
  const [forward, backward, optimizer] = times;
  const parts = { forward, backward, optimizer };
  return { step, loss, gradientNorm, learningRate, milliseconds, tokens, parts };
}

/** The loss of targets as the module reports it. */
export function lossOf(found: readonly number[]): TrainingLoss {
  const [loss, counted, correct] = found as [number, number, number];
  return { loss, counted, correct };
}

/** A copy of the list, once known to be a list of strings. */
export function checkParameterNames(call: string, names: readonly string[]): string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return [...names];
  const problem = `must be a list of parameters' names, is ${describe(names)}`;
  throw new TrilError(call, 'names', problem);
}

/** The files of an adapter. */
export const adapterOf = (raw: { file(name: string): Uint8Array }): AdapterFiles => ({
  'adapter_config.json': raw.file('adapter_config.json'),
  'adapter_model.safetensors': raw.file('adapter_model.safetensors'),
});

/** All files of a model that the module can write. */
export function filesOf(raw: {
  file(name: string): Uint8Array;
  hasTokenizer(): boolean;
}): ModelFiles {
  const names = [
    'model.safetensors',
    'config.json',
    ...(raw.hasTokenizer() ? ['tokenizer.json'] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, raw.file(name)])) as unknown as ModelFiles;
}
