// What chapter "Two towers" shows, on the core: one call of transformer(), the decoder step by step with
// past keys, additive attention beside the dot product. There is no arithmetic here.
import type { Tensor, Tril } from 'tril';
import { run, type Graph } from 'tril/graph';
import type { Answers } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { additiveGraph, attentionGraph } from '../../shared/handmade/towers-graph';
import {
  additiveWeights,
  generator,
  handMade,
  handWidth,
  placing,
  turnsIn,
  widthOf,
  type HandMade,
  type ModeId,
} from '../../shared/handmade/towers-weights';
import { download, ones, upload } from '../../shared/lessons/matrices';
import { allNumbers, type NodeValues } from './graph';
import { apart } from './sums';

export interface TowersAsk {
  /** The numbers of the words; 0 begins the decoder's input. */
  readonly source: readonly number[];
  /** What is to be written. The decoder reads 0 and all of it but the last. */
  readonly target: readonly number[];
  /** V, how many different words there are. */
  readonly words: number;
  readonly mode: ModeId;
  /** 1 where a query may look. */
  readonly masks: {
    readonly source: MatrixData;
    readonly target: MatrixData;
    readonly memory: MatrixData;
  };
}

interface Found {
  readonly graph: Graph;
  readonly values: NodeValues;
}

/** What the towers read, [S, C] and [T, C]: words and places. */
export interface Embedded {
  readonly source: MatrixData;
  readonly target: MatrixData;
}

export interface TowersAnswer {
  readonly embedded: Embedded;
  /** The encoder's self-attention, the decoder's self-attention, and cross-attention. */
  readonly source: Found;
  readonly target: Found;
  readonly memory: Found;
  /** What the decoder gives, [T, C]. */
  readonly output: MatrixData;
  /** The chance of every word after every step, [T, V], and the likeliest. */
  readonly chances: MatrixData;
  readonly likeliest: readonly number[];
  /** Every tensor of the call by the name of the trace. */
  readonly shapes: readonly { readonly name: string; readonly shape: readonly number[] }[];
}

interface StepsAnswer {
  readonly embedded: Embedded;
  /** What the decoder has read, step by step. */
  readonly inputs: readonly number[];
  readonly likeliest: readonly number[];
  readonly chances: MatrixData;
  /** Outputs of the decoder in one go and step by step, and what lies between. */
  readonly atOnce: MatrixData;
  readonly byStep: MatrixData;
  readonly gap: MatrixData;
  /** The largest distance, step by step. */
  readonly apart: readonly number[];
}

/** The same queries and keys, compared in two ways. */
export type AdditiveAnswer = Readonly<Record<'dot' | 'additive', Found>>;

interface LeakAnswer {
  /** The largest distance of each row of the decoder's output when the last word that it reads is another. */
  readonly rows: readonly number[];
}

export interface TowersLessons {
  towers: { ask: TowersAsk; answer: TowersAnswer };
  steps: { ask: TowersAsk & { readonly feed: 'teacher' | 'own' }; answer: StepsAnswer };
  additive: { ask: TowersAsk; answer: AdditiveAnswer };
  leak: { ask: TowersAsk; answer: LeakAnswer };
}

const shifted = (target: readonly number[]) => [0, ...target.slice(0, -1)];

/** [ who | where | 0 | 0 ] */
function embed(tril: Tril, ids: readonly number[], words: number): Tensor {
  const { who, where } = placing(words);
  const table = tril.tensor(
    Array.from({ length: words }, (_, i) =>
      Array.from({ length: words }, (__, j) => (i === j ? 1 : 0)),
    ),
  );
  const hands = tril.sinusoidalPositions(ids.length, 2, { wavelength: turnsIn });
  const content = tril.linear(tril.embedding([...ids], table), upload(tril, who));
  return tril.add(content, tril.linear(hands, upload(tril, where)));
}

export const boolean = (tril: Tril, matrix: MatrixData) =>
  tril.mask.dense(upload(tril, matrix), { kind: 'boolean' });

function weightsOf(tril: Tril, made: HandMade): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(made.weights).map(([name, matrix]) => [name, upload(tril, matrix)]),
  );
}

function read(tril: Tril, output: Tensor, words: number) {
  const scores = tril.linear(output, upload(tril, generator(words)));
  const chances = download(tril.softmax(scores));
  const likeliest = Array.from({ length: chances.rows }, (_, row) => {
    const after = chances.data.subarray(row * words, (row + 1) * words);
    return after.reduce((best, chance, word) => (chance > after[best] ? word : best), 0);
  });
  return { chances, likeliest };
}

/** How wide queries, keys and values are, and the rows that they are made of. */
export const readsOf = (words: number) => ({
  width: Math.max(handWidth, words),
  model: widthOf(words),
});

export function callOf(tril: Tril, ask: TowersAsk, inputs: readonly number[]) {
  const made = handMade(ask.words, ask.mode, ask.source.length);
  const weights = weightsOf(tril, made);
  const source = embed(tril, ask.source, ask.words);
  const target = embed(tril, inputs, ask.words);
  const options = {
    heads: 1,
    sourceMask: boolean(tril, ask.masks.source),
    targetMask: boolean(tril, ask.masks.target),
    memoryMask: boolean(tril, ask.masks.memory),
  };
  return {
    ...{ made, weights },
    embedded: { source: download(source), target: download(target) },
    ...tril.transformer(source, target, weights, { ...options, trace: true }),
    again: () => tril.transformer(source, target, weights, options),
  };
}

type Trace = Record<'queries' | 'keys' | 'values' | 'masked' | 'weights' | 'heads', Tensor>;

/** An attention of the call, from queries, keys and values on. Numbers that are in the call's trace are taken from there. */
function attended(tril: Tril, trace: Trace, mask: MatrixData): Found {
  const of = (name: keyof Trace) => plain(tril, trace[name]);
  const inputs = { Q: of('queries'), K: of('keys'), V: of('values'), sees: upload(tril, mask) };
  const found = { scores: of('masked'), weights: of('weights'), heads: of('heads') };
  const values = allNumbers({ ...run(tril, attentionGraph, inputs), ...found });
  return { graph: attentionGraph, values };
}

/** The matrix of a tensor of one sequence or one head. */
export const plain = (tril: Tril, tensor: Tensor) => tril.reshape(tensor, tensor.shape.slice(1));

/** The names of a trace in the order of computing, those inside of others behind a dot. */
const order = [
  ...['queries', 'keys', 'values', 'scores', 'masked', 'weights', 'heads', 'attention'],
  ...['residual1', 'normed1', 'crossAttention', 'cross', 'residual2', 'normed2'],
  ...['hidden', 'activated', 'feedForward', 'residual3', 'normed3'],
];

function shapesOf(prefix: string, trace: object): { name: string; shape: readonly number[] }[] {
  const known = order.filter((name) => name in trace);
  return known.flatMap((name) => {
    const value = (trace as Record<string, Tensor | object>)[name];
    return 'shape' in value
      ? [{ name: `${prefix}.${name}`, shape: (value as Tensor).shape }]
      : shapesOf(`${prefix}.${name}`, value);
  });
}

function towers(tril: Tril, ask: TowersAsk): TowersAnswer {
  const { embedded, output, trace } = callOf(tril, ask, shifted(ask.target));
  const [encoder] = trace.encoder;
  const [decoder] = trace.decoder;
  return {
    embedded,
    source: attended(tril, encoder, ask.masks.source),
    target: attended(tril, decoder, ask.masks.target),
    memory: attended(tril, decoder.crossAttention, ask.masks.memory),
    output: download(output),
    ...read(tril, output, ask.words),
    shapes: [
      ...shapesOf('encoder[0]', encoder),
      { name: 'memory', shape: trace.memory.shape },
      ...shapesOf('decoder[0]', decoder),
      { name: 'output', shape: output.shape },
    ],
  };
}

/** Row `row` of a mask, up to and with column `row` or all of it. */
function rowOf({ cols, data }: MatrixData, row: number, count: number): MatrixData {
  return { rows: 1, cols: count, data: data.slice(row * cols, row * cols + count) };
}

/** The decoder's block for one token after others, whose keys and values are kept. */
function decoderSteps(tril: Tril, ask: TowersAsk, weights: Record<string, Tensor>, memory: Tensor) {
  const ofLayer = (name: string) => weights[`decoder.layers.0.${name}`];
  const cross = {
    q_proj_weight: ofLayer('multihead_attn.q_proj_weight'),
    k_proj_weight: ofLayer('multihead_attn.k_proj_weight'),
    v_proj_weight: ofLayer('multihead_attn.v_proj_weight'),
    'out_proj.weight': ofLayer('multihead_attn.out_proj.weight'),
  };
  const network = {
    'linear1.weight': ofLayer('linear1.weight'),
    'linear2.weight': ofLayer('linear2.weight'),
  };
  let past: { key: Tensor; value: Tensor } | undefined;
  return (x: Tensor, step: number): Tensor => {
    const head = (name: string) => {
      const made = tril.linear(x, ofLayer(`self_attn.${name}_proj_weight`));
      return tril.tensor([1, ...made.shape], made.read());
    };
    const mask = boolean(tril, rowOf(ask.masks.target, step, step + 1));
    const [q, k, v] = ['q', 'k', 'v'].map(head);
    const attended = past
      ? tril.attention(q, k, v, { mask, past })
      : { ...tril.attention(q, k, v, { mask }), present: { key: k, value: v } };
    past = attended.present;
    const { output } = attended;
    const attention = tril.linear(plain(tril, output), ofLayer('self_attn.out_proj.weight'));
    const normed1 = tril.layerNorm(tril.add(x, attention));
    const looked = tril.multiHeadAttention(normed1, cross, {
      ...{ heads: 1, context: memory },
      mask: boolean(tril, rowOf(ask.masks.memory, step, ask.source.length)),
    });
    const normed2 = tril.layerNorm(tril.add(normed1, looked.output));
    return tril.layerNorm(tril.add(normed2, tril.feedForward(normed2, network).output));
  };
}

function steps(tril: Tril, { feed, ...ask }: TowersLessons['steps']['ask']): StepsAnswer {
  const count = ask.target.length;
  const teacher = shifted(ask.target);
  const { weights, trace } = callOf(tril, ask, teacher);
  const next = decoderSteps(tril, ask, weights, trace.memory);
  const inputs: number[] = [0];
  const rows: Tensor[] = [];
  const width = trace.memory.shape.at(-1)!;
  for (let step = 0; step < count; ++step) {
    const embedded = download(embed(tril, inputs, ask.words));
    const x = tril.tensor([1, width], embedded.data.slice(step * width));
    rows.push(next(x, step));
    const written = read(tril, rows[step], ask.words).likeliest[0];
    if (step + 1 < count) inputs.push(feed === 'own' ? written : teacher[step + 1]);
  }
  const byStep = tril.tensor(rows.map((row) => [...row.read()]));
  const { output: atOnce, embedded } = callOf(tril, ask, inputs);
  const each = download(atOnce);
  return {
    ...{ embedded, inputs },
    ...read(tril, byStep, ask.words),
    ...{ atOnce: each, byStep: download(byStep), gap: download(tril.subtract(byStep, atOnce)) },
    apart: rows.map((row, step) =>
      apart(tril, row, tril.tensor([1, width], each.data.slice(step * width, (step + 1) * width))),
    ),
  };
}

/** The inputs of additive attention: the same queries, with a column of ones, the same keys, and weights made by hand. */
export function additiveInputs(
  tril: Tril,
  ask: TowersAsk,
  { queries, keys }: Pick<Trace, 'queries' | 'keys'>,
) {
  const made = handMade(ask.words, ask.mode, ask.source.length);
  const { w_q, w_k, v } = additiveWeights(made.width, made.gain);
  const asking = plain(tril, queries);
  return {
    Q: tril.concatenate([asking, ones(tril, asking.shape[0], 1)], { axis: -1 }),
    K: plain(tril, keys),
    ...{ w_q: upload(tril, w_q), w_k: upload(tril, w_k), v: tril.tensor([...v]) },
  };
}

function additive(tril: Tril, ask: TowersAsk): AdditiveAnswer {
  const { crossAttention } = callOf(tril, ask, shifted(ask.target)).trace.decoder[0];
  const { Q, K, ...network } = additiveInputs(tril, ask, crossAttention);
  const V = plain(tril, crossAttention.values);
  const options = { mask: boolean(tril, ask.masks.memory), trace: true } as const;
  const { trace } = tril.additiveAttention(Q, K, V, network, options);
  const { queries, keys, masked: scores, weights } = trace;
  const inputs = { Q, K, ...network, sees: upload(tril, ask.masks.memory) };
  const values = { ...run(tril, additiveGraph, inputs), queries, keys, scores, weights };
  return {
    dot: attended(tril, crossAttention, ask.masks.memory),
    additive: { graph: additiveGraph, values: allNumbers(values) },
  };
}

/** Which rows notice that the last word the decoder reads has changed. */
function leak(tril: Tril, ask: TowersAsk): LeakAnswer {
  const inputs = shifted(ask.target);
  const others = [...inputs.slice(0, -1), (inputs[inputs.length - 1] + 1) % ask.words];
  const [now, then] = [inputs, others].map((ids) => download(callOf(tril, ask, ids).output));
  const rowTensor = (of: MatrixData, row: number) => upload(tril, rowOf(of, row, of.cols));
  return { rows: inputs.map((_, row) => apart(tril, rowTensor(then, row), rowTensor(now, row))) };
}

export const towersAnswers: Answers<TowersLessons> = { towers, steps, additive, leak };
