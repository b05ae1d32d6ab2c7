"""PyTorch's modules with the dropout of core/tril/layers/dropout.h: they drop the same elements."""

import contextlib
from unittest import mock

import numpy as np
import torch
from torch.nn import functional

GOLDEN_RATIO = 0x9E3779B97F4A7C15


def kept(seed, rows, cols, p):
    """The factors of all elements: 0 or 1 / (1 - p)."""
    with np.errstate(over='ignore'):
        keys = np.uint64(seed % 2**64) + np.uint64(GOLDEN_RATIO) * np.arange(1, rows + 1, dtype=np.uint64)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys = (keys ^ (keys >> np.uint64(31)))[:, None]
        key1, key2 = keys.astype(np.uint32), (keys >> np.uint64(32)).astype(np.uint32)
        drawn = np.arange(cols, dtype=np.uint32) * np.uint32(0x9E3779B1) + key1
        drawn ^= drawn >> np.uint32(16)
        drawn *= np.uint32(0x7FEB352D)
        drawn = (drawn ^ (drawn >> np.uint32(15)) ^ key2) * np.uint32(0x846CA68B)
        drawn ^= drawn >> np.uint32(16)
    return torch.from_numpy((drawn >= np.uint32(p * 2**32)) * np.float64(np.float32(1 / (1 - p))))


@contextlib.contextmanager
def dropout_as_ours(seed):
    """Replaces the dropout of modules, one after another, by that at the places of DropoutPlaces."""
    place = 0

    def dropout(x, p=0.5, training=True, inplace=False):
        nonlocal place
        place += 1
        return x * kept(seed + GOLDEN_RATIO * place, x.numel() // x.shape[-1], x.shape[-1], p).view_as(x)

    with mock.patch.object(functional, 'dropout', dropout):
        yield
