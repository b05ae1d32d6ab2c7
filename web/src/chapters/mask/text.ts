// Every word of chapter "Mask", apart from its code.
import type {
  BlockPattern,
  GarbageId,
  HideId,
  RuleId,
  ScoreId,
} from '../../compute/lessons/mask-rules';
import type { MaskState } from '../../state/mask';
import type { NumbersProblem } from '../attend/numbers';

export const text = {
  kicker: 'Chapter 4',
  heading: 'Who may look where',
  lede: 'A mask is a matrix like the scores: a row for every query, a column for every key. Where it says −∞, the query may not look; where it says 0, nothing changes.',
  axes: 'Down are those who look, across are those who are looked at. So a causal mask, under which nothing looks ahead, is a lower triangle. And padding, which fills short texts up to a common length, is columns, not rows: it may still look, only nobody looks at it.',
  combine:
    'Rules add up: −∞ from any of them is −∞. Choose some, or draw: press a cell, or paint over many. Then softmax gives every hidden cell a share of exactly zero, and the others share out the whole among themselves.',
  wrong:
    'It must be −∞, and before softmax. A score of 0 is no hiding, since e to the 0 is 1. A weight set to 0 after softmax leaves a row that is not whole, and its sum still knows what was hidden. And −10⁹ looks safe until a row sees nothing at all: then every key is equally far down, and all that was hidden comes back.',
  nothing:
    'A row that sees nothing is 0 divided by 0. Done as the formula stands, it is NaN, and NaN spreads. This core gives it zeros.',
  source:
    'Vaswani et al. 2017, section 3.2.3; strided: Child et al. 2019. Shapes: M is T × T, or B × H × T × T where batches or heads differ.',

  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
    zero: 'The causal mask sets hidden scores to 0 in place of −∞. Whose weights stay the same?',
    zeroAnswer: (name: string, leak: string) =>
      `Only those of “${name}”: it sees every key, so nothing was hidden from it. The first row now has ${leak} of its weight on keys that it must not see.`,
    all: 'everybody’s',
    nobody: 'nobody’s',
    empty: (name: string) =>
      `Under a causal mask, the first token is hidden from everybody as well. What does “${name}”, who sees nothing now, take in?`,
    choices: { zeros: 'zeros', even: 'the average of all', nan: 'NaN' },
    emptyAnswer: (first: string) =>
      `Zeros: its weights are [${first}]. Softmax of nothing has no value, and zero is the one that harms nobody.`,
    large: (name: string) =>
      `The same, but with −10⁹ in place of −∞. What does “${name}” take in now?`,
    largeAnswer: (weight: string, count: number) =>
      `The average of all ${count}: each has weight ${weight}. A score of a few is lost beside 10⁹, so all are alike.`,
    count: (name: string, left: number) =>
      `Causal, and a window of ${left} to the left. How many keys does “${name}” see?`,
    countAnswer: (count: number) =>
      `${count}: itself and the ones before it that the window holds.`,
  },

  figure: 'Scores, mask, weights, output',
  input: {
    label: 'Your text',
    numbersLabel: 'Your numbers, a row per line',
    by: 'Read as',
    modes: { words: 'Words', characters: 'Characters', numbers: 'Numbers' },
    example: '1 0 2\n0 1 1\n2 1 0\n1 2 1',
    cut: (shown: number, found: number) => `The first ${shown} of ${found} are shown.`,
    empty: 'Type something, and it begins.',
    problem: (problem: NumbersProblem) =>
      problem.kind === 'ragged'
        ? `Row ${problem.row} has ${problem.found} numbers, the first row has ${problem.wanted}.`
        : `Row ${problem.row}: “${problem.found}” is not a number.`,
  },
  rules: {
    label: 'Rules',
    none: 'None',
    names: {
      causal: 'Causal',
      padding: 'Padding',
      window: 'Window',
      strided: 'Strided',
      drawn: 'Drawn',
    } satisfies Record<RuleId, string>,
  },
  numbers: {
    length: 'Real keys',
    left: 'To the left',
    right: 'To the right',
    local: 'Nearer than',
    stride: 'Every',
  },
  examples: {
    label: 'Try',
    names: { empty: 'A row that sees nothing', past: 'Past and future', prefix: 'A prefix' },
  },
  hide: {
    label: 'Hidden by',
    names: {
      infinity: '+ (−∞)',
      large: '+ (−10⁹)',
      zero: 'score := 0',
      after: 'weight := 0',
    } satisfies Record<HideId, string>,
  },
  scores: {
    label: 'Scores',
    names: { random: 'Random head', same: 'Same token', equal: 'All alike' } satisfies Record<
      ScoreId,
      string
    >,
    another: 'Another head',
  },
  titles: { query: 'query, looks', key: 'key, is looked at', entry: 'entry of the head' },
  symbols: {
    scores: 'scores',
    masked: 'masked',
    weights: 'weights',
    values: 'V',
    output: 'output',
  },
  operations: {
    add: '+',
    is: '=',
    gives: '→',
    masked: {
      infinity: 'scores + M',
      large: 'scores + M, −10⁹ in place of −∞',
      zero: 'scores, 0 wherever M hides',
      after: 'scores as they are',
    } satisfies Record<HideId, string>,
    output: 'weights · V',
    softmax: 'softmax of every row',
    softmaxLate: 'softmax of every row, then the hidden weights are set to 0',
    times: '·',
  },
  cost: 'One call of attention() under these rules, everything between Q, K, V and output:',
  rowSum: 'sum',
  leak: 'leak',
  verdicts: {
    clean: 'Nothing leaks: every row has all of its weight on keys that it may see.',
    leaks: (name: string, share: string) =>
      `It leaks: “${name}” has ${share} of its weight on keys that are hidden from it.`,
    short: (name: string, sum: string) =>
      `Nothing lies on hidden keys, but the row of “${name}” adds up to ${sum}, not 1: what was hidden has taken its share, and that share tells of it.`,
    empty: (name: string) =>
      `“${name}” sees nothing: its weights are zeros, and so is its output. No row is NaN.`,
  },
  changed: 'changed by the last step',
  hint: 'Press cells of M, or paint over them. Point at any number, tap it, or reach it with the arrow keys, and it says why.',
  why: {
    scores: 'How well query and key agree: their dot product over √d. No mask yet.',
    open: 'No rule hides this key from this query.',
    hiddenBy: (reasons: string) => `Hidden: ${reasons}.`,
    reasons: {
      causal: 'the key comes after the query',
      padding: 'the key is padding',
      window: 'the key is outside of the window',
      strided: 'the key is neither near nor on the stride',
      drawn: 'drawn so',
    } satisfies Record<RuleId, string>,
    masked: 'Score plus mask.',
    maskedZero: 'A hidden score is set to 0, and takes part.',
    maskedAfter: 'Nothing is hidden before softmax.',
    softmax: 'e to the masked score, over the sum of its row.',
    naive: (value: string) =>
      `This row sees nothing. As the formula stands, −∞ − (−∞) = ${value}; here its weights are 0.`,
    after: 'Softmax as if there were no mask; then hidden weights are set to 0.',
    values: 'What this token has to give.',
    output: 'Row of weights times column of V.',
  },

  future: {
    title: 'The future, overwritten',
    heading: 'A proof you can run',
    lede: 'If nothing looks to its right, then nothing that comes later can matter: not a little, not in the last bit.',
    about:
      'Overwrite the tokens from here on with garbage, and let the core compute everything again. Under a causal mask the outputs before stay the same, bit for bit. That is why a text can be generated word by word, why keys and values can be kept, and why one pass trains every position at once.',
    nan: 'One thing gets through: 0 · NaN is NaN. A weight of exactly zero still multiplies the value it hides, in this core as in PyTorch. Masks hide numbers; they do not make broken ones whole.',
    cut: 'Overwrite from',
    garbage: 'With',
    kinds: { other: 'other numbers', huge: 'a million', nan: 'NaN' } satisfies Record<
      GarbageId,
      string
    >,
    do: 'Overwrite',
    undo: 'Put it back',
    rule: (rules: string, hide: string) => `Mask as above: ${rules}, ${hide}.`,
    noRules: 'none',
    causal: 'Causal, by −∞',
    before: 'before',
    after: 'after',
    same: 'same bits',
    differs: 'differs',
    garbageRow: 'overwritten',
    kept: (rows: number) =>
      rows === 1
        ? 'The one output before the cut has the same bits as before.'
        : `All ${rows} outputs before the cut have the same bits as before.`,
    lost: (changed: number, rows: number, first: string) =>
      `${changed} of the ${rows} outputs before the cut have changed, “${first}” first: the future leaks into the past.`,
    idle: 'Nothing is overwritten yet: both are the same call on the same input.',
    question: (rules: string, hide: string, name: string) =>
      `The mask: ${rules}, hidden by ${hide}. Everything from “${name}” on is overwritten. How many of the outputs before it change?`,
    none: 'none',
    every: 'all',
    some: 'some',
    answer: (changed: number, rows: number) => `${changed} of ${rows} changed.`,
    hint: 'Point at an output to see what it is made of.',
    why: 'Computed by the same call from the input beside it.',
    cost: 'Each of the two, everything between Q, K, V and output:',
  },

  blocks: {
    title: 'Blocks that are never computed',
    heading: 'Fused kernels still mask',
    lede: 'For long texts the scores are never held whole. A fused kernel does all of attention in one go, block by block: 64 queries meet 128 keys. What a mask hides whole is skipped, and that is where it saves time.',
    about:
      'It is often said that such kernels need no mask. They do: on the blocks at the edge some pairs are hidden and some are not, and there every hidden score becomes −∞ as before. Only blocks without a single visible pair are left out.',
    rule: 'A rule of left and right bounds, such as causal or a window, tells that at once. A strided or a drawn mask has something to see almost everywhere, so it hides much and saves little.',
    source: 'Milakov and Gimelshein 2018; Dao et al. 2022.',
    pattern: 'Mask',
    patterns: {
      full: 'None',
      causal: 'Causal',
      window: 'Window of 256',
      strided: 'Strided, 64',
      padding: 'Half is padding',
    } satisfies Record<BlockPattern, string>,
    size: 'Tokens',
    share: (skipped: number, blocks: number) =>
      `${skipped} of ${blocks} blocks are skipped. A dash: no pair in it may be seen.`,
    question: (tokens: number) =>
      `${tokens} tokens, causal mask, blocks of 64 queries by 128 keys. What share of the blocks is skipped?`,
    options: { none: 'none', less: 'less than half', half: 'half', more: 'more than half' },
    answer: (skipped: number, blocks: number) =>
      `${skipped} of ${blocks}. The blocks on the diagonal must be computed, so it is less than half, and nearer to it the longer the text.`,
    symbol: 'seen',
    queries: 'block of queries',
    keys: 'block of keys',
    block: (n: number, size: number) => `${size * n + 1} to ${size * (n + 1)}`,
    hint: 'Point at a block: it says which share of its pairs may be seen.',
    skipped: 'Hidden whole: never computed.',
    whole: 'Everything in it may be seen: computed, nothing to mask.',
    part: 'Some pairs of it may be seen: computed whole, then the hidden ones become −∞.',
    cost: 'One head of width 64 in these blocks, everything between Q, K, V and output:',
    scores: (computed: string, all: string) => `${computed} of ${all} scores are computed.`,
  },
} as const;

/** The rules that hold, in words. */
export function rulesInWords({ rules }: Pick<MaskState, 'rules'>): string {
  return rules.length === 0
    ? text.future.noRules
    : rules.map((rule) => text.rules.names[rule].toLowerCase()).join(' and ');
}
