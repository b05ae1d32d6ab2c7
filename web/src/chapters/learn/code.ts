// The head's gradients as a program: NumPy step by step from the end to the beginning, and PyTorch, whose autograd
// finds the same.
import { beginning, targets, x } from '../../compute/shared/handmade/learn-head';
import type { StepResult, Trained } from '../../compute/worker/lessons/learn';
import { matrixOf } from '../../figures/graph';
import { below, numpyProgram, torchProgram } from '../../figures/code';

export function stepCode({ rate, steps }: Trained, { values }: StepResult) {
  const about = `A head, its loss, and the gradients of its weights after ${steps} steps`;
  const inputs = { x, ...beginning };
  const expected = below(...['dwq', 'dwk', 'dwv'].map((node) => matrixOf(values, node)));
  return {
    numpy: () =>
      numpyProgram({
        ...{ about, inputs, expected },
        steps: `def softmax(rows):
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
target = [${targets.join(', ')}]
places = range(len(x))
root = np.sqrt(np.float32(wq.shape[0]))
hidden = np.triu(np.ones((len(x), len(x)), bool), 1)
for step in range(${steps} + 1):
    q, k, v = x @ wq.T, x @ wk.T, x @ wv.T
    weights = softmax(np.where(hidden, -inf, q @ k.T / root).astype(np.float32))
    said = softmax(weights @ v)
    print(f"{step}: {-np.log(said[places, target]).mean():.4f}")
    d_output = said.copy()
    d_output[places, target] -= 1
    d_output /= len(x)
    d_weights, d_v = d_output @ v.T, weights.T @ d_output
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=1, keepdims=True))
    d_q, d_k = d_scores @ k / root, d_scores.T @ q / root
    gradients = [d_q.T @ x, d_k.T @ x, d_v.T @ x]
    if step < ${steps}:
        wq, wk, wv = [w - np.float32(${rate}) * d for w, d in zip([wq, wk, wv], gradients)]`,
        result: 'np.concatenate(gradients)',
      }),
    pytorch: () =>
      torchProgram({
        ...{ about, inputs, expected },
        steps: `weights = [wq, wk, wv]
for w in weights:
    w.requires_grad_()
target = torch.tensor([${targets.join(', ')}])
hidden = torch.ones(len(x), len(x)).triu(1).bool()
for step in range(${steps} + 1):
    for w in weights:
        w.grad = None
    q, k, v = x @ wq.T, x @ wk.T, x @ wv.T
    scores = (q @ k.T / k.shape[1] ** 0.5).masked_fill(hidden, -inf)
    output = scores.softmax(dim=1) @ v
    loss = torch.nn.functional.cross_entropy(output, target)
    loss.backward()
    print(f"{step}: {loss.item():.4f}")
    if step < ${steps}:
        with torch.no_grad():
            for w in weights:
                w -= ${rate} * w.grad`,
        result: `torch.cat([w.grad for w in weights])`,
      }),
  };
}
