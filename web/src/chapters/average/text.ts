// Every word of chapter "Average", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { AverageMethod } from 'tril';

export const text = {
  title: 'Average',
  kicker: 'Chapter 2',
  heading: 'Everything up to now, as one product',
  lede: 'Before words look at each other, let them do something simpler: each takes the average of all that came before it, and of itself.',
  intro:
    'A word is a row of x here. Two loops can average the rows up to now. So can one matrix product, if the weights stand in a matrix. And those weights are what softmax makes of a mask: e to every entry, over the sum of its row. That third way is causal attention, with all scores equal.',
  batch:
    'A batch is several sequences at once. They do not see each other: the same weights serve each of them, one product a sequence.',
  sums: 'Ones alone, not divided by their row sums, give running sums. Softmax cannot do that: its rows always share out one whole.',
  zeros:
    'A mask of zeros hides nothing. e to the 0 is 1, as much as for everyone who may be seen; only e to the −∞ is nothing. Choose another number where the future is hidden, and watch it leak in.',
  shapes:
    'Shapes: x is B × T × C (B sequences of T rows of C numbers), weights T × T, the result B × T × C.',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
  },

  figure: 'Three computations, one result',
  sequence: 'Sequence',
  sequences: ['1 of the batch', '2 of the batch'],
  show: 'Show',
  shows: { averages: 'Averages', sums: 'Sums' },
  hidden: 'The mask hides with',
  length: { more: 'Add a row', less: 'Remove a row' },
  methods: {
    loops: 'Two loops',
    matrix: 'A triangular matrix',
    softmax: 'Softmax of a mask',
  } satisfies Record<AverageMethod, string>,
  formulas: {
    averages: {
      loops: String.raw`\role{v}{y_t} = \tfrac1t \textstyle\sum_{s \le t} \role{x}{x_s}`,
      matrix: String.raw`\role{v}{y} = \role{weight}{\tfrac{L}{L\mathbf 1}}\,\role{x}{x}`,
      softmax: String.raw`\role{v}{y} = \role{weight}{\operatorname{softmax}(M)}\,\role{x}{x}`,
    },
    sums: {
      loops: String.raw`\role{v}{y_t} = \textstyle\sum_{s \le t} \role{x}{x_s}`,
      matrix: String.raw`\role{v}{y} = \role{weight}{L}\,\role{x}{x}`,
      softmax: '',
    },
  },
  code: {
    averages: [
      'for t in 1 … T',
      '  sum = 0',
      '  for s in 1 … t',
      '    sum += x[s]',
      '  y[t] = sum / t',
    ],
    sums: ['for t in 1 … T', '  sum = 0', '  for s in 1 … t', '    sum += x[s]', '  y[t] = sum'],
  },
  noSums: 'Softmax shares out one whole, row by row. It cannot give sums.',
  symbols: { x: 'x', ones: 'L', mask: 'M', weights: 'weights', y: 'y' },
  axes: { now: 'row t', then: 'row s', entry: 'entry' },
  same: 'equal to the loops, to the last bit',
  near: (distance: string) => `at most ${distance} from the loops`,
  leaks: (distance: string) => `up to ${distance} from the loops: the future leaks in`,
  cost: 'Weights times x, both sequences of the batch:',
  hint: 'Point at any number, tap it, or reach it with the arrow keys. Numbers of x can be changed.',
  why: {
    x: 'You gave this number. Change it and everything that follows from it changes.',
    seen: 'Not after now, so it may be seen.',
    later: 'After now, so it is left out.',
    hides: 'After now: this is what hides it.',
    rows: (sum: string) => `The one of L, divided by its row’s sum, ${sum}.`,
    sum: 'The ones as they are: nothing is divided.',
    softmax: 'e to the mask, over the sum of its row.',
    loops: (terms: number) =>
      `The sum of ${terms === 1 ? 'the first row' : `the first ${terms} rows`}, divided by ${terms}.`,
    loopSum: 'The sum of all rows up to now.',
    product: 'Row of weights times column of x.',
  },

  question: {
    value: (row: number, col: number) =>
      `What will row ${row}, column ${col} of y be: the average of column ${col} of x up to row ${row}?`,
    answer: (value: string) => `It is ${value}.`,
    zeros: 'With zeros in place of −∞ in the mask, what does the first row of y become?',
    choices: {
      same: 'what it was',
      all: 'the average of all rows',
      none: 'zero',
    },
    zerosAnswer: (row: string) =>
      `It becomes ${row}: every weight is the same, past and future alike.`,
  },

  series: {
    title: 'What averages can and can’t predict',
    heading: '2, 4, 6, 8, …',
    lede: 'What comes next? A blend of the past is all that attention can say, so let the past be as simple as it gets.',
    about:
      'Weights that are never negative and add up to one can only give a number between the smallest and the largest they blend. The average of 2, 4, 6, 8 is 5. Even the best blend stops at 8.',
    moral:
      'The next number is 10: twice the last one, less the one before. That takes a negative weight, and softmax has none. A Transformer gets there anyway, because it blends values that it has made, not the numbers themselves, and computes on with what comes out.',
    blend: 'Weights',
    blends: { softmax: 'Softmax of scores', free: 'Any numbers' },
    presets: 'Try',
    average: 'Average',
    last: 'The last one',
    extrapolate: 'Twice the last, less the one before',
    score: (value: number) => `Score of ${value}`,
    weight: (value: number) => `Weight of ${value}`,
    columns: { value: 'number', score: 'score', weight: 'weight' },
    is: 'blend',
    next: 'next',
    sum: 'sum of the weights',
    reach: 'what softmax can reach',
    inside: 'Inside what was there: every blend is.',
    outside: 'Outside of what was there: no softmax gives these weights.',
    hit: 'That is it, with a weight that softmax cannot give.',
    cost: {
      softmax: 'Softmax of the four scores, and the blend:',
      free: 'The blend of four numbers:',
    },
    line: (blend: string) =>
      `A number line: the series 2, 4, 6, 8, the next number 10, and the blend at ${blend}.`,
    table: {
      caption: 'The running average always lags behind',
      series: 'the series',
      averages: 'average up to now',
      next: 'what came next',
    },
    question: 'Which is the largest number that softmax can make of 2, 4, 6, 8?',
    answer: 'It can come as near to 8 as one likes, with all weight on the last, and never beyond.',
  },
} as const;
