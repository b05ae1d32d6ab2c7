"""A training step in turns with PyTorch's: nanoGPT's recipe (Karpathy 2022) and a model seven times as large.

  python3 wasm/bench/peers/training.py [--threads N] [--rounds N] [--program build/native/native/bench/tril_bench] [--json]

`npm run bench:peers -- --where native` runs it with --json, which prints a line for each model with its times in milliseconds: processor time on one
thread, elapsed time on several. Needs python3-torch and a built tril_bench.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time

# Some machines set this for everyone, which hides AVX-512 from OpenBLAS.
os.environ.pop("OPENBLAS_CORETYPE", None)
parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--rounds", type=int, default=7)
parser.add_argument("--program", default="build/native/native/bench/tril_bench")
parser.add_argument("--seconds", type=float, default=0.5, help="how long each of both takes in a round, at least")
parser.add_argument("--json", action="store_true")
parser.add_argument("--only", choices=["nanogpt", "larger"])
arguments = parser.parse_args()
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(arguments.threads)

import torch
from torch import nn
from torch.nn import functional as F

SIZES = {
    "nanogpt": {"layers": 4, "heads": 4, "width": 128, "context": 64, "batch": 12, "vocabulary": 65},
    "larger": {"layers": 6, "heads": 8, "width": 256, "context": 256, "batch": 8, "vocabulary": 4096},
}


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Layer(nn.Module):
    def __init__(self, width, heads, context, activation):
        super().__init__()
        self.heads, self.activation = heads, activation
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.hidden, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("mask", torch.full((context, context), -math.inf).triu(1))

    def forward(self, x):
        batch, time, width = x.shape
        split = lambda each: each.view(batch, time, self.heads, -1).transpose(1, 2)
        q, k, v = map(split, self.attend(self.norm1(x)).split(width, 2))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + self.mask
        heads = (torch.softmax(scores, -1) @ v).transpose(1, 2).reshape(batch, time, width)
        x = x + self.project(heads)
        return x + self.out(self.activation(self.hidden(self.norm2(x))))


class Model(nn.Module):
    def __init__(self, sizes, activation):
        super().__init__()
        width, context = sizes["width"], sizes["context"]
        self.tokens, self.positions = nn.Embedding(sizes["vocabulary"], width), nn.Embedding(context, width)
        self.layers = nn.Sequential(
            *(Layer(width, sizes["heads"], context, activation) for _ in range(sizes["layers"]))
        )
        self.norm = nn.LayerNorm(width)
        for each in self.parameters():
            if each.dim() > 1:
                nn.init.normal_(each, 0, 0.02)

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        logits = F.linear(self.norm(self.layers(x)), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def pytorch_step(sizes, activation):
    torch.manual_seed(1)
    model = Model(sizes, activation)
    matrices = [each for each in model.parameters() if each.dim() > 1]
    vectors = [each for each in model.parameters() if each.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))
    stream = torch.randint(sizes["vocabulary"], (100000,))

    def step():
        starts = torch.randint(len(stream) - sizes["context"], (sizes["batch"],)).tolist()
        ids = torch.stack([stream[at : at + sizes["context"]] for at in starts])
        targets = torch.stack([stream[at + 1 : at + 1 + sizes["context"]] for at in starts])
        optimizer.zero_grad(set_to_none=True)
        model(ids, targets).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def pytorch_time(step, least=arguments.seconds):
    clock = time.process_time if arguments.threads == 1 else time.perf_counter
    calls, begin = 0, clock()
    while clock() - begin < least:
        step()
        calls += 1
    return (clock() - begin) / calls


def tril_time(name):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run(
            [
                arguments.program,
                f"--benchmark_filter=training/{name}/{arguments.threads}_threads",
                "--benchmark_repetitions=1",
                f"--benchmark_min_time={arguments.seconds}",
                f"--benchmark_out={report.name}",
                "--benchmark_out_format=json",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        run = json.load(open(report.name))["benchmarks"][0]
    return run["cpu_time" if arguments.threads == 1 else "real_time"] * 1e-9, run["FLOP/s"], run["tokens/s"]


torch.set_num_threads(arguments.threads)
if not arguments.json:
    print(f"PyTorch {torch.__version__}, {arguments.threads} threads, {arguments.rounds} rounds: median (smallest to largest)")
for name, sizes in SIZES.items():
    if arguments.only not in (None, name):
        continue
    # The fastest of its ways to compute the activation.
    steps = [pytorch_step(sizes, gelu), pytorch_step(sizes, F.gelu), pytorch_step(sizes, lambda x: F.gelu(x, approximate="tanh"))]
    step = min(steps, key=lambda each: (each(), pytorch_time(each, 0.2))[1])
    peer, own, flops, tokens = [], [], [], []
    for _ in range(arguments.rounds):
        peer.append(pytorch_time(step))
        seconds, rate, per_second = tril_time(name)
        own.append(seconds), flops.append(rate), tokens.append(per_second)
    if arguments.json:
        times = {"Tril": own, f"PyTorch {torch.__version__}": peer}
        milliseconds = {subject: [1e3 * each for each in seconds] for subject, seconds in times.items()}
        print(json.dumps({"name": name, "times": milliseconds}), flush=True)
        continue
    ratios = [a / b for a, b in zip(own, peer)]
    show = lambda values: f"{statistics.median(values):.3g} ({min(values):.3g} to {max(values):.3g})"
    print(f"{name}: Tril {show([1e3 * each for each in own])} ms, PyTorch {show([1e3 * each for each in peer])} ms,")
    print(f"  ratio {show(ratios)}; Tril {show([each / 1e9 for each in flops])} GFLOP/s, {show(tokens)} tokens/s", flush=True)
