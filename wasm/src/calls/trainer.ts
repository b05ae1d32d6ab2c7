import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { arrayKind } from '../kinds.js';
import { Model } from '../model.js';
import { booleanOption, checkKeys, describe } from '../names.js';
import { integerOption, numberOption, snakeCase, stringOption } from '../names.js';
import type { RawModel } from '../raw.js';
import { Trainer, type TrainerOptions } from '../trainer.js';
import type { LoraSettings } from '../trainer-types.js';
import { checkBytes } from '../trainer-values.js';
import { checkSeed } from './tensor.js';

export type Kind = 'name' | 'flag' | 'count' | 'number' | 'numbers' | 'seed';

/** The kind of value of each setting; the core checks names and ranges. */
const modelKinds: Record<string, Kind> = {
  ...{ family: 'name', norm: 'name', normPlace: 'name', positions: 'name', feedForward: 'name' },
  ...{ biases: 'flag', tiedHead: 'flag', causal: 'flag' },
  ...{ projectionBiases: 'flag', normBiases: 'flag', scaledScores: 'flag', residual: 'flag' },
  ...{ queryKeyNorm: 'flag', jointHeadsNorm: 'flag', parallel: 'flag', scaledEmbedding: 'flag' },
  ...{ rotaryScaling: 'name', rotaryScalingFactor: 'number', rotaryScalingOriginal: 'count' },
  ...{ rotaryScalingLow: 'number', rotaryScalingHigh: 'number' },
  ...{ rotaryScalingShort: 'numbers', rotaryScalingLong: 'numbers' },
  ...{ rotaryScalingMagnitude: 'number' },
  ...{ layers: 'count', heads: 'count', kvHeads: 'count', headDim: 'count' },
  ...{ width: 'count', hidden: 'count', context: 'count', vocabulary: 'count' },
  ...{ window: 'count', windowPeriod: 'count', rotaryWidth: 'count', rotaryPeriod: 'count' },
  ...{ eps: 'number', rotaryBase: 'number', rotaryLocalBase: 'number', dropout: 'number' },
  ...{ queryScale: 'number', scoreCap: 'number', logitCap: 'number' },
};
const trainingKinds: Record<string, Kind> = {
  ...{ batch: 'count', accumulation: 'count', warmup: 'count', steps: 'count' },
  ...{ learningRate: 'number', lowestRate: 'number', beta1: 'number', beta2: 'number' },
  ...{ eps: 'number', momentum: 'number', weightDecay: 'number', clip: 'number' },
  ...{
    seed: 'seed',
    optimizer: 'name',
    objective: 'name',
    maskToken: 'count',
    maskVocabulary: 'count',
  },
};

const call = 'trainer';
const checks: Record<Kind, (call: string, name: string, value: unknown) => unknown> = {
  name: (of, name, value) => stringOption(of, name, value, ''),
  flag: (of, name, value) => booleanOption(of, name, value, false),
  count: (of, name, value) => integerOption(of, name, value as number, 0, 0),
  number: (of, name, value) => numberOption(of, name, value, 0),
  numbers: (of, name, value) => {
    if (!Array.isArray(value))
      throw new TrilError(of, name, `must be a list of numbers, is ${describe(value)}`);
    return JSON.stringify(value.map((each) => numberOption(of, name, each, 0)));
  },
  seed: (of, _, value) => checkSeed(of, value),
};

/** The given settings, as the core writes them: `model.kv_heads`, `4`. */
export function settingsGiven(
  of: string,
  prefix: string,
  given: object,
  kinds: Record<string, Kind>,
): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const kind = kinds[name];
    if (!kind || value === undefined) return [];
    return [prefix + snakeCase(name), String(checks[kind](of, name, value))];
  });
}

export const trainerCalls = (context: Context) => ({
  /**
   * A language model with its trainer, as in `tril train`: on a text, on tokens, or on batches of a task. Names and
   * defaults of all settings are those of the command line; the model is initialised as its authors do. Works in a
   * module of `tril/training`.
   *
   * With `from` it trains a loaded model further, with the model's own tokenizer: all of it, or, with `lora`, an adapter
   * for it. The values are copied, as float32, and the model does not change.
   *
   * @throws TrilError for settings that do not fit, data that is too short or not UTF-8, a checkpoint of other settings,
   * another model or other data, and where memory runs out; nothing has been done then
   *
   * @example
   * ```ts
   * const trainer = tril.trainer({
   *   model: { family: 'gpt2', layers: 2, heads: 2, width: 32, context: 16 },
   *   data: 'both banks of the Mississippi, and a national bank. '.repeat(20),
   *   ...{ learningRate: 0.01, steps: 40, batch: 8, seed: 1 },
   * });
   * const before = trainer.evaluate().loss;
   * trainer.steps(40);
   * before - trainer.evaluate().loss > 3; // true
   * trainer.settings.model.vocabulary; // 256
   * const model = await tril.loadModel(trainer.export());
   * const letters = 'a letter from the bank. '.repeat(20);
   * const further = tril.trainer({ from: model, data: letters, learningRate: 0.01, steps: 20, batch: 8 });
   * const first = further.evaluate().loss;
   * further.steps(20);
   * first - further.evaluate().loss > 0.5; // true
   * trainer.dispose();
   * tril.trainer({ model: { heads: 3 }, data: 'abc' }); // throws TrilError: trainer: heads: 3 does not divide width 128
   * ```
   */
  trainer(options: TrainerOptions = {}): Trainer {
    const own = ['from', 'lora', 'model', 'data', 'batches', 'tokenizer', 'checkpoint'];
    checkKeys(call, 'options', 'option', options, [...own, ...Object.keys(trainingKinds)]);
    const { from, lora, model = {}, data, batches, tokenizer, checkpoint } = options;
    checkKeys(call, 'model', 'setting', model, Object.keys(modelKinds));
    const settings = [
      ...loraGiven(lora),
      ...settingsGiven(call, 'model.', model, modelKinds),
      ...settingsGiven(call, 'trainer.', options, trainingKinds),
    ];
    const kind = stringOption(call, 'tokenizer', tokenizer, '');
    checkFrom(from, tokenizer);
    const file = checkpointGiven(call, checkpoint);
    checkBatches(batches, data);
    const { source, text, tokens } = sourceOf(data);
    return context.run(call, {}, () => {
      const { engine } = context;
      const raw = context.training(call);
      const make = (given: RawModel | null) =>
        raw._trainer(engine, settings, source, text, tokens, kind, file, given)!;
      const made = from ? Model.lend(from, call, context, make) : make(null);
      return context.own(new Trainer(context, made, batches));
    });
  },
});

/** The settings that `lora` gives; none without it. */
function loraGiven(lora: unknown): string[] {
  if (lora === undefined) return [];
  checkKeys(call, 'lora', 'setting', lora, ['rank', 'alpha', 'targets']);
  const { targets = [], ...numbers } = lora as LoraSettings;
  if (!Array.isArray(targets) || !targets.every((each) => typeof each === 'string')) {
    const problem = `must be a list of names of matrices, is ${describe(targets)}`;
    throw new TrilError(call, 'targets', problem);
  }
  const given = settingsGiven(call, 'lora.', numbers, { rank: 'count', alpha: 'number' });
  return [...given, 'lora.targets', targets.join()];
}

/** Throws unless `from` is a model, and where a tokenizer is given with it. */
function checkFrom(from: unknown, tokenizer: unknown): void {
  if (from === undefined) return;
  if (!(from instanceof Model)) {
    throw new TrilError(call, 'from', `must be a model of loadModel, is ${describe(from)}`);
  }
  if (tokenizer !== undefined) throw new TrilError(call, 'tokenizer', "is the model's own");
}

/** The bytes of a checkpoint; none where it is not given. */
export function checkpointGiven(of: string, checkpoint: unknown): Uint8Array {
  if (checkpoint === undefined) return new Uint8Array();
  const bytes = checkBytes(of, 'checkpoint', checkpoint);
  if (bytes.length > 0) return bytes;
  throw new TrilError(of, 'checkpoint', 'is empty');
}

/** Throws unless they are iterable and given without data. */
export function checkBatches(batches: unknown, data: unknown, of = call): void {
  if (batches === undefined) return;
  if (data !== undefined) throw new TrilError(of, 'batches', 'cannot be given together with data');
  const { [Symbol.iterator]: iterate } = Object(batches) as Partial<Iterable<unknown>>;
  if (typeof iterate === 'function' && typeof batches !== 'string') return;
  throw new TrilError(of, 'batches', `must be iterable, is ${describe(batches)}`);
}

function sourceOf(data: unknown) {
  const [text, tokens] = [new Uint8Array(), new Int32Array()];
  if (data === undefined) return { source: 'batches', text, tokens };
  const kind = arrayKind(data);
  if (kind === 'Int32Array') return { source: 'tokens', text, tokens: data as Int32Array };
  if (kind === 'Uint8Array') return { source: 'text', text: data as Uint8Array, tokens };
  if (typeof data === 'string') {
    return { source: 'text', text: new TextEncoder().encode(data), tokens };
  }
  const problem = `must be a string, a Uint8Array or an Int32Array, is ${describe(data)}`;
  throw new TrilError(call, 'data', problem);
}
