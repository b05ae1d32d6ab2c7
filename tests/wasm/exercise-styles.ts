// The beginnings of programs for exercises, and the form of their mistakes.

export interface Style {
  readonly code: string;
  /** The replaced texts and their replacements, by mistake. */
  readonly mistakes: Readonly<Record<string, readonly (readonly [string, string])[]>>;
}

export const numpySoftmax = `import numpy as np
def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
`;
export const torchHead = `import torch
import torch.nn.functional as F
`;
