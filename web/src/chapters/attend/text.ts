// Every word of chapter "Attend", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { HeadId } from '../../state/attend-heads';
import type { StepId } from '../../state/attend-steps';
import type { NumbersProblem } from './numbers';

const quoted = (token: string) => `“${token}”`;

export const text = {
  title: 'Attend',
  kicker: 'Attention, number by number',
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
      ': they are looked at. Under a causal mask nothing looks to its right, and what is hidden gets exactly zero.',
  },
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
    back: 'Step back',
    step: 'Step on',
    play: 'Play from here',
    playAgain: 'Play from the start',
    pause: 'Pause',
  },

  why: {
    hint: 'Point at any cell, tap it, or use the arrow keys: here it says why it has its value.',
    pinned: 'Pinned: free it (Escape)',
    zeros: (n: number) => (n === 1 ? 'and 1 with a zero' : `and ${n} with a zero`),
    more: (n: number) => `${n} smaller`,
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
    allDigits: 'All digits:',
    edit: 'New value',
    set: 'Set',
    reset: 'Reset',
    notANumber: 'Not a number.',
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
    right: 'Yes.',
    wrong: 'Not quite.',
    answer: (token: string, target: string) =>
      `${quoted(token)} looks at ${quoted(target)} most: weight `,
    answerAlike: (token: string) => `${quoted(token)} looks at all it may see alike: weight `,
    see: 'See it',
    another: 'Another',
  },

  cost: {
    label: 'Cost',
    flops: 'flop',
    bytes: 'B',
    measuring: 'measuring',
    explain: (t: number, d: number, dv: number) =>
      `One call of attention(): 2·T·T·(d + dᵥ) operations in its two products, T = ${t}, d = ${d}, dᵥ = ${dv}; bytes of Q, K, V and output, 4 each.`,
    perFlop: 'flop/B',
  },
  computed: {
    loading: 'Loading the core …',
    here: (variant: string, time: string, load: string) =>
      `Computed here, on your machine, by tril (${variant}) in ${time}. Loaded in ${load}.`,
  },
  take: {
    label: 'Take it with you',
    link: 'Link',
    svg: 'SVG',
    numpy: 'NumPy',
    pytorch: 'PyTorch',
    copied: 'Copied',
    failed: 'Copying is not allowed here',
  },
  numbersToggle: 'Show numbers',
  undo: 'Undo',
  resetWeights: 'Back to the head as it was',
  changedKey: 'changed by your last edit',
  editedKey: 'edited by you',

  trouble: {
    title: 'This could not be computed.',
    again: 'What you entered is kept; change it, or go back.',
    link: 'Part of this link could not be read and is left at its default:',
    pin: 'The pinned cell of this link is outside of its matrix.',
    dismiss: 'Dismiss',
  },
} as const;
