// The values of options, in the package's types and in the core: the compiler checks that a record below has exactly
// the names of its type, the test checks that these are the core's.
import {
  activations,
  attentionMethods,
  averageMethods,
  matmulMethods,
  type CrossEntropyOptions,
  type DenseOptions,
  type LinearAttentionOptions,
  type ModelSettings,
  type RotaryOptions,
  type TrainerOptions,
  type TransformerBlockOptions,
  type TriangularOptions,
} from 'tril';
import { readings } from 'tril/lessons';
import { expect, it } from 'vitest';
import { tril } from './trained.js';

type Names<Options, Name extends keyof Options> = Record<
  Extract<NonNullable<Options[Name]>, string>,
  true
>;

const featureMaps: Names<LinearAttentionOptions, 'featureMap'> = {
  elu_plus_one: true,
  identity: true,
};
const productOrders: Names<LinearAttentionOptions, 'order'> = {
  values_first: true,
  scores_first: true,
};
const normOrders: Names<TransformerBlockOptions, 'norm'> = { post: true, pre: true };
const reductions: Names<CrossEntropyOptions, 'reduction'> = { mean: true, sum: true };
const pairs: Names<RotaryOptions, 'pairs'> = { halves: true, interleaved: true, neighbours: true };
const triangles: Names<TriangularOptions, 'part'> = { lower: true, upper: true };
const denseMasks: Names<DenseOptions, 'kind'> = { additive: true, boolean: true };

const families: Names<ModelSettings, 'family'> = {
  gpt2: true,
  llama: true,
  qwen2: true,
  qwen3: true,
  ...{ mistral: true, olmo2: true, gpt_neox: true, phi3: true, gemma2: true, gemma3_text: true },
  ...{ starcoder2: true, stablelm: true, smollm3: true },
};
const normPlaces: Names<ModelSettings, 'normPlace'> = { before: true, after: true, around: true };
const norms: Names<ModelSettings, 'norm'> = { layer_norm: true, rms_norm: true, none: true };
const positions: Names<ModelSettings, 'positions'> = { learned: true, rotary: true, none: true };
const feedForwards: Names<ModelSettings, 'feedForward'> = {
  ...{ gelu_tanh: true, swiglu: true, gelu: true, geglu: true, geglu_tanh: true },
  ...{ relu: true, reglu: true },
};
const scalings: Names<ModelSettings, 'rotaryScaling'> = {
  ...{ none: true, linear: true, dynamic: true, llama3: true, longrope: true },
};
const optimizers: Names<TrainerOptions, 'optimizer'> = { adamw: true, sgd: true };
const objectives: Names<TrainerOptions, 'objective'> = { next: true, masked: true };
const tokenizers: Names<TrainerOptions, 'tokenizer'> = {
  ...{ bytes: true, chars: true, words: true, bpe: true },
};

// The package's own calls, not public.
type Lists = Record<'_optionNames' | '_trainingNames', (kind: string) => readonly string[]>;
const { raw } = (tril.zeros([1]) as unknown as { context: { raw: Lists } }).context;
const keys = (names: object): readonly string[] => Object.keys(names);
/** The kinds of masks that calls of tril.mask make; dense masks have kinds of their own. */
const masks = keys(tril.mask).filter((name) => !['dense', 'and', 'toTensor'].includes(name));

it.each([
  ['activation', activations],
  ['attentionMethod', attentionMethods],
  ['averageMethod', averageMethods],
  ['featureMap', keys(featureMaps)],
  ['maskKind', [...masks, ...keys(denseMasks)]],
  ['matmulMethod', matmulMethods],
  ['normOrder', keys(normOrders)],
  ['productOrder', keys(productOrders)],
  ['reading', readings],
  ['reduction', keys(reductions)],
  // The last name is a former one, which the package still takes.
  ['rotaryPairs', keys(pairs).slice(0, 2)],
  ['triangle', keys(triangles)],
] as const)('names of the kind %s are those of the core', (kind, names) => {
  expect(raw._optionNames(kind)).toEqual(names);
});

it.each([
  ['family', families],
  ['norm', norms],
  ['positions', positions],
  ['normPlace', normPlaces],
  ['feedForward', feedForwards],
  ['rotaryScaling', scalings],
  ['optimizer', optimizers],
  ['objective', objectives],
  ['tokenizer', tokenizers],
] as const)('of models and their training, %s', (kind, names) => {
  expect(raw._trainingNames(kind)).toEqual(keys(names));
});

it('refuses a kind that there is not', () => {
  expect(() => raw._optionNames('kind')).toThrow('option_names: kind: there is no "kind"');
  expect(() => raw._trainingNames('kind')).toThrow('training_names: kind: there is no "kind"');
});
