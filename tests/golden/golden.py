"""Helpers for the scripts that make golden data.

Inputs are not stored: they come from a seed, the same bits here as from tril::Random with fill_uniform(view, random,
-1, 1) in C++. Outputs are computed by PyTorch in float64 from those float32 inputs, rounded to float32 once and
stored as .npy.
"""

import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent
MULTIPLIER, INCREMENT = np.uint64(6364136223846793005), np.uint64(1442695040888963407)


class Random:
    """PCG32, as in core/tril/foundation/random.h: all arithmetic is modulo 2^64."""

    def __init__(self, seed):
        with np.errstate(over='ignore'):
            self.state = (INCREMENT + np.uint64(seed)) * MULTIPLIER + INCREMENT

    def bits(self, count):
        with np.errstate(over='ignore'):
            # state_k = M^k state_0 + I (M^0 + ... + M^(k-1))
            powers = np.cumprod(np.full(count, MULTIPLIER), dtype=np.uint64)
            before = np.concatenate([[np.uint64(1)], powers[:-1]])
            states = powers * self.state + INCREMENT * np.cumsum(before, dtype=np.uint64)
            old = np.concatenate([[self.state], states[:-1]])
            self.state = states[-1]
        mixed = (((old >> np.uint64(18)) ^ old) >> np.uint64(27)).astype(np.uint32)
        turn = (old >> np.uint64(59)).astype(np.uint32)
        return (mixed >> turn) | (mixed << ((np.uint32(32) - turn) & np.uint32(31)))

    def uniform(self, *shape):
        """Uniform numbers in [-1, 1), multiples of 2^-23, which are exact in float32."""
        count = int(np.prod(shape))
        draws = (self.bits(count) >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23)
        return (draws - np.float32(1)).reshape(shape)


def save(path, array):
    """Stores `array` (anything NumPy takes) as float32 in tests/golden/`path`.npy."""
    target = FOLDER / f'{path}.npy'
    target.parent.mkdir(parents=True, exist_ok=True)
    np.save(target, np.ascontiguousarray(np.asarray(array), dtype=np.float32))
