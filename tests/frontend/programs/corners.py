# What the grammar allows and few files use: one construct after the other, each with a value that the
# test computes again.
import os
import math
import pypto.language as pl
from typing import (
    Any,  # comments inside brackets
    Optional,
)

"""A string as a statement is a comment."""

N = 32
TILE, HALF = 16, 8
BIG = 66_132_544
SMALL = -3.402823e38
FLAG = N > TILE and not False
CHOICE = 4 if FLAG else 8
FROM_ENVIRONMENT = int(os.environ.get("TILEWRIGHT_NO_SUCH_NAME", "2"))
POWER = 2 ** 5
MODULO = -7 % 4
FLOOR = -7 // 2
TABLE = [1, 2, 4]
UNREADABLE = {"a": {1, 2}}
LOGGER = print


class NotAProgram:
    x: int = 1

    def method(self):
        return f"{self.x!r:>{10}}"


def helper(a, *args, b=1, **kwargs):
    while True:
        try:
            a += 1; b -= 1
        except (ValueError, TypeError) as e:
            raise
        finally:
            pass
        if a \
           > 3:
            break
    return [x for x in args if x], {**kwargs}, lambda q: q @ a


@pl.program
class Corners:
    @pl.function
    def corners(
        self,
        x: pl.Tensor[[N, N], pl.FP32],
        counts: pl.Tensor[(4,), pl.INT32],
        flag: pl.Scalar[pl.BOOL],
        y: pl.Out[pl.Tensor[[N, N], pl.FP32]],
        z: pl.InOut[pl.Tensor[[N, N], pl.FP32]],
        total: pl.Out[pl.Tensor[[1, N], pl.FP32]],
    ):
        """Each block below is one corner."""
        assert N % TILE == 0
        # A tuple of constants, a copy of a constant, and arithmetic on them.
        rows, cols = N // 2, N - TILE
        half = HALF
        shape = [rows, cols]
        # Python decides a branch on constants.
        if CHOICE == 4 and FLAG:
            factor = 0.5
        else:
            factor = undefined_name

        for r0 in pl.parallel(0, N, rows):
            for c0 in pl.parallel(0, N, cols):
                with pl.at(level=pl.Level.CORE_GROUP, name_hint='single quotes'):
                    t = pl.slice(x, shape, (r0, c0),)
                    t = pl.mul(t, factor)
                    t2 = pl.add(2.0, t)  # a number on the left of an operation that commutes
                    y = pl.assemble(y, t2, [r0, c0])

        # A value that only one branch changes, decided by a scalar parameter.
        with pl.incore():
            base = pl.slice(z, [N, N], [0, 0])
            if flag:
                base = pl.mul(base, -1.0)
            z = pl.assemble(z, base, [0, 0])

        # elif, and/or/not on run-time values, a loop-carried integer and a loop-carried tile.
        with pl.incore():
            acc = pl.full([1, N], dtype=pl.FP32, value=0)
            row = 0
            for i in pl.range(4):
                n = pl.tensor.read(counts, [i])
                if n == 0 or i >= 3:
                    step = 1
                elif n > 1 and not i == 2:
                    step = 2
                else:
                    step = 3
                acc = pl.add(acc, x[row, 0:N])
                row = row + step
            # while, break and continue.
            k = 0
            while k < N:
                k = k + 1
                if k % 2 == 1:
                    continue
                if k > 6:
                    break
                acc = pl.add(acc, pl.cast(pl.slice(x, [1, N], [k, 0]), target_type=pl.FP32))
            # The last trip's value is read after the loop.
            for _ in pl.range(FROM_ENVIRONMENT):
                for _ in pl.range(2):
                    last = pl.slice(x, [1, N], [TABLE[1] + _, 0])
            acc = pl.maximum(acc, last)
            total = pl.assemble(total, acc, [0, 0])
        return y, z, total
