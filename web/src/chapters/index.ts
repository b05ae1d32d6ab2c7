// The chapters there are, in order. Each has a page of its own in routes/.
export interface Chapter {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  /** For search engines and shared links. */
  readonly description: string;
}

export const chapters: readonly Chapter[] = [
  {
    id: 'multiply',
    number: 1,
    title: 'Multiply',
    description:
      'Put one matrix product together in four ways, step by step, count what six loop orders fetch from memory, and time them all on your own machine.',
  },
  {
    id: 'average',
    number: 2,
    title: 'Average',
    description:
      'A running average by two loops, by a triangular matrix and by softmax of a mask: three computations, one result, and every number of them to be changed.',
  },
  {
    id: 'attend',
    number: 3,
    title: 'Attend',
    description:
      'Type any text, and see every number of softmax(QKᵀ/√d + M)V: from words to queries, keys and values, to weights and output, computed on your own machine.',
  },
  {
    id: 'mask',
    number: 4,
    title: 'Mask',
    description:
      'Draw a mask, combine it with others, and see what it hides, what leaks where it is done wrong, and that the future cannot leak, to the last bit.',
  },
  {
    id: 'heads',
    number: 5,
    title: 'Heads',
    description:
      'Split, attend, concatenate, project: one wide head against several narrow ones, and two layers that make an induction head.',
  },
  {
    id: 'block',
    number: 6,
    title: 'Block',
    description:
      'Residuals, norms, feed-forward and positions, each with a switch: what a Transformer block does to every number, and twenty-four of them, one after another.',
  },
  {
    id: 'towers',
    number: 7,
    title: 'Two towers',
    description:
      'Encoder and decoder side by side: cross-attention from one text to another, teacher forcing, and additive attention beside the dot product.',
  },
  {
    id: 'longer',
    number: 8,
    title: 'Longer',
    description:
      'Online softmax block by block, linear and low-rank attention: their error, time and memory against the number of tokens, measured on your own machine.',
  },
  {
    id: 'check',
    number: 9,
    title: 'Check',
    description:
      'PyTorch’s numbers computed again by your machine, norm by norm. Drop your own arrays, and learn which of the usual mistakes explains them.',
  },
];

/** The chapter that the page without a name opens with. */
export const first = 'attend';

/** The chapter of a route: "/mask" or, of the first, "/". */
export function chapterOf(route: string): Chapter | undefined {
  const id = route === '/' ? first : route.slice(1);
  return chapters.find((chapter) => chapter.id === id);
}
