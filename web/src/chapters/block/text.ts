// Every word of chapter "Block", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { ActivationId, OrderId, PartId, PositionId, StageId } from '../../state/block';

export const text = {
  title: 'Block',
  kicker: 'Chapter 6',
  heading: 'The block, opened up',
  lede: 'Attention lets tokens exchange what they know. A block adds the rest: a small network that works on each token alone, a way around both, and a norm that keeps numbers in hand.',
  intro:
    'The way around is the residual: each part adds to what came in, and need not repeat it. The first Transformers normalised after adding (post-norm), most since do so before each part (pre-norm), so that the way around stays free. Switch, and see what moves.',
  off: 'Every part has a switch. Without it the rest is computed as before, and the picture at the bottom shows what has changed.',
  source:
    'Vaswani et al. 2017, section 3; pre-norm: Xiong et al. 2020. Shapes: x and all that is added to it T × C, here C = 8; two heads of D = 4; hidden T × F, F = 16. No biases.',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
  },

  figure: 'One block, stage by stage',
  input: 'Words, up to eight',
  controls: {
    norm: 'Order',
    norms: { post: 'Post-norm', pre: 'Pre-norm' },
    positions: 'Positions',
    position: {
      none: 'None',
      sinusoidal: 'Sinusoidal',
      rotary: 'Rotary',
    } satisfies Record<PositionId, string>,
    activation: 'Activation',
    activations: { relu: 'ReLU', gelu: 'GELU', silu: 'SiLU' } satisfies Record<
      ActivationId,
      string
    >,
    mask: 'Mask',
    masks: { none: 'None', causal: 'Causal' },
    head: 'Head',
    heads: ['1 of 2', '2 of 2'],
    seed: 'Weights',
    other: 'Other weights',
    restore: 'All parts on',
  },
  random: (seed: number) =>
    `Random weights, seed ${seed}, untrained: what is drawn shows how a block computes, and says nothing about these words.`,
  cut: (shown: number, found: number) => `The first ${shown} of ${found} words.`,
  diagram: {
    label: 'The order of the parts; each can be looked at, and switched off',
    x: 'Input x',
    y: 'output',
    names: {
      norm1: 'Layer norm 1',
      attention: 'Attention',
      residual1: 'Add x',
      norm2: 'Layer norm 2',
      feedForward: 'Feed-forward',
      residual2: 'Add what went in',
    } satisfies Record<PartId, string>,
    switch: (name: string) => `${name}: on`,
  },
  player: 'The stages of the block',
  stages: {
    x: {
      name: 'Input',
      tex: String.raw`\role{x}{x} = \text{words} + \text{positions}`,
      says: 'A vector a word. Sinusoidal positions are added to it; rotary ones come later, to Q and K.',
    },
    normed1: {
      name: 'Layer norm 1',
      tex: String.raw`\frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + 10^{-5}}}`,
      says: 'Each row by itself: mean 0, variance 1.',
    },
    queries: {
      name: 'Queries',
      tex: String.raw`\role{q}{Q} = x\,\role{q}{W_Q^\top}`,
      says: 'What each token looks for, in this head.',
    },
    keys: {
      name: 'Keys',
      tex: String.raw`\role{k}{K} = x\,\role{k}{W_K^\top}`,
      says: 'What each token is found by.',
    },
    values: {
      name: 'Values',
      tex: String.raw`\role{v}{V} = x\,\role{v}{W_V^\top}`,
      says: 'What each token gives.',
    },
    scores: {
      name: 'Scores',
      tex: String.raw`\role{score}{S} = \role{q}{Q}\role{k}{K^\top} / \sqrt D`,
      says: 'Every query times every key, divided by the root of the width.',
    },
    masked: {
      name: 'Masked scores',
      tex: String.raw`\role{score}{S} + M`,
      says: 'What may not be seen becomes −∞. Without a mask nothing changes.',
    },
    weights: {
      name: 'Weights',
      tex: String.raw`\role{weight}{A} = \operatorname{softmax}(\role{score}{S} + M)`,
      says: 'Shares of one whole, row by row.',
    },
    heads: {
      name: 'Head',
      tex: String.raw`\role{weight}{A}\,\role{v}{V}`,
      says: 'The values, blended by the weights.',
    },
    attention: {
      name: 'Attention',
      tex: String.raw`[\,\text{head}_1\;\text{head}_2\,]\,W_O^\top`,
      says: 'The heads side by side, mixed by the output projection.',
    },
    residual1: {
      name: 'First residual',
      tex: String.raw`\role{x}{x} + \text{attention}`,
      says: 'Added to what came in, number by number.',
    },
    normed2: {
      name: 'Layer norm 2',
      tex: String.raw`\frac{x - \operatorname{mean}(x)}{\sqrt{\operatorname{var}(x) + 10^{-5}}}`,
      says: 'Each row by itself again.',
    },
    hidden: {
      name: 'Hidden layer',
      tex: String.raw`h = x\,W_1^\top`,
      says: 'Twice as wide here, four times in most Transformers. The same weights for every token; no token sees another.',
    },
    activated: {
      name: 'Activated',
      tex: String.raw`f(h)`,
      says: 'One bent line, number by number: without it two linear layers would be one.',
    },
    feedForward: {
      name: 'Feed-forward',
      tex: String.raw`f(h)\,W_2^\top`,
      says: 'Back to the width of x.',
    },
    residual2: {
      name: 'Second residual',
      tex: String.raw`\text{what went in} + \text{feed-forward}`,
      says: 'Added to what went into the part.',
    },
  } satisfies Record<StageId, { name: string; tex: string; says: string }>,
  switchedOff: {
    norm1: 'Switched off: what comes passes as it is.',
    norm2: 'Switched off: what comes passes as it is.',
    attention: 'Switched off: it adds zeros.',
    feedForward: 'Switched off: it adds zeros.',
    residual1: 'Switched off: only the branch is left.',
    residual2: 'Switched off: only the branch is left.',
  } satisfies Record<PartId, string>,
  zeros: (zeros: number, all: number) => `${zeros} of ${all} are exactly zero`,
  symbols: {
    words: 'words',
    places: 'positions',
    joined: 'heads',
    effect: 'difference',
    given: 'x',
    normed: 'norm(x)',
    rearranged: 'outputs, rows moved',
    reordered: 'outputs, words moved',
    gap: 'difference',
    unturned: 'before turning',
  },
  axes: {
    token: 'token',
    feature: 'feature',
    hidden: 'hidden unit',
    query: 'query, looks',
    key: 'key, is looked at',
    out: 'out',
  },
  same: {
    equal: 'Equal to one call of transformerBlock, to the last bit.',
    near: (distance: string) => `At most ${distance} from one call of transformerBlock.`,
  },
  effect: {
    title: 'What has changed in the output',
    none: 'Nothing: all parts are on. Switch one off.',
    says: (size: string, whole: string) =>
      `The difference has norm ${size}; the whole block’s output has ${whole}.`,
    positions: 'The whole block has sinusoidal positions.',
  },
  cost: 'One transformerBlock of this size, with biases and scales:',
  hint: 'Point at any number, tap it, or reach it with the arrow keys. The numbers of words can be changed.',
  why: {
    words: 'Drawn at random; change it, and what follows is computed anew.',
    places: 'A sine or cosine of the place of the word.',
    weight: 'A weight: drawn at random, as PyTorch begins.',
    product: 'Row of the left times row of the weights.',
    scores: (d: number) => `Row of Q times row of K, divided by √${d}.`,
    seen: 'May be seen: the score as it was.',
    unseen: 'Later than the query: hidden.',
    softmax: 'e to the score, over the sum of its row.',
    head: 'Row of weights times column of V.',
    joined: 'One head’s number, at its place among the heads.',
    sum: 'What came in, plus what was made.',
    branch: 'The residual is off: the branch alone.',
    off: 'Switched off: zero.',
    passed: 'The norm is off: passed as it is.',
    norm: 'The number less its row’s mean, over the root of its row’s variance.',
    activated: 'The activation of the number at this place.',
    turned:
      'Turned together with its partner, half a head away, by an angle that grows with the place.',
    effect: 'The output less the whole block’s output at this place.',
    given: 'You gave this number. Change it and see which others follow.',
    gap: 'The right one less the left one.',
    output: 'Computed by the whole block, as above.',
  },
  question: {
    part: 'Which changes the output more when it is switched off?',
    partAnswer: (lines: readonly { name: string; size: string }[]) =>
      `${lines.map(({ name, size }) => `Without ${name} the output changes by ${size}`).join('; ')} (norm of the difference).`,
  },
  parts: {
    norm1: 'the first norm',
    attention: 'attention',
    residual1: 'the first residual',
    norm2: 'the second norm',
    feedForward: 'the feed-forward',
    residual2: 'the second residual',
  } satisfies Record<PartId, string>,

  norm: {
    title: 'Layer norm is per token',
    heading: 'A norm for each token alone',
    lede: 'Layer norm takes one row, shifts it to mean 0 and scales it to variance 1. It never looks at another row, nor at another text.',
    about:
      'So a batch, a padding or a longer text changes nothing: that is why it, and not batch norm, stands in Transformers. Columns are not normalised, and need not come out with mean 0. The shape of a row survives, its size does not: rows 1 and 2 differ by a factor of ten, and come out the same but for the little that keeps the root from zero.',
    source:
      'Ba, Kiros, Hinton 2016. Variance with 1/C; then a learned scale and shift, left out here.',
    hint: 'Point at any number, tap it, or reach it with the arrow keys. The numbers of x can be changed.',
    cost: 'layerNorm of this matrix:',
    before: 'before',
    after: 'after',
    mean: 'mean',
    variance: 'variance',
    row: 'row',
    columns: 'its columns',
    rowsTable: 'Mean and variance of the rows, before and after, and of the columns after',
    question: (row: number) =>
      `One number in row ${row} of x changes. Which numbers of norm(x) change?`,
    choices: {
      one: 'only the one at the same place',
      row: (row: number) => `only row ${row}`,
      col: 'only its column',
      all: 'all of them',
    },
    answer: (changed: number, row: number) =>
      `${changed} numbers change, all in row ${row}: the row’s mean and variance have changed.`,
    moral: 'You can now say, for any edit of x, which rows stay as they are: try one.',
  },

  shuffle: {
    title: 'What shuffling the words does',
    heading: 'Without positions, order is nothing',
    lede: 'Move the words, and compute again. Are the outputs the same rows, moved along? Or has every word become something else?',
    about:
      'Attention and feed-forward treat all places alike. Without positions the block is permutation equivariant: moved words give moved rows, and “dog bites man” is “man bites dog”. The order comes in by positions only, added to the words (sinusoidal) or turning Q and K (rotary).',
    mask: 'Or by a causal mask: it tells earlier from later, so even without positions a decoder knows order.',
    source:
      'Vaswani et al. 2017, section 3.5; rotary: Su et al. 2021; the mask as position: Haviv et al. 2022.',
    order: 'Move the words',
    orders: {
      asItIs: 'As they are',
      reverse: 'Reverse',
      rotate: 'First to the end',
      shuffle: 'Shuffle',
    } satisfies Record<OrderId, string>,
    words: 'The words moved:',
    equal: 'Equal, to the last bit.',
    near: (distance: string) =>
      `The same rows, moved: at most ${distance} apart, the rounding of sums in another order.`,
    differ: (distance: string) => `Not the same rows: up to ${distance} apart.`,
    hint: 'Left: the outputs of the text as it is, their rows moved with the words. Right: the outputs of the moved words.',
    question: (positions: string, mask: string) =>
      `The words are reversed, with ${positions} and ${mask}. What happens to the outputs?`,
    positions: {
      none: 'no positions',
      sinusoidal: 'sinusoidal positions',
      rotary: 'rotary positions',
    } satisfies Record<PositionId, string>,
    masks: { none: 'no mask', causal: 'a causal mask' },
    choices: { same: 'the same rows, reversed', other: 'other rows' },
    answer: (distance: string) => `The largest difference is ${distance}.`,
  },

  activations: {
    title: 'Activations',
    heading: 'One bend, and many zeros',
    lede: 'Between its two layers the feed-forward bends a line. ReLU cuts everything below zero off; GELU and SiLU let a little through.',
    about:
      'With ReLU a good part of the hidden units is exactly zero for a given token, and another part for the next: each token uses its own few. GELU and SiLU make numbers small, but not zero.',
    source: 'ReLU: Vaswani et al. 2017; GELU: Hendrycks, Gimpel 2016; SiLU: Elfwing et al. 2017.',
    cost: 'One feedForward of this size:',
    label: 'ReLU, GELU and SiLU between −4 and 4, and where the hidden units of the block lie',
    units: 'hidden units of the block',
    share: 'exactly zero',
    x: 'h',
    y: 'f(h)',
  },

  depth: {
    title: 'Many blocks, one on the other',
    heading: 'Twenty-four blocks deep',
    lede: 'One block does not show what norms and residuals are for. Twenty-four do.',
    about:
      'Without norms the numbers grow with every block; without residuals and norms they vanish. Without residuals the norms keep the size, but the tokens become alike, and soon nothing tells them apart: look at how they differ.',
    moral:
      'Pre-norm grows slowly: each block adds to what is there. Post-norm holds the size at 1, and squeezes the way around twice a block. You can now say which of the five a deep network can be trained with, and why the others fail.',
    source: 'Pre- and post-norm: Xiong et al. 2020; tokens that become alike: Dong et al. 2021.',
    random: (seed: number) =>
      `Width 32, 4 heads, F = 128, 8 tokens; random weights, seed ${seed}, others in every block, untrained.`,
    cost: 'One block of this stack:',
    measure: 'Show',
    measures: { size: 'Size of the numbers', spread: 'How tokens differ' },
    measured: {
      size: 'root mean square of all numbers',
      spread: 'the same, after taking off the mean of all tokens',
    },
    blocks: 'blocks',
    lines: {
      post: 'post-norm',
      pre: 'pre-norm',
      noNorms: 'without norms',
      noResiduals: 'without residuals',
      neither: 'without both',
    },
    question: 'Both norms are left out of 24 blocks. What becomes of the numbers?',
    choices: { grow: 'they grow', stay: 'they stay as large', vanish: 'they vanish' },
    answer: (from: string, to: string) => `Their size goes from ${from} to ${to}.`,
    table: 'Size after so many blocks',
  },
} as const;
