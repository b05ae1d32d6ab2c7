"""The memory that `tril train` takes beside what the formula in README.md says: both, and their ratio.

  python3 native/bench/memory.py [--program build/native/native/cli/tril]

Resident bytes are the most that the system counted (Linux: VmHWM). What the program takes by itself, its libraries
included, is measured with a model of almost nothing. Exits with 1 where a case is off by more than 5 %.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--program", default="build/native/native/cli/tril")
program = str(pathlib.Path(parser.parse_args().program).resolve())

# Layers, heads, heads of keys and values, width, inside feed-forward, context, batch, steps, tokens in the vocabulary:
# 256 are bytes.
CASES = {
    "nothing": ("gpt2", 1, 1, 1, 16, 64, 8, 1, 50, 256),
    "nanoGPT's recipe": ("gpt2", 4, 4, 4, 128, 512, 64, 12, 4, 256),
    "seven times as large": ("gpt2", 6, 8, 8, 256, 1024, 256, 8, 2, 4096),
    "Llama's family": ("llama", 6, 8, 2, 256, 688, 128, 8, 2, 256),
}


def formula(family, layers, heads, kv_heads, C, F, T, batch, steps, V):
    """Bytes, as README.md has them."""
    N, Ek, llama = batch * T, C // heads * kv_heads, family == "llama"
    inner = 2 * F if llama else F
    matrices = C * (C + 2 * Ek) + C * C + C * inner + C * F
    vectors = 2 * C if llama else 4 * C + (C + 2 * Ek) + C + F + C
    outside = 2 * V * C + C if llama else (V + T) * C + 2 * C
    parameters = outside + layers * (matrices + vectors)
    moments = 1 if llama else 2
    saved = layers * (6 * C + 2 * Ek + inner + F + heads + 2 * moments) + 2 * C + moments + V
    working = 2 * C + F + (inner if llama else 0)
    return 16 * parameters + 4 * N * (saved + working)


def measured(folder, name, family, layers, heads, kv_heads, C, F, T, batch, steps, V):
    options = f"--family {family} --layers {layers} --heads {heads} --kv-heads {kv_heads} --width {C} --hidden {F}"
    options += f" --context {T} --batch {batch} --steps {steps} --sample 0 --threads 1"
    options += " --tokenizer bytes" if V == 256 else f" --tokenizer bpe --vocabulary {V}"
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen(
            [program, "train", "--data", f"{folder}/text", "-o", f"{folder}/{name}", *options.split()],
            stdout=nowhere,
            stderr=nowhere,
        )
    # Not what wait4 tells: that counts this script, too, which the child was for a moment.
    most = 0
    while child.poll() is None:
        for line in pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                most = int(line.split()[1]) * 1024
        time.sleep(0.002)
    if child.returncode != 0:
        sys.exit(f"{name}: the program failed")
    tokens = json.loads(pathlib.Path(f"{folder}/{name}/config.json").read_text())["vocab_size"]
    if tokens != V:
        sys.exit(f"{name}: the text has {tokens} tokens, not {V}")
    return most


with tempfile.TemporaryDirectory() as folder:
    # Words of random letters, so that byte-level BPE finds as many tokens as it is asked for.
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(5000)]
    pathlib.Path(f"{folder}/text").write_text(" ".join(draw.choices(words, k=20_000)))
    nothing = measured(folder, "nothing", *CASES["nothing"]) - formula(*CASES["nothing"])
    print(f"the program by itself: {nothing / 1e6:.1f} MB")
    far = False
    for name, case in list(CASES.items())[1:]:
        expected, found = formula(*case) + nothing, measured(folder, name, *case)
        far |= abs(found / expected - 1) > 0.05
        print(f"{name}: formula {expected / 1e6:.1f} MB, measured {found / 1e6:.1f} MB, ratio {found / expected:.3f}")
sys.exit(far)
