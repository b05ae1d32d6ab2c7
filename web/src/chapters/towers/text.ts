// Every word of chapter "Two towers", apart from its code. Mathematics is TeX; \role{q}{Q} colours it.
import type { ModeId } from '../../compute/handmade/towers-weights';
import type { MaskId } from '../../state/towers';

export const text = {
  title: 'Two towers',
  kicker: 'Chapter 7',
  heading: 'One tower reads, the other writes',
  lede: 'The encoder reads the whole source at once. The decoder writes the target word by word, and at every step asks the encoder.',
  intro:
    'The asking is cross-attention. Its queries come from the decoder, its keys and values from the encoder’s output, the memory. So the map has a row for each step of the target and a column for each word of the source, and need not be square.',
  made: 'These weights are written by hand, so that you can see what each attention does. This Transformer has learnt nothing: it copies.',
  source:
    'Vaswani et al. 2017, section 3.1. Shapes: source S × C, memory S × C, target T × C; cross-attention’s weights T × S. Here C = 3 N + 4, where N words are different; one block a tower, one head each.',
  ask: {
    title: 'Before you look',
    words: { right: 'Yes.', wrong: 'Not quite.', see: 'See it', another: 'Another' },
  },

  figure: 'Both towers, and what each attention looks at',
  controls: {
    source: 'Source, what is read',
    target: 'Target, what is to be written',
    mode: 'Cross-attention looks for',
    modes: {
      place: 'the same place',
      reverse: 'the mirrored place',
      same: 'the same word',
      follows: 'what follows this word',
    } satisfies Record<ModeId, string>,
    causal: 'Causal mask',
    padding: 'Padding, last words of the source',
    hides: 'Hidden from the decoder, too',
    masks: 'Masks as they were',
  },
  does: {
    place:
      'Step t asks for the source’s word at the place it is about to write: it copies by counting.',
    reverse: 'Step t asks for the place mirrored at the end: it writes the source backwards.',
    same: 'Step t asks for the word that it has just read: it finds that word in the source, and repeats it.',
    follows:
      'Step t asks whose word before is the one it has just read: it copies by content, as long as no word comes twice.',
  } satisfies Record<ModeId, string>,
  diagram: {
    label:
      'Encoder: source, self-attention, feed-forward, memory. Decoder: target, masked self-attention, cross-attention with keys and values from the memory, feed-forward, next word.',
    encoder: 'Encoder',
    decoder: 'Decoder',
    self: 'Self-attention',
    masked: 'Masked self-attention',
    cross: 'Cross-attention',
    network: 'Feed-forward',
    memory: 'K and V of the memory',
    query: 'Q',
    reads: 'source',
    shifted: 'target, shifted',
    writes: 'next word',
    norm: 'Each box is followed by: add what came in, layer norm.',
  },
  maps: {
    source: {
      title: 'Encoder: self-attention',
      says: 'Looks at the word before, and writes it down.',
    },
    target: {
      title: 'Decoder: self-attention',
      says: 'Looks at the word before; the causal mask stands here, and only here.',
    },
    memory: { title: 'Cross-attention', says: 'Rows: the target’s steps. Columns: the source.' },
    cost: 'The three attentions, between Q, K, V and A V:',
  },
  toggles: 'A click in a mask hides a cell, or shows it again; draw with the mouse for many.',
  reads: {
    title: 'Step by step, what is read and what comes out',
    input: 'reads',
    should: 'to be written',
    says: 'writes',
    chance: 'chance',
  },
  symbols: {
    sourceWeights: 'weights',
    targetWeights: 'weights',
    memoryWeights: 'weights',
    heads: 'A V',
    atOnce: 'in one go',
    byStep: 'decoder’s output, step by step',
    gap: 'difference',
  } as Partial<Record<string, string>>,
  axes: {
    sourceQuery: 'source, looks',
    sourceKey: 'source, is looked at',
    targetQuery: 'target, looks',
    targetKey: 'target, is looked at',
    word: 'word',
    feature: 'feature',
    entry: 'entry',
    step: 'step',
  },
  hint: 'Point at any number, tap it, or reach it with the arrow keys.',
  why: {
    seen: 'May be looked at: nothing is added to the score. A click hides it.',
    unseen: 'Hidden: −∞ is added to the score. A click shows it.',
    softmax: 'e to the score, over the sum of its row.',
    blind: 'This row sees nothing: zeros, and nothing comes of them.',
    scores: (d: number) => `The decoder’s query times the encoder’s key, divided by √${d}.`,
    unseenScore: 'Hidden by the memory mask.',
    q: 'Made from the decoder’s row, by W_Q.',
    k: 'Made from the memory’s row, by W_K.',
    v: 'Made from the memory’s row, by W_V: which word it is.',
    heads: 'Row of weights times column of V.',
    additive: 'v times tanh of the sum of both projections, unit by unit.',
    gap: 'Step by step, less in one go.',
    output: 'The decoder’s output at this step.',
  },
  masks: {
    sourceMask: 'encoder’s mask',
    targetMask: 'decoder’s mask',
    memoryMask: 'memory mask',
  } satisfies Record<MaskId, string>,
  leak: {
    question: (word: string) =>
      `The decoder’s last word, “${word}”, is changed to another. Which rows of its output change?`,
    choices: { last: 'only the last', all: 'all', none: 'none' },
    answer: (changed: number, all: number) => `${changed} of ${all} rows change.`,
  },
  clears:
    'The causal mask belongs to the target’s self-attention alone. The encoder sees all of the source, and cross-attention all of the memory: the source is no secret. Padding must be hidden twice, in the encoder and from the decoder: try one without the other.',

  cross: {
    title: 'Cross-attention, opened',
    heading: 'Q from one tower, K and V from the other',
    lede: 'Nothing about the product is new. Only the rows come from two texts, so the map is T × S.',
    about:
      'Rows of Q belong to steps of the target, rows of K and V to words of the source. Whatever is written comes out of V: shares of source words. That is why a decoder can only copy what the encoder has put there.',
    tex: String.raw`\role{weight}{A} = \operatorname{softmax}\!\left(\frac{\role{q}{Q}\,\role{k}{K^\top}}{\sqrt D} + M\right),\quad \role{v}{A V}`,
    source:
      'Q is T × D, from the decoder, K and V are S × D, from the memory; D = N here, a column for each different word, and at least 4. Places are looked for by a clock hand in the first four columns.',
    program: (target: string, source: string) => `Cross-attention: ${target} looks at ${source}`,
    cost: 'Cross-attention, everything between Q, K, V and A V:',
    question: (word: string) =>
      `At the step that has just read “${word}”, which word of the source gets the most weight?`,
    answer: (word: string, weight: string) => `“${word}”, with ${weight}.`,
  },

  steps: {
    title: 'Teacher forcing',
    heading: 'All steps at once, because the answer is known',
    lede: 'While it learns, the decoder reads the right words, shifted by one, whatever it would have written. So all steps are computed in one go; the causal mask keeps each from seeing its answer.',
    about:
      'When it writes for itself there is no answer to read: each word it writes is what it reads next, one step after the other. Keys and values of earlier steps are kept, and the numbers are the same as in one go.',
    moral:
      'Choose “what follows this word” for a source in which a word comes twice. With the teacher, one wrong word does no harm to the next step; on its own, the decoder goes round in circles. You can now say when.',
    source:
      'Sutskever et al. 2014; Vaswani et al. 2017, section 3.1; teacher forcing: Williams, Zipser 1989.',
    feed: 'The decoder reads',
    feeds: { teacher: 'the target', own: 'its own words' },
    cost: 'The last step’s self-attention, its query and all kept keys:',
    player: 'Steps of writing',
    equal: 'Step by step with kept keys and values, equal to one go, to the last bit.',
    near: (distance: string) =>
      `Step by step with kept keys and values, at most ${distance} from one go: rounding.`,
    differs: (distance: string) =>
      `Up to ${distance} from one go: this mask lets a step look at what has not been written yet.`,
    reads: 'reads',
    writes: 'writes',
    wanted: 'to be written',
    apart: 'apart from one go',
    question:
      'The decoder looks for what follows the word it has read, and “the” comes twice in the source. Who gets further?',
    choices: { teacher: 'reading the target', own: 'reading its own words', same: 'both the same' },
    answer: (teacher: number, own: number, all: number) =>
      `Reading the target it writes ${teacher} of ${all} words right, reading its own ${own}.`,
  },

  additive: {
    title: 'Additive attention',
    heading: 'The older way to compare',
    lede: 'Attention came into translation with a small network in place of the dot product: it adds a projected query and a projected key, bends the sum by tanh, and weighs it.',
    about:
      'Here both look at the same queries and keys, with weights by hand: two bent units a number, highest where query and key agree. Both find the same words. The dot product is one matrix product; the network needs T × S × A values of tanh, and its scores can never exceed the sum of |v|.',
    tex: String.raw`e = v^\top \tanh(W_q\,\role{q}{q} + W_k\,\role{k}{k})`,
    source:
      'Bahdanau, Cho, Bengio 2015; compared by Vaswani et al. 2017, section 3.2.1. A = 2 D units here; q has a 1 beside it, for a bias.',
    dotTex: String.raw`e = \role{q}{q}\cdot\role{k}{k} / \sqrt D`,
    product: 'one matrix product',
    costs: {
      dot: 'The dot product, everything between Q, K, V and A V:',
      network: 'The network, both projections with it:',
    },
    dot: 'Dot product',
    network: 'Additive',
    scores: 'scores',
    weights: 'weights',
    tangents: (units: number) => `${units} values of tanh a score`,
  },

  shapes: {
    title: 'The whole call',
    heading: 'transformer(source, target, weights)',
    lede: 'Everything above is one call. These are all the tensors it makes on the way, in order.',
    about:
      'The memory is made once; every step of the decoder reads it. Only cross-attention has T and S in one shape. You can now say any of these shapes before you look: change a text and check.',
    source: 'As nn.Transformer of PyTorch, one layer a tower; names are those of the trace.',
    cost: 'The call, part by part: products with weights, attentions, norms; timed as a whole:',
    name: 'tensor',
    shape: 'shape',
    caption: 'All tensors of the call and their shapes',
  },
} as const;
