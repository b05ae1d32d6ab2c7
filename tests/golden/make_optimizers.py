"""Makes the references of tests/core/training_golden_test.cc for optimizers: /usr/bin/python3 make_optimizers.py,
with Debian's python3-torch.

  training/adamw  50 steps of torch.optim.AdamW with clipping and a warm-up followed by a cosine: the rates, then the
                  norms, then all values after steps 1, 10 and 50
  training/sgd    20 steps of torch.optim.SGD with momentum: all values after steps 1 and 20
"""

import torch
from torch import nn

from golden import Random, save
from make_gradients import tensor


def adamw():
    random = Random(560)
    matrix, vector = tensor(random, 5, 7), tensor(random, 7)
    options = {'lr': 2e-2, 'betas': (0.9, 0.99), 'eps': 1e-8}
    groups = [{'params': [matrix], 'weight_decay': 0.1}, {'params': [vector], 'weight_decay': 0.0}]
    optimizer = torch.optim.AdamW(groups, **options)
    warmup, steps, lowest = 10, 50, 2e-3
    schedule = torch.optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            torch.optim.lr_scheduler.LinearLR(optimizer, 1 / (warmup + 1), 1.0, warmup),
            torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps - warmup, lowest),
        ],
        [warmup],
    )
    rates, norms, values = [], [], []
    for step in range(1, steps + 1):
        # Half the squared distance to a point that is drawn again in each step.
        for parameter in (matrix, vector):
            drawn_to = torch.from_numpy(random.uniform(*parameter.shape)).double()
            parameter.grad = (parameter - drawn_to).detach()
        norms.append(nn.utils.clip_grad_norm_([matrix, vector], 4.0).item())
        rates.append(optimizer.param_groups[0]['lr'])
        optimizer.step()
        schedule.step()
        if step in (1, 10, 50):
            values += matrix.flatten().tolist() + vector.tolist()
    save('training/adamw', rates + norms + values)


def sgd():
    random = Random(561)
    matrix, vector = tensor(random, 5, 7), tensor(random, 7)
    groups = [{'params': [matrix], 'weight_decay': 0.1}, {'params': [vector], 'weight_decay': 0.0}]
    optimizer = torch.optim.SGD(groups, lr=2e-2, momentum=0.9)
    values = []
    for step in range(1, 21):
        for parameter in (matrix, vector):
            drawn_to = torch.from_numpy(random.uniform(*parameter.shape)).double()
            parameter.grad = (parameter - drawn_to).detach()
        optimizer.step()
        if step in (1, 20):
            values += matrix.flatten().tolist() + vector.tolist()
    save('training/sgd', values)


if __name__ == '__main__':
    print('PyTorch', torch.__version__)
    adamw()
    sgd()
