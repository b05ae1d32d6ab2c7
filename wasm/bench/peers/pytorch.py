"""PyTorch's part of `npm run bench:peers -- --where native`: a JSON request per line, and an answer to each.

  {"open": CASE, "arrays": {NAME: [FILE, SHAPE]}, "threads": N, "result": FILE}
                                        computes the case once, and writes the result -> {}
  {"time": MILLISECONDS, "rounds": N}   -> {"times": [milliseconds per call, by round]}
"""

import ctypes
import json
import math
import os
import sys
import time

import numpy
import torch


def decoding(about, given):
    scale = 1 / math.sqrt(about["width"])
    return lambda: torch.softmax((given["q"] * scale) @ given["k"].transpose(-2, -1), -1) @ given["v"]


def attention(about, given):
    scale = 1 / math.sqrt(about["width"])
    hidden = torch.full((about["time"], about["time"]), -math.inf).triu(1)

    def compute():
        scores = (given["q"] * scale) @ given["k"].transpose(-2, -1) + hidden
        return torch.softmax(scores, -1) @ given["v"]

    return compute


def attention_backward(about, given):
    """Of an output that is there already; outside of inference mode, which keeps no graph."""
    with torch.inference_mode(False), torch.enable_grad():
        wanted = {name: given[name].clone().requires_grad_() for name in "qkv"}
        out, d_out = attention(about, wanted)(), given["d_out"].clone()

    def compute():
        with torch.inference_mode(False):
            return torch.autograd.grad(out, list(wanted.values()), d_out, retain_graph=True)

    return compute


def block(about, given):
    layer = torch.nn.TransformerEncoderLayer(
        about["width"], about["heads"], about["hidden"], dropout=0, batch_first=True
    )
    weights = {name: value for name, value in given.items() if name != "x"}
    layer.load_state_dict(weights)
    layer.eval()
    return lambda: layer(given["x"])


CASES = {
    "matmul": lambda about, given: lambda: given["a"] @ given["b"],
    "attention": attention,
    "attention backward": attention_backward,
    "decoding": decoding,
    "block": block,
    "softmax": lambda about, given: lambda: torch.softmax(given["x"], -1),
    "layer norm": lambda about, given: lambda: torch.nn.functional.layer_norm(
        given["x"], given["x"].shape[-1:], given["weight"], given["bias"]
    ),
}


def blas_kernels():
    """Which library multiplies, by what is loaded, and what OpenBLAS says that it runs."""
    (torch.ones(8, 8) @ torch.ones(8, 8)).sum()
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if "blas" in line and ".so" in line}
    for path in sorted(loaded):
        try:
            corename = ctypes.CDLL(path).openblas_get_corename
        except (OSError, AttributeError):
            continue
        corename.restype = ctypes.c_char_p
        return f"OpenBLAS, {corename().decode()} kernels ({os.path.realpath(path)})"
    return f"no OpenBLAS, but {', '.join(sorted(map(os.path.realpath, loaded))) or 'its own products'}"


def kernels():
    parallel = [line.strip() for line in torch.__config__.parallel_info().splitlines()]
    backend = next((line for line in parallel if line.startswith("ATen parallel backend")), "")
    built = torch.__config__.show().splitlines()
    capability = next((line.strip(" -") for line in built if "CPU capability" in line), "")
    return [blas_kernels(), *filter(None, [backend, capability])]


def open_case(request):
    torch.set_num_threads(request["threads"])
    about = request["open"]
    given = {
        name: torch.from_numpy(numpy.fromfile(file, numpy.float32).reshape(shape))
        for name, (file, shape) in request["arrays"].items()
    }
    compute = CASES[about["group"]](about, given)
    result = compute()
    if isinstance(result, tuple):
        result = torch.cat([each.flatten() for each in result])
    result.numpy().tofile(request["result"])
    return compute


def batch_time(compute, calls):
    # On one thread the processor's time, so that other work of the machine matters little.
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    begin = clock()
    for _ in range(calls):
        compute()
    return 1e3 * (clock() - begin)


def times(compute, batch, rounds):
    calls = 1
    while (elapsed := batch_time(compute, calls)) < batch:
        calls *= 2
    calls = max(1, math.ceil(calls * batch / elapsed))
    return [batch_time(compute, calls) / calls for _ in range(rounds)]


@torch.inference_mode()
def main():
    compute = None
    print(json.dumps({"version": torch.__version__, "kernels": kernels()}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "open" in request:
                compute = open_case(request)
                answer = {}
            else:
                answer = {"times": times(compute, request["time"], request["rounds"])}
        except Exception as error:  # reported among the peers' failures
            answer = {"failed": str(error).split("\n")[0]}
        print(json.dumps(answer), flush=True)


main()
