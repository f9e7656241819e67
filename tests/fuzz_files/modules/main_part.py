import argparse
import math
import torch
import pypto.language as pl
from golden import run, TensorSpec, ScalarSpec
from a import build

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--fast", action="store_true")
    args = parser.parse_args()
    lens = torch.arange(8, dtype=torch.int32).reshape(2, 4)[1]
    specs = [TensorSpec("x", [args.rows, 64], torch.float32, init_value=torch.randn),
             TensorSpec("lens", [4], torch.int32, init_value=lambda: lens),
             TensorSpec("y", [args.rows, 64], torch.float32, is_output=True)]
    run(build(args.rows), specs, rtol=1e-3, atol=1e-3)


def build(rows, cols=64):
    @pl.program
    class Sum:
        @pl.function(type=pl.FunctionType.Opaque)
        def sum(self, x: pl.Tensor[[rows, cols], pl.FP32], lens: pl.Tensor[[4], pl.INT32],
                y: pl.Out[pl.Tensor[[rows, cols], pl.FP32]]) -> pl.Tensor[[rows, cols], pl.FP32]:
            n = pl.tensor.read(lens, [0])
            for i in pl.range(0, rows, 16):
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum"):
                    t = pl.add(x[i:i + 16, :], pl.exp(x[i:i + 16, :]))
                    if n > 2:
                        t = pl.mul(t, 2.0)
                    y[i:i + 16, :] = t
            return y

    return Sum
#: a.py
def build(*sizes):
    return None
