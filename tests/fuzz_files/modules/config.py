import sys
from pathlib import Path
import pypto.language as pl
sys.path.insert(0, str(Path(__file__).parent))
from a import CONFIG, tile_of
from pkg import c
from pkg.c import *
import b

N = CONFIG.hidden
TILE = tile_of(N)


@pl.jit
def scale(x: pl.Tensor[[16, N], pl.FP32], y: pl.Out[pl.Tensor[[16, N], pl.FP32]]):
    for i in pl.parallel(0, N, TILE):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
            t = pl.slice(x, [16, TILE], [0, i])
            y = pl.assemble(y, pl.mul(t, c.FACTOR * b.Kind.TWO.value), [0, i])
    return y


def build_tensor_specs(n=N):
    import torch
    return [TensorSpec("x", [16, n], torch.float32, init_value=lambda: torch.rand(16, n) - 0.5),
            TensorSpec("y", [16, n], torch.float32, is_output=True)]
#: a.py
from dataclasses import dataclass, field, replace
import b


@dataclass(frozen=True)
class Config:
    hidden: int = 128
    heads: int = 4
    sizes: list = field(default_factory=lambda: [16, 32])

    @property
    def head(self):
        return self.hidden // self.heads


CONFIG = replace(Config(), hidden=256)


def tile_of(n, *more, limit=64, **others):
    if n % CONFIG.head != 0:
        raise ValueError(f"{n} is no multiple of {CONFIG.head:04d}")
    return min([t for t in (32, *CONFIG.sizes, limit) if n % t == 0 and t > 16])
#: b.py
from enum import Enum, IntEnum
from typing import NamedTuple
import a


class Kind(Enum):
    ONE = 1
    TWO = 2


class Shape(NamedTuple):
    m: int
    n: int = 8


class Base:
    def __init__(self, k):
        self.k = k

    def __getitem__(self, i):
        return self.k * i


class Derived(Base):
    def __init__(self):
        super().__init__(3)


m, *rest = Shape(4), Derived()[2], {k: v for k, v in zip("ab", [1, 2])}
try:
    limit = int("x")
except ValueError:
    limit = -1
while limit < 10:
    limit += 3
#: pkg/__init__.py
from . import c
from .c import FACTOR as SAME
#: pkg/c.py
from ..a import CONFIG
FACTOR = 2.0 if CONFIG.heads > 2 else 0.5
_hidden = {x % 3 for x in range(9)}
