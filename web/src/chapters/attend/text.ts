// Every word of chapter "Attend", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { HeadId } from '../../compute/handmade/attend-heads';
import type { StepId } from '../../state/attend-steps';
import type { NumbersProblem } from './numbers';

const quoted = (token: string) => `“${token}”`;

export const text = {
  title: 'Attend',
  kicker: 'Chapter 3',
  heading: ['Each word asks,', 'every word answers'],
  lede: {
    before: 'A row of ',
    weights: 'weights',
    after:
      ' says how much one word takes from each of the others. The weights of a row are never negative and add up to one, so what comes out is a blend, never more than what was there.',
  },
  roles: {
    before: 'The word at the left is the ',
    query: 'query',
    middle: ': it looks. The words along the top are the ',
    keys: 'keys',
    after:
      ': they are looked at. Under a causal mask nothing looks to its right, and what is hidden gets exactly zero. Words, or whatever a text is cut into, are called tokens; a head is one way of looking, with one such table of weights.',
  },
  start: { before: 'New to matrices? ', link: 'Begin with how two of them are multiplied.' },
  try: 'Type your own words, in any script. Point at any number, tap it, or reach it with the arrow keys, and it says where it comes from.',
  source:
    'Vaswani et al. 2017, section 3.2.1. Shapes: Q and K are T × d, scores T × T, output T × d.',

  input: {
    label: 'Your text',
    numbersLabel: 'Your numbers, a row per line',
    placeholder: 'Type a few words',
    mode: 'Read as',
    modes: { words: 'Words', characters: 'Characters', numbers: 'Numbers' },
    exampleNumbers: '1 0 2\n0 1 1\n2 1 0\n1 2 1',
    empty: 'Type a word, and it begins.',
    emptyNumbers: 'Type or paste rows of numbers, and it begins.',
    cutTokens: (shown: number, found: number, mode: string) =>
      `The first ${shown} of ${found} ${mode} are shown.`,
    cutNumbers: (rows: number, cols: number, foundRows: number, foundCols: number) =>
      `The first ${rows} of ${foundRows} rows and ${cols} of ${foundCols} columns are shown.`,
    looksLikeNumbers: 'These look like numbers.',
    readAsNumbers: 'Read them as numbers',
    tooLong: (length: number) => `Only the first ${length} characters are kept.`,
  },

  numbersProblem: (problem: NumbersProblem) =>
    problem.kind === 'ragged'
      ? `Row ${problem.row} has ${problem.found} numbers, the first row has ${problem.wanted}.`
      : `Row ${problem.row}: ${quoted(problem.found)} is not a number.`,

  head: {
    label: 'Head',
    names: {
      previous: 'Previous token',
      same: 'Same token',
      first: 'First token',
      average: 'Average of the past',
    } satisfies Record<HeadId, string>,
    sameNumbers: 'Similar rows',
    own: 'Your own',
    how: 'How this head does it',
    ownHint: 'Shows the weights of this head: change any of them.',
    about: {
      previous:
        'W_Q turns every clock hand back by one token; W_K leaves the hands as they are. So a query agrees best with the key one place before it. The first token has none before it.',
      same: 'Q and K both take who the token is, and nothing of where it stands. Equal tokens agree in all three compass hands, different ones in two at most.',
      first:
        'W_Q makes the hands of the first place, all at twelve o’clock, out of the column of ones, whoever asks. So every query agrees best with the first key.',
      average:
        'W_Q is all zeros, so every score is zero, and softmax of equal scores is an equal share for everyone who may be seen: an average.',
      own: 'This head is yours: you have changed its weights. Going back in the browser undoes, entry by entry.',
    },
    aboutSameNumbers:
      'Q and K are your numbers as they are, so a score is the dot product of two of your rows: X Xᵀ.',
  },
  mask: { label: 'Mask', causal: 'Causal', none: 'None' },

  axes: {
    query: 'query, looks',
    key: 'key, is looked at',
    token: 'token',
    width: 'entry of the head',
    input: 'entry of X',
    output: 'entry of the head, out',
    one: '1',
    who: 'who',
    what: 'numbers',
    where: 'where',
  },
  dials: { who: ['16s', '4s', '1s'], where: ['4', '16', '64'] },

  symbols: {
    scores: 'scores',
    scaled: 'scaled',
    masked: 'masked',
    weights: 'weights',
    output: 'output',
  },

  steps: {
    x: {
      name: 'X',
      short: 'X',
      sentence:
        'Every token becomes a row of numbers: a one, who it is (its number, as three compass hands), and where it stands (three clock hands that turn once in 4, 16 and 64 tokens).',
    },
    q: {
      name: 'Q',
      short: 'Q',
      sentence: 'Each token asks: its row of X, weighed by a row of W_Q for every entry.',
    },
    k: {
      name: 'K',
      short: 'K',
      sentence: 'Each token shows what it can be found by, in the same d entries as the questions.',
    },
    v: {
      name: 'V',
      short: 'V',
      sentence: 'Each token puts forward what it has to give to those who look at it.',
    },
    scores: {
      name: 'Scores',
      short: 'Q Kᵀ',
      sentence: 'Every query meets every key: the dot product says how well they agree.',
    },
    scaled: {
      name: 'Scaled',
      short: '÷ √d',
      sentence:
        'Longer vectors make larger dot products; dividing by √d keeps softmax from saturating for that reason alone.',
    },
    masked: {
      name: 'Masked',
      short: '+ M',
      sentence: 'The mask adds −∞ wherever a query may not look. The rest stays as it was.',
    },
    weights: {
      name: 'Weights',
      short: 'softmax',
      sentence:
        'Softmax turns each row into shares of one whole: e to every score, over the sum of its row.',
    },
    output: {
      name: 'Output',
      short: '· V',
      sentence: 'Each row of the output blends the rows of V, in the proportions of its weights.',
    },
  } satisfies Record<StepId, { name: string; short: string; sentence: string }>,
  numbersX:
    'Every row is a one, your numbers, and where the row stands (three clock hands that turn once in 4, 16 and 64 rows).',
  noMask: 'No mask: every query may look at every key, so nothing changes here.',

  player: {
    label: 'Steps',
    play: 'Play from here',
    playAgain: 'Play from the start',
  },

  why: {
    hint: 'Point at any cell, tap it, or use the arrow keys: here it says why it has its value.',
    one: 'Always 1, so that a head can have a constant.',
    who: (token: string, id: number, digits: string, axis: string, digit: number) =>
      `${quoted(token)} is token number ${id}, ${digits} in base 4. This is the ${axis} of a compass hand that stands at ${digit} of 4 quarter turns.`,
    where: (place: number, period: number, axis: string) =>
      `The ${axis} of a clock hand that turns once in ${period} tokens, ${place} after the first.`,
    horizontal: 'sideways part',
    vertical: 'upright part',
    given: 'You gave this number. Change it and everything that follows from it changes.',
    weight:
      'An entry of the head’s weights. Change it and everything that follows from it changes.',
    q: 'Row of X times row of W_Q.',
    k: 'Row of X times row of W_K.',
    v: 'Row of X times row of W_V.',
    scores: 'Row of Q times row of K.',
    scaled: (d: number) => `The score over the square root of d = ${d}.`,
    maskedOpen: 'This query may look at this key, so the mask adds nothing.',
    maskedHidden: 'The key comes after the query, so the mask adds −∞.',
    weights: 'The largest of the row is taken from each exponent first: same result, no overflow.',
    weightNaN: 'A NaN among the scores of a row makes all of its shares NaN.',
    weightHidden: 'Hidden by the mask: e to the −∞ is exactly zero.',
    output: 'Row of weights times column of V.',
  },
  rowName: (row: string) => `row ${row}`,
  readout: {
    title: 'reads as',
    hint: 'the token whose content is most like this row',
    mixed: 'a blend, most like',
  },
  unit: {
    title: (token: string) => `The row of ${quoted(token)}: one whole, shared out`,
    sum: 'sum',
  },

  predict: {
    title: 'Before you look',
    question: (token: string, place: number, head: string) =>
      `Which will ${quoted(token)}, number ${place}, look at most with this head, “${head}”?`,
    alike: 'all alike',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
    answer: (token: string, target: string, weight: string) =>
      `${quoted(token)} looks at ${quoted(target)} most: weight ${weight}.`,
    answerAlike: (token: string, weight: string) =>
      `${quoted(token)} looks at all it may see alike: weight ${weight}.`,
  },

  loading: 'Loading the core …',
  blend: {
    title: 'A blend, never more',
    heading: 'A row of weights is a blend',
    cost: 'The row of weights times V:',
    lede: 'Shares of one whole, none below zero: what comes out is a blend, a convex combination. It can come as near to any value as one likes, and it can never leave the hull of them all, the shape of a rubber band around them.',
    about:
      'The bar is the row of weights. In the plane below it every value is a point, as large as its share, and the output is where the shares balance. Take the head “Average of the past”, and it lies in the middle; take “Previous token”, and it sits nearly on one value.',
    moral:
      'So a head cannot make what is not there: it chooses and mixes. What is new comes from V’s weights, from adding to what was there before, and from the layers between two heads.',
    source: 'Convex combinations: Boyd and Vandenberghe, Convex Optimization, section 2.1.4.',
    row: 'Output of',
    across: 'Across',
    up: 'Up',
    entry: (place: number) => `entry ${place} of V`,
    output: (token: string) => `output of ${token}`,
    entryOf: (token: string, place: number) => `output[${token}, ${place}]`,
    label: (token: string, x: string, y: string) =>
      `Values as points, the hull around those that may be seen, and the output of ${token} inside it, at ${x}, ${y}.`,
    exact: 'V has two entries, so this is all of it.',
    projected: (width: number) =>
      `Two of the ${width} entries of V are drawn, the others left away: a projection, which keeps blends inside the hull. Choose others above.`,
    notFinite: 'A value here is not a finite number, so there is no plane to draw it in.',
    question: (token: string) => `Where will the output of ${quoted(token)} lie?`,
    choices: {
      one: 'nearly on a single value',
      between: 'between several',
      outside: 'outside of all',
    },
    answer: (token: string, weight: string, key: string) =>
      `The largest share of ${quoted(token)} is ${weight}, that of ${quoted(key)}. No shares lead outside.`,
  },
  stable: {
    title: 'Softmax without overflow',
    heading: 'The same formula, and a NaN',
    lede: 'On paper, adding a number to every score of a row changes nothing: it cancels. In a machine e to the 89 is already more than a float, a number in 32 bits, can hold.',
    about:
      'As it is written, softmax then divides ∞ by ∞, and that is not a number: NaN. And if all scores are far below zero, it divides 0 by 0. With the largest score taken off first every power is at most 1, one of them is exactly 1, and the result is the same wherever both have one.',
    source:
      'Blanchard, Higham and Higham, Accurately computing the log-sum-exp and softmax functions, 2021.',
    add: 'Add to every score',
    ways: { naive: 'As it is written', stable: 'The largest taken off first' },
    costs: {
      naive: 'As it is written, with its powers and their sum kept:',
      stable: 'The largest taken off first, with all of that kept:',
    },
    formulas: {
      naive: String.raw`\role{weight}{w_i} = \dfrac{e^{\role{score}{s_i}}}{\sum_j e^{\role{score}{s_j}}}`,
      stable: String.raw`\role{weight}{w_i} = \dfrac{e^{\role{score}{s_i} - m}}{\sum_j e^{\role{score}{s_j} - m}},\; m = \max_j \role{score}{s_j}`,
    },
    symbols: { scores: 'scores', powers: 'powers', weights: 'weights' },
    shift: 'm',
    sum: 'sum',
    hint: 'Point at any number, tap it, or reach it with the arrow keys. Scores can be changed.',
    why: {
      score: 'A score, with what is added to all of them. Change it and everything follows.',
      naivePowers: 'e to the score.',
      stablePowers: 'e to the score, the largest of the row taken off.',
      overflow: 'More than the largest float, 3.4·10³⁸: it overflows to infinity.',
      share: 'Its power over the sum of all.',
      notANumber: 'Infinity over infinity is not a number.',
      nothing: 'All powers have rounded to zero: 0 over 0 is not a number.',
    },
    question: (added: string) =>
      `${added} is added to every score. What becomes of softmax as it is written?`,
    choices: { same: 'the same weights', sharper: 'sharper weights', nan: 'not a number' },
    answer: (naive: string, stable: string) =>
      `As it is written: ${naive}. With the largest taken off: ${stable}.`,
  },
  scale: {
    title: 'Why 1/√d',
    heading: 'Why divide by √d?',
    cost: 'All scores at this width, Q times K transposed:',
    lede: 'A dot product of d random numbers with d others is a sum of d products. Each adds its variance, the mean square of how far a number lies from its mean. So scores spread the further the wider the head is.',
    about:
      'Softmax of scores that are far apart gives nearly everything to the largest: it saturates, chooses instead of blending, and hardly changes when a score does, so there is nothing to learn from. Divided by √d, scores have variance 1 whatever the width. Drag d and see.',
    source:
      'Vaswani et al. 2017, section 3.2.1 and its footnote 4. Entries of Q and K: normal, mean 0, variance 1.',
    width: 'Width of the head',
    d: (width: number) => `d = ${width}`,
    again: 'Draw them anew',
    kinds: { plain: 'as they are', scaled: 'over √d' },
    axes: {
      width: 'd',
      variance: 'variance of scores',
      largest: 'largest weight',
      entropy: 'entropy, nats',
      label: (what: string) => `${what} against the width d, both logarithmic`,
    },
    point: (kind: string, width: number, value: string) => `${kind}, d = ${width}: ${value}`,
    measured: (many: number, few: number) =>
      `Measured on ${many} random queries and as many keys: variance of all ${many * many} scores; largest weight and entropy are means over the rows. Entropy is 0 where one key has all the weight, ln ${many} where all have alike. Below, softmax for ${few} of each, made anew.`,
    symbols: { plain: 'softmax(Q Kᵀ)', scaled: 'softmax(Q Kᵀ/√d)' },
    hint: 'Point at any weight, tap it, or reach it with the arrow keys.',
    why: {
      plainWeights: 'Softmax of the row’s scores as they are.',
      scaledWeights: 'Softmax of the same scores, each divided by √d.',
    },
    question: (d: number) =>
      `Entries of a query and a key are random, of variance 1, and there are d = ${d}. What is the variance of their dot product, about?`,
    answer: (measured: string) => `Measured on 4096 dot products: ${measured}.`,
  },
  cost: 'One call of attention(), everything between Q, K, V and output:',
  numbersToggle: 'Show numbers',
  resetWeights: 'Back to the head as it was',
  changedKey: 'changed by your last edit',
  editedKey: 'edited by you',

  pinOutside: 'The pinned cell of this link is outside of its matrix.',
} as const;
