// One step of the head as a program of PyTorch, whose autograd finds the same gradients.
import { beginning, targets, x } from '../../compute/handmade/learn-head';
import type { StepResult, Trained } from '../../compute/lessons/learn';
import { below, torchProgram } from '../../figures/code';

export function stepCode({ rate, steps }: Trained, { gradients }: StepResult) {
  const { wq, wk, wv } = gradients;
  return {
    pytorch: () =>
      torchProgram({
        about: `A head, its loss, and the gradients of its weights after ${steps} steps`,
        inputs: { x, ...beginning },
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
        expected: below(wq, wk, wv),
      }),
  };
}
