// Every word of chapter "Heads", apart from its code.
import type { ProjectionId, StepId } from '../../state/heads';
import type { circuitHeads } from '../../compute/handmade/heads-circuit';

type HeadName = (typeof circuitHeads)[number][number];

export const text = {
  kicker: 'Chapter 5',
  heading: 'Several looks at once',
  lede: 'One row of weights is one blend, and a blend of two answers is neither. So the width is divided: each head has its own small queries, keys and values, and looks where it likes.',
  cheap:
    'Dividing costs nothing. The projections are as large as for one wide head, the columns of Q are only read in groups: H views of D columns each, with a step of H·D from row to row. No number is moved.',
  together:
    'Afterwards the heads’ results stand side by side again, and W_O, the one matrix that sees them all, decides what each may write where.',
  batch:
    'A batch has an axis of its own, and every head of every sequence is computed apart. Here the second sequence is your words the other way round.',
  start:
    'The first token is a start sign that is nobody, so that a head with nothing to look at has somewhere to look. X has six columns more than in chapter 3, “before”, still empty: a head may write into them.',
  shapes: 'Shapes: B sequences, here 2, of T tokens; C columns of X; H heads, each D wide.',
  source:
    'Vaswani et al. 2017, section 3.2.2. Misread often: H heads have as many parameters as one head of the same total width, not H times as many.',

  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
    wide: (name: string) =>
      `The same weights, but as one head of 24 in place of 4 heads of 6. Where does “${name}” look most?`,
    wideAnswer: (target: string, weight: string) =>
      `At “${target}”, with weight ${weight}. The four heads’ scores are added up before softmax, so one row has to serve them all.`,
    stride: (place: number) =>
      `Row after row, Q lies in memory as 24 columns. Which head does number ${place} of a row belong to, counting from 0?`,
    strideAnswer: (head: number, entry: number) =>
      `Head ${head}, entry ${entry}: 6 numbers a head, one head after the other.`,
  },

  figure: 'Split, attend, concatenate, project',
  input: 'Your text',
  cut: (shown: number, found: number) => `The first ${shown} of ${found} words are shown.`,
  empty: 'Type a word, and it begins.',
  sequence: 'Sequence',
  sequences: ['1: your words', '2: backwards'],
  projection: 'Show',
  projections: { q: 'Q', k: 'K', v: 'V' } satisfies Record<ProjectionId, string>,
  steps: {
    x: {
      name: 'X',
      shape: '[B, T, C]',
      say: 'Every token is a row: a one, who it is, where it stands, and six empty columns.',
    },
    project: {
      name: 'Project',
      shape: '[B, T, H·D]',
      say: 'One product for all heads: the rows of W_Q, of W_K and of W_V stand one head below the other.',
    },
    split: {
      name: 'Split',
      shape: '[B, H, T, D]',
      say: 'The same numbers at the same place in memory, read as four matrices.',
    },
    attend: {
      name: 'Attend',
      shape: '[B, H, T, T]',
      say: 'Each head by itself: scores, causal mask, softmax. Four maps, none knows of the others.',
    },
    blend: {
      name: 'Blend',
      shape: '[B, H, T, D]',
      say: 'Each head blends its own values by its own weights.',
    },
    concat: {
      name: 'Concatenate',
      shape: '[B, T, H·D]',
      say: 'Side by side again: the way back from split, and no number changes.',
    },
    output: {
      name: 'Output',
      shape: '[B, T, C]',
      say: 'W_O takes all heads to the width of X. This one lets chosen heads write into “before”.',
    },
  } satisfies Record<StepId, { name: string; shape: string; say: string }>,
  strides: (length: number, width: number, head: number) =>
    `Strides of the view: ${length * width} from sequence to sequence, ${head} from head to head, ${width} from token to token, 1 from entry to entry.`,
  where: (address: number) => `Number ${address} of the sequence in memory, before and after.`,
  writers: 'Heads that write into “before”',
  stepper: 'Steps of multi-head attention',
  headTitle: (layer: number, head: number) => `Layer ${layer}, head ${head}`,
  headNames: {
    previous: 'Previous token',
    same: 'Same token',
    first: 'First token',
    average: 'Average of the past',
    induction: 'Induction',
    echo: 'Like the one before',
    context: 'Same one before',
  } satisfies Record<HeadName, string>,
  startSign: '▸',
  startName: 'start sign',
  groups: { one: '1', who: 'who', where: 'where', before: 'before' },
  titles: {
    token: 'token',
    query: 'query, looks',
    key: 'key, is looked at',
    input: 'entry of X',
    entry: 'entry of the head',
    packed: 'entry, head by head',
    output: 'entry of the output',
  },
  symbols: {
    packed: { q: 'Q', k: 'K', v: 'V' },
    weights: 'weights',
    heads: 'heads',
    output: 'output',
  },
  why: {
    x: 'What goes in.',
    before: 'Empty until a head of this layer writes here.',
    projected: 'Row of X times row of W.',
    weights: 'Softmax of this head’s scores, by which its values are blended.',
    blend: 'Row of this head’s weights times column of its values.',
    concat: (head: number, entry: number) => `Entry ${entry} of head ${head}, as it was.`,
    wo: 'An entry of W_O: how much of an entry of a head goes into an entry of the output.',
    output: 'Row of the heads side by side times row of W_O.',
  },
  hint: 'Point at any number, tap it, or reach it with the arrow keys, and it says why.',
  cost: 'Four projections and the attention between them, both sequences:',

  circuit: {
    title: 'Two layers, eight heads',
    heading: 'After A came B',
    lede: 'One layer can look at the previous word. The next can look for words that came after the same word as now. Together they continue what they have seen, with no training at all.',
    how: 'In layer 1, head 1 looks at the previous token and writes who that is into “before”. In layer 2, head 1 asks with “who” and is answered by “before”: it finds the tokens that came after its like. That is an induction head, put together from two.',
    take: 'Take the first head’s pen away, or give it to another, and watch the second layer: its weights are the same, but what it finds has changed. Maps of one layer alone do not tell what a head does.',
    source:
      'Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”; written by hand here.',
    navigator: 'Layers by heads',
    layer: (n: number) => `Layer ${n}`,
    lines: (name: string) =>
      `Lines from those who look to those who are looked at, head “${name}”. The matrix beside has the same numbers.`,
    linesTitle: 'looks → is looked at',
    hint: 'Point at a line or a cell: one query, one key, and how their weight comes about.',
    strip: (query: string, key: string) => `Why “${query}” gives “${key}” this weight`,
    rows: { q: 'q', k: 'k', product: 'q ⊙ k' },
    sum: 'sum',
    scaled: (width: number) => `÷ √${width}`,
    softmax: 'softmax',
    hidden: 'hidden by the mask',
    predictions: 'What the induction head expects next',
    columns: { token: 'token', expects: 'expects', then: 'then comes' },
    nothing: '–',
    cost: 'Each layer, both sequences:',
    legend:
      'The number says how much of that token is in what the head holds: 3 is all of it. ✓: so it comes.',
    question: (name: string) =>
      `The induction head of layer 2: where does “${name}”, the last token, look most?`,
    answer: (target: string, weight: string, before: string) =>
      `At “${target}”, weight ${weight}: what came after “${before}” before.`,
    answerStart: (target: string, weight: string) =>
      `At “${target}”, weight ${weight}: nothing has come after its like yet.`,
    writeQuestion:
      'Without layer 1’s previous-token head writing into “before”, where does the induction head look from the last token?',
    writeAnswer: (target: string, weight: string) =>
      `At “${target}”, weight ${weight}: with “before” empty nothing matches, and the start sign is all that is left.`,
  },

  divided: {
    title: 'One wide head, or several narrow ones',
    heading: 'The same numbers, divided',
    lede: 'The same weight matrices, read as one head of 24, as two of 12, as four of 6. What changes is only where softmax is taken.',
    about:
      'A wide head’s score is the sum of what the narrow heads would have scored. One softmax then has to choose for all of them, and the strongest wins, or they spoil each other: to look at the previous token and at the same token takes two rows of weights.',
    cost: 'Products cost the same. More heads only have more maps to hold and more exponentials to take: see the operations below each.',
    costOf: 'Attention alone:',
    name: (count: number, width: number) =>
      count === 1 ? `1 head of ${width}` : `${count} heads of ${width}`,
    parameters: (count: number) => `${count} parameters`,
    maps: (count: number, cells: number) =>
      `${count === 1 ? '1 map' : `${count} maps`}, ${cells} weights`,
    scaled: (width: number) => `scores over √${width}`,
  },
} as const;
