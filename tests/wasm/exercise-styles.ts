// What programs for exercises begin with, and how their mistakes are written down.

export interface Style {
  readonly code: string;
  /** By mistake: what is replaced, and by what. */
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
