// Names of the comparisons in chapter "Check", separate from the code that computes them, since the page needs only the
// names.

type BackwardKind = 'attentionBackward' | 'linearBackward';
export type CheckKind = 'attention' | 'multiHead' | 'block' | BackwardKind;
export const isBackward = (kind: CheckKind): kind is BackwardKind => kind.endsWith('Backward');

export const attentionGradients = ['d_q', 'd_k', 'd_v'] as const;
export const linearGradients = ['d_x', 'd_weight', 'd_bias'] as const;
export const gradientNames = [...attentionGradients, ...linearGradients] as const;
export type AttentionGradient = (typeof attentionGradients)[number];
export type LinearGradient = (typeof linearGradients)[number];
export type GradientName = (typeof gradientNames)[number];

/** The mistakes of the opening cases, in their order: each leaves another pattern. */
export const bugs = [
  ...(['noScale', 'hidesItself', 'softmaxOverQueries'] as const),
  ...(['noMask', 'keysForValues', 'maskAfterSoftmax'] as const),
] as const;
export type Bug = (typeof bugs)[number];
/** The mistake of a case, by its number from 1. */
export const bugOf = (number: number): Bug => bugs[(number - 1) % bugs.length];

/** The mistakes of a backward pass that a sample can contain. */
export const backwardMistakes = [
  ...(['backwardNoScale', 'jacobianDiagonal', 'jacobianNoSum', 'jacobianNone'] as const),
  ...(['backwardNoMask', 'backwardTransposed'] as const),
] as const;
export type BackwardMistake = (typeof backwardMistakes)[number];
export const isBackwardMistake = (id: string): id is BackwardMistake =>
  (backwardMistakes as readonly string[]).includes(id);
