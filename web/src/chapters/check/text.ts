// Every word of chapter "Check", apart from its code.
import type { ExampleId } from '../../compute/lessons/golden';
import { inText } from '../../figures/format';
import { activations, type CheckState } from '../../state/check';

export const text = {
  kicker: 'Chapter 9',
  heading: 'Do not take our word for it',
  lede: 'PyTorch has computed these examples in double precision. Your machine computes them again now, in single precision, and says how far apart the two are.',
  intro:
    'The inputs come from a generator that gives the same bits in Python and here; the expected outputs are files made once by PyTorch 1.13. Three norms of the difference: Frobenius, the root of all squared distances; the largest distance of one element; and the difference’s norm as a share of the output’s own.',
  limits:
    'Zero is not to be expected: float32 keeps about seven digits, and sums depend on their order. The limits are those of the core’s own tests, fixed before, not fitted to what came out.',
  misconception:
    'That a result looks right proves little: without 1/\u2060√d, or with keys and queries swapped, attention still gives smooth, plausible rows. Only numbers against numbers tell.',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
    question: (mistake: string, tokens: number) =>
      `Causal attention over ${tokens} tokens, ${mistake}. Which rows of the output are still right?`,
    choices: { all: 'all of them', first: 'the first only', last: 'the last only', none: 'none' },
    answer: {
      all: 'All of them are.',
      first: 'Only the first: it sees only itself, so its one weight is 1 whatever the score.',
      last: 'Only the last: it sees everyone, so it has nothing to be hidden.',
      none: 'None is: every row is wrong.',
      some: (count: number) => `${count} of the rows are.`,
    },
  },

  proof: {
    title: 'PyTorch’s numbers, and this machine’s',
    columns: {
      example: 'Example',
      verdict: 'Verdict',
      frobenius: 'Frobenius',
      largest: 'Largest',
      share: 'Relative',
      limit: 'Limit',
      shape: 'Shape',
    },
    names: {
      multiHead: 'nn.MultiheadAttention, d = 64, 4 heads, T = 100, causal',
      block: 'nn.TransformerEncoderLayer, post-norm, d = 64, T = 100, causal',
      preBlock: 'nn.TransformerEncoderLayer, pre-norm, d = 64, T = 100, causal',
      softmax: 'Softmax of causal scores, T = 40',
      layerNorm: 'Layer norm with scale and shift, width 64',
      gelu: 'GELU, exact',
      window: 'Attention with a window, 10 back and 3 ahead',
      grouped: 'Grouped queries: 8 heads share 2 of keys and values',
      linear: 'Linear attention, elu + 1',
      singular: 'Singular values of the softmax above',
    } satisfies Record<ExampleId, string>,
    pass: 'within its limit',
    fail: 'beyond its limit',
    waiting: 'computing …',
    again: 'Try again',
    norm: (most: string) => `norm ≤ ${most}`,
    elements: (absolute: string, relative: string) => `${absolute} + ${relative}\u00a0·\u00a0|x|`,
    all: (passed: number, all: number) =>
      `${passed} of ${all} examples are within their limits, on this machine, now.`,
    map: 'this machine − PyTorch',
    cost: 'The example, computed once:',
    uncounted:
      'How many operations these take, the numbers themselves decide: intervals are halved until the values are known. Once, here:',
    worst: (place: string, expected: string, actual: string, distance: string) =>
      `Furthest apart at ${place}: PyTorch has ${expected}, this machine ${actual}, ${distance} apart.`,
    why: (share: string) =>
      `That is ${share} of the number itself: float32 rounds every one of the sums that lead here to one part in 17 million.`,
    at: (place: string, expected: string, actual: string) =>
      `${place}: PyTorch ${expected}, this machine ${actual}`,
    axes: { down: 'first axes', across: 'last axes' },
    unread: (why: string) => `PyTorch’s numbers could not be loaded: ${why}`,
  },

  own: {
    title: 'Your own numbers',
    heading: 'A bug in your attention?',
    lede: 'Drop what your code takes and what it gives. The page computes the same, and shows where the two differ.',
    about:
      'If they differ, it computes all the usual mistakes as well, and says which of them gives exactly what you have: a scale forgotten, keys and queries swapped, a mask in the wrong place, heads not transposed.',
    private:
      'Your files are read in this browser and go nowhere: this page has no server, and its policy allows it no other.',
    how: 'In Python: numpy.save("q.npy", q), or safetensors.torch.save_file({"q": q, "k": k, "v": v, "mask": mask, "output": out}, "case.safetensors"), the mask only where you have one. For a layer: x, its state_dict, and the output.',
    layouts:
      'Axes: [B, H, T, D], [H, T, D] or [T, D]; where heads lie side by side, [B, T, H·D] or [T, H·D], say how many.',
    now: 'You can tell now, for any attention of your own: right, or which mistake.',
    kind: 'Compare with',
    kinds: {
      attention: 'Attention of q, k, v',
      multiHead: 'nn.MultiheadAttention',
      block: 'nn.TransformerEncoderLayer',
    } satisfies Record<CheckState['kind'], string>,
    causal: 'Mask',
    causals: { yes: 'Causal', no: 'None' },
    heads: 'Heads in the last axis',
    layerHeads: 'Heads',
    headsHint: '0: heads have an axis of their own',
    norm: 'Norm',
    norms: { post: 'Post', pre: 'Pre' },
    activation: 'Activation',
    tolerance: 'Equal means within',
    drop: 'Drop .npy, .npz, .safetensors, .json or .csv here',
    choose: 'Choose files',
    clear: 'Clear',
    busy: 'Reading …',
    tried: (done: number, of: number) => `${done} of ${of} ways tried`,
    cancel: 'Cancel',
    cancelled: 'Not all ways were tried.',
    again: 'Try again',
    reading: (name: string) => `In ${name}`,
    readings: { look: '1 lets look', hide: '1 hides', add: 'is added to the scores' },
    sample: 'Sample with a mistake',
    surprise: 'Surprise me',
    secret: 'Hidden',
    download: 'Take its files, and drop them again:',
    files: {
      caption: 'What is in your files',
      name: 'Name',
      shape: 'Shape',
      type: 'Type',
      file: 'File',
      role: 'Used as',
      none: 'not used',
      roles: { expected: 'your output' } as Partial<Record<string, string>>,
      sample: 'sample',
    },
    unread: (file: string, problem: string) => `${file}: ${problem}`,
    pickled:
      'is a pickle of PyTorch’s, which may hold any program and is not opened: save its tensors with safetensors.torch.save_file',
    noFile: 'is a folder, or could not be opened',
    failure: (problem: string) => `These tensors cannot be computed with. ${problem}`,
    keysTurned:
      'The keys would fit with their last two axes in each other’s place: give them as [.., S, D], not transposed.',
    otherShape: (expected: string, computed: string) =>
      `Your output has the shape ${expected}, and what comes out has ${computed}: they cannot be compared number by number. This is what comes out.`,
    missing: (names: string) => `Still needed: ${names}.`,
    otherKind: (kind: string) => `Compare with ${kind}: all that it needs is here`,
    equal: (within: string) => `Your output equals what this page computes, within ${within}.`,
    equalBut: (within: string) =>
      `Your output has NaN where it should have numbers. Where it is a number, it equals what this page computes, within ${within}.`,
    allBlank: 'Your output is nothing but NaN.',
    whereNumbers: 'NaN apart, this is found. ',
    blanks: (count: string, all: string, first: string) =>
      `${count} of its ${all} numbers are NaN, the first at ${first}.`,
    blanksHere: 'They come out here, too: they are in what your code takes, or follow from it.',
    blanksNot:
      'None of them need be. NaN comes from a row that is hidden whole, whose softmax is 0/0 in most libraries (this page gives zeros); from a softmax that does not subtract the largest score first; and from float16, which ends at 65 504: ∞\u00a0−\u00a0∞ and ∞/∞ are NaN.',
    rearranged:
      'Its axes stand in another order, tokens before heads ([B, T, H, D] or [B, T, H·D]) or before batches ([T, B, D]); they were put in order before it was compared.',
    mistake: ([what, ...alike]: readonly string[], within: string) => {
      const others = alike.length > 0 ? ` (the same here: ${alike.join('; ')})` : '';
      const apart = within ? `to within ${within}` : 'to the last bit';
      return `Your output is not what it should be: it equals ${what}${others}, ${apart}.`;
    },
    close: (within: string, asked: string, type: string | undefined) =>
      `Your output is what it should be but for rounding: equal within ${within}, not within ${asked}.${type ? ` ${type}` : ''}`,
    types: {
      float16: 'It was stored as float16, which keeps three digits.',
      bfloat16: 'It was stored as bfloat16, which keeps two to three digits.',
    } as Partial<Record<string, string>>,
    compareWithin: (within: string) => `Compare within ${within}`,
    unknown: (what: string, share: string, type: string | undefined) =>
      `Your output differs, and none of the usual mistakes gives it. The nearest is ${what}, a relative distance of ${share} away.${type ? ` ${type} Large scores that are computed so are far off.` : ''}`,
    unknownHint:
      'Is the mask that you use chosen above, or among the files? Do heads lie side by side in the last axis, and is their number given? Does your code leave out weights at random (dropout)? Are these the very q, k and v that it multiplies, after projections and rotary positions?',
    rightItself: 'the right one itself',
    nothing: 'Your output differs from what this page computes.',
    noExpected: 'There is no output of yours among the files: this is what comes out.',
    output: 'output',
    difference: 'computed − yours',
    worst: (place: string, expected: string, actual: string) =>
      `Furthest apart at ${place}: you have ${expected}, it should be ${actual}.`,
    at: (place: string, expected: string, actual: string) =>
      `${place}: yours ${expected}, computed ${actual}`,
    norms3: { frobenius: 'Frobenius', largest: 'Largest', share: 'Relative', beyond: 'Beyond' },
    beyond: (count: string, all: string) => `${count} of ${all}`,
    suspects: 'The usual mistakes, the nearest first',
    columns: { what: 'Computed as', frobenius: 'Frobenius', largest: 'Largest', match: 'Match' },
    match: 'equal',
    right: 'Download what it should be',
    cost: 'Computed once, as it should be:',
    axes: { down: 'first axes', across: 'last axes' },
  },
} as const;

/** What a way of computing is, after "equals". */
export function variantName({ id, value }: { id: string; value?: number }): string {
  const name = names[id];
  return typeof name === 'function' ? name(value ?? 0) : (name ?? id);
}

const names: Readonly<Record<string, string | ((value: number) => string)>> = {
  right: 'what it should be',
  noScale: 'attention without the scale 1/\u2060√d',
  scaleByWidth: 'attention scaled by 1/d in place of 1/\u2060√d',
  scaleByModel: 'attention scaled by the width of all heads, not of one',
  timesRoot: 'attention multiplied by √d in place of divided',
  swappedQK: 'attention with queries and keys swapped',
  swappedKV: 'attention with keys and values swapped',
  keysReshaped: 'keys turned by a reshape in place of a transpose',
  interleaved: 'in_proj cut head by head, [H, 3, d], where [3, H, d] is read here',
  keysForValues: 'weights times keys in place of values',
  softmaxOverQueries: 'softmax over the queries, the wrong axis',
  softmaxOverHeads: 'softmax over the heads, the wrong axis',
  noSoftmax: 'scores times values without softmax',
  causalThough: 'attention with a causal mask',
  noMask: 'attention without the causal mask',
  maskAfterSoftmax: 'the mask put on after softmax: rows no longer sum to 1',
  zerosForMask: 'hidden scores set to 0 in place of −∞',
  maskTurned: 'the causal mask turned around: only the future is seen',
  hidesItself: 'a causal mask off by one: a query does not see itself',
  seesNext: 'a causal mask off by one: a query sees the next token',
  fromOtherEnd: 'the causal mask counted from the other end, as T and S differ',
  fileMaskTurned: 'attention with the mask’s queries and keys swapped',
  maskIgnored: 'attention without the mask of the file',
  maskInverted: 'attention with the mask read the other way round: hidden where it should look',
  maskAdded: 'the mask’s zeros and ones added to the scores in place of hiding',
  groupsTiled:
    'grouped heads in the wrong order: keys and values repeated as a whole (tile), not each by itself (repeat_interleave)',
  tokensFirst: 'attention with the axes read as [B, T, H, D], where [B, H, T, D] is read here',
  otherScale: (scale) => `attention with the scale ${inText(scale)} in place of 1/\u2060√d`,
  headsNotTransposed: 'heads cut from [B, T, H·D] by a reshape without the transpose',
  headsNotJoined: 'heads put together by a reshape without the transpose',
  sideBySide: (heads) =>
    `attention of ${heads} heads side by side in the last axis (choose it above if they lie so)`,
  otherHeads: (heads) => `${heads} ${heads === 1 ? 'head' : 'heads'}`,
  outTransposed: 'out_proj.weight transposed',
  noInBias: 'in_proj_bias left out',
  noOutBias: 'out_proj.bias left out',
  noBias: 'all biases left out',
  noNormWeights: 'norms without their weights and biases',
  preNorm: 'pre-norm in place of post-norm',
  postNorm: 'post-norm in place of pre-norm',
  otherNormNoMask: 'the other place of the norm, and no causal mask',
  otherNormCausal: 'the other place of the norm, and a causal mask',
  otherActivation: (index) => `activation ${activations[index]}`,
  otherActivationAndNorm: (index) =>
    `activation ${activations[index]} and the other place of the norm`,
  eps: 'eps 10⁻⁶ in place of 10⁻⁵ in the norms',
};
