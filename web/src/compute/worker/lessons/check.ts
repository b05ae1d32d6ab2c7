// The answers of chapter "Check", computed by the core: PyTorch's numbers against its own, and a visitor's against
// both.
import { TrilError, type Activation, type Difference } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Answers, Later, Session } from '../answers';
import type { MatrixData } from '../../page/protocol';
import { attended, attentionCandidates, type Candidate, type Variant } from './attention-variants';
import { readFile, readFiles, type FoundTensor, type GivenFile, type UnreadFile } from './files';
import type { MaskReading } from '../../shared/lessons/file-mask';
import { examples, type ExampleId, type Limit } from '../../shared/lessons/golden';
import { blockCandidates, multiHeadCandidates } from './layer-variants';
import {
  isBackward,
  type AttentionGradient,
  type CheckKind,
  type GradientName,
  type LinearGradient,
} from '../../shared/lessons/check-names';
import {
  attentionBackwardCandidates,
  factorOf,
  linearBackwardCandidates,
  otherwiseShaped,
} from './gradient-variants';
import { bugAnswers, type BugLessons } from './check-bug';
import { keep, taken, type KeptSessions, type KeptTensor } from './check-kept';
import { sampleAnswers, type SampleLessons } from './check-samples';
import { asRows, dataOf, fitted, tensorOf, type TensorData } from '../../shared/lessons/layouts';

export interface Compared {
  readonly norms: Difference;
  /** actual - expected. */
  readonly map: MatrixData;
}

export interface ProofResult extends Compared {
  readonly id: ExampleId;
  readonly shape: readonly number[];
  readonly limit: Limit;
  readonly passed: boolean;
  readonly inputs: Readonly<Record<string, TensorData>>;
  readonly expected: MatrixData;
  readonly actual: MatrixData;
}

export interface CheckInputs<Given = TensorData> {
  readonly kind: CheckKind;
  /** q, k and v, or x and the weights by their names in the state_dict; for a backward pass d_output, too. */
  readonly tensors: Readonly<Record<string, Given>>;
  /** The gradient shown of a backward pass. */
  readonly of?: GradientName;
  readonly choices: {
    readonly causal: boolean;
    readonly heads: number;
    readonly norm: 'post' | 'pre';
    readonly activation: Activation;
    readonly reading?: MaskReading;
  };
}

/** A variant, and its distance from the expected output. */
interface Suspect extends Variant {
  readonly norms: Difference;
  readonly matches: boolean;
}

export interface OwnResult {
  readonly output: TensorData;
  readonly rows: MatrixData;
  /** Comparison with the expected output, if that has the same shape. */
  readonly compared: (Compared & { readonly expected: MatrixData }) | null;
  /** The given output had its axes in another order. */
  readonly rearranged: boolean;
  /** The mistake that gave it a wrong shape, which was undone before the comparison. */
  readonly misshapen: string | null;
  /** The NaN of the given output: their number, the first, and whether all of them appear here, too. */
  readonly blanks: {
    readonly count: number;
    readonly first: readonly number[];
    readonly here: boolean;
  } | null;
  /** The smallest of the tolerances within which they are equal. */
  readonly within: number | null;
  /** Every variant, in ascending order of distance. */
  readonly suspects: readonly Suspect[];
}

export interface OwnAsk<Given = TensorData> extends CheckInputs<Given> {
  readonly expected: Given | null;
  readonly tolerance: number;
  /** All tolerances, in ascending order. */
  readonly tolerances: readonly number[];
}

/** Number of variants tried. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

export interface CheckLessons extends BugLessons, SampleLessons {
  proof: {
    ask: { readonly id: ExampleId; readonly expected: ArrayBuffer };
    answer: ProofResult;
  };
  files: {
    ask: { readonly files: readonly GivenFile[] };
    answer: { readonly tensors: readonly FoundTensor[]; readonly unread: readonly UnreadFile[] };
  };
  /** A NumPy file of a tensor. */
  numpyFile: { ask: TensorData; answer: Uint8Array<ArrayBuffer> };
}

export interface CheckSessions extends KeptSessions {
  /** The correct variant and all mistakes, one after another. */
  own: {
    ask: OwnAsk<TensorData | KeptTensor>;
    part: Progress;
    answer: OwnResult;
  };
}

/** [-1, 1] times both, row by row: actual - expected. */
function difference(tril: Tril, expected: TensorData, actual: TensorData): MatrixData {
  const both = new Float32Array(2 * actual.data.length);
  both.set(expected.data);
  both.set(actual.data, actual.data.length);
  const rows = tril.tensor([2, actual.data.length], both);
  const data = tril.matmul(tril.tensor([[-1, 1]]), rows).read();
  return asRows({ shape: actual.shape, data });
}

function compared(
  tril: Tril,
  expected: TensorData,
  actual: TensorData,
  tolerance: { absolute?: number; relative?: number } = {},
): Compared {
  const norms = tril.compare(tensorOf(tril, expected), tensorOf(tril, actual), tolerance);
  return { norms, map: difference(tril, expected, actual) };
}

function proof(tril: Tril, id: ExampleId, expected: TensorData): ProofResult {
  const { limit, inputs, run } = examples[id];
  const given = inputs(tril);
  const actual = dataOf(run(tril, given));
  const tolerance =
    limit.kind === 'elements' ? { absolute: limit.absolute, relative: limit.relative } : {};
  const found = compared(tril, expected, actual, tolerance);
  const { frobenius, beyond } = found.norms;
  return {
    ...found,
    id,
    shape: actual.shape,
    limit,
    inputs: Object.fromEntries(Object.entries(given).map(([name, one]) => [name, dataOf(one)])),
    passed: limit.kind === 'norm' ? frobenius <= limit.most : beyond === 0,
    expected: asRows(expected),
    actual: asRows(actual),
  };
}

function missing(call: string, name: string): never {
  throw new TrilError(call, name, 'is not among the files');
}

function backwardCandidates(tril: Tril, { kind, tensors, choices, of }: CheckInputs): Candidate[] {
  const need = (name: string) => tensors[name] ?? missing(kind, name);
  if (kind === 'linearBackward') {
    const given = { x: need('x'), weight: need('weight'), d_output: need('d_output') };
    return linearBackwardCandidates(tril, given, of as LinearGradient);
  }
  const given = { q: need('q'), k: need('k'), v: need('v'), d_output: need('d_output') };
  const mask = tensors.mask && { mask: tensors.mask };
  return attentionBackwardCandidates(tril, { ...given, ...mask }, of as AttentionGradient, choices);
}

function candidatesOf(tril: Tril, { kind, tensors, choices, of }: CheckInputs): Candidate[] {
  if (kind === 'attention') {
    const { q, k, v, mask } = tensors;
    if (!q) missing('attention', 'q');
    if (!k) missing('attention', 'k');
    if (!v) missing('attention', 'v');
    return attentionCandidates(tril, { q, k, v, ...(mask && { mask }) }, choices);
  }
  if (isBackward(kind)) {
    return backwardCandidates(tril, { kind, tensors, choices, of });
  }
  const { x, ...weights } = tensors;
  if (!x) missing(kind === 'block' ? 'transformerBlock' : 'multiHeadAttention', 'x');
  return (kind === 'block' ? blockCandidates : multiHeadCandidates)(tril, x, weights, choices);
}

/** Zeros where `of` is NaN, so that only the other elements are compared. */
function known(one: TensorData, of: Float32Array): TensorData {
  if (!of.includes(NaN)) return one;
  return { ...one, data: one.data.map((value, i) => (Number.isNaN(of[i]) ? 0 : value)) };
}

/** A variant that fails, for example because it needs other shapes, is no suspect. */
function suspectOf(
  tril: Tril,
  candidate: Candidate,
  expected: TensorData,
  tolerance: number,
): Suspect[] {
  const { id, value, run } = candidate;
  try {
    return tril.scope(() => {
      const norms = tril.compare(
        tensorOf(tril, known(expected, expected.data)),
        tensorOf(tril, known(run(), expected.data)),
        { absolute: tolerance, relative: tolerance },
      );
      return [{ id, value, norms, matches: norms.beyond === 0 }];
    });
  } catch (error) {
    if (error instanceof TrilError) return [];
    throw error;
  }
}

function blanksOf(tril: Tril, expected: TensorData, output: TensorData): OwnResult['blanks'] {
  const numbers = known(expected, expected.data);
  const { beyond, worst } = tril.compare(tensorOf(tril, numbers), tensorOf(tril, expected));
  if (beyond === 0) return null;
  const here = expected.data.every((one, i) => !Number.isNaN(one) || Number.isNaN(output.data[i]));
  return { count: beyond, first: worst.index, here };
}

/** With more numbers a search over many scales takes too long. */
const mostScores = 3e5;

/** The scale that comes nearest to the given output: a coarse search, then by golden sections. */
async function scaleOf(
  tril: Tril,
  ask: OwnAsk,
  expected: TensorData,
  session: Session<Progress>,
): Promise<Suspect[]> {
  const { q, k, v, mask } = ask.tensors;
  const heads = Math.max(1, ask.choices.heads);
  const width = q.shape[q.shape.length - 1];
  const scores = (q.data.length / width) * heads * (k.shape[k.shape.length - 2] ?? 1);
  if (scores > mostScores) return [];
  const given = { q, k, v, ...(mask && { mask }) };
  const at = (power: number) => ({
    ...{ id: 'otherScale', value: 2 ** power },
    run: () => attended(tril, given, { ...ask.choices, scale: 2 ** power }),
  });
  const suspect = async (power: number) => {
    await session.turn();
    return suspectOf(tril, at(power), expected, ask.tolerance)[0];
  };
  const distance = async (power: number) => (await suspect(power))?.norms.frobenius ?? Infinity;
  let [best, atBest] = [0, await distance(0)];
  for (let power = -12; power <= 6; ++power) {
    const here = await distance(power);
    if (here < atBest) [best, atBest] = [power, here];
  }
  const golden = (Math.sqrt(5) - 1) / 2;
  let [from, to] = [best - 1, best + 1];
  let [low, high] = [to - golden * (to - from), from + golden * (to - from)];
  let [atLow, atHigh] = [await distance(low), await distance(high)];
  for (let turn = 0; turn < 40; ++turn) {
    if (atLow < atHigh) {
      [to, high, atHigh] = [high, low, atLow];
      low = to - golden * (to - from);
      atLow = await distance(low);
    } else {
      [from, low, atLow] = [low, high, atHigh];
      high = from + golden * (to - from);
      atHigh = await distance(high);
    }
  }
  const found = await suspect((from + to) / 2);
  return found?.matches ? [found] : [];
}

/** The correct gradient times a number, if the given one is that: for a mean instead of a sum, or the wrong sign. */
function multiples(
  tril: Tril,
  right: TensorData,
  expected: TensorData,
  tolerance: number,
): Suspect[] {
  return tril.scope(() => {
    const value = factorOf(tril, right, known(expected, expected.data));
    const run = () => dataOf(tril.multiply(tensorOf(tril, right), value));
    const found = suspectOf(tril, { id: 'timesFactor', value, run }, expected, tolerance);
    return found.filter(({ matches }) => matches);
  });
}

async function own(
  tril: Tril,
  given: CheckSessions['own']['ask'],
  session: Session<Progress>,
): Promise<OwnResult> {
  const named = Object.entries(given.tensors).map(([name, one]) => [name, taken(one)] as const);
  const ask: OwnAsk = {
    ...given,
    tensors: Object.fromEntries(named),
    expected: given.expected && taken(given.expected),
  };
  const { tolerance } = ask;
  const candidates = candidatesOf(tril, ask);
  const output = tril.scope(() => candidates[0].run());
  const result = { output, rows: asRows(output), compared: null, suspects: [] };
  const nothing = { rearranged: false, misshapen: null, blanks: null, within: null };
  const fits = ask.expected && fitted(ask.expected, output.shape);
  const other =
    ask.expected && ask.of && !fits ? otherwiseShaped(tril, ask.expected, output.shape) : null;
  const expected = fits ?? other?.data;
  if (!expected) return { ...result, ...nothing };
  const misshapen = other?.id ?? null;
  const right = known(output, expected.data);
  const numbers = known(expected, expected.data);
  const found: Suspect[] = [];
  for (const [done, candidate] of candidates.entries()) {
    session.say({ done, of: candidates.length });
    await session.turn();
    found.push(...suspectOf(tril, candidate, expected, tolerance));
  }
  const within = tril.scope(() =>
    ask.tolerances.find(
      (one) =>
        tril.compare(tensorOf(tril, numbers), tensorOf(tril, right), {
          absolute: one,
          relative: one,
        }).beyond === 0,
    ),
  );
  const explained = within !== undefined || found.some(({ matches }) => matches);
  const scales =
    ask.kind === 'attention' && !explained ? await scaleOf(tril, ask, expected, session) : [];
  if (ask.of && !explained) scales.push(...multiples(tril, right, expected, tolerance));
  return tril.scope(() => ({
    ...result,
    compared: {
      ...compared(tril, numbers, right, { absolute: tolerance, relative: tolerance }),
      map: difference(tril, expected, output),
      expected: asRows(expected),
    },
    rearranged: !misshapen && expected.data !== ask.expected?.data,
    misshapen,
    blanks: blanksOf(tril, expected, output),
    within: within ?? null,
    suspects: [...found, ...scales]
      .map((one) => (misshapen && one.id === 'right' ? { ...one, id: misshapen } : one))
      .sort((one, other) => one.norms.frobenius - other.norms.frobenius),
  }));
}

export const checkAnswers: Answers<Omit<CheckLessons, 'files' | 'proof'>> = {
  ...bugAnswers,
  ...sampleAnswers,
  numpyFile: (tril, tensor) => tril.writeNpy(tensorOf(tril, tensor)) as Uint8Array<ArrayBuffer>,
};

export const checkLater: Later<Pick<CheckLessons, 'files' | 'proof'> & CheckSessions> = {
  keep,
  own,

  files: (tril, { files }) => readFiles(tril, files),

  async proof(tril, { id, expected }) {
    const {
      tensors: [stored],
    } = await readFile(tril, { name: `${id}.npy`, bytes: expected });
    return tril.scope(() => proof(tril, id, stored));
  },
};
