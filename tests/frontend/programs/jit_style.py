# Functions instead of a class: @pl.jit at module level, an inline helper that writes into its argument,
# a kernel called by its bare name, windows on the left side, and names that change their type.
import math

import pypto.language as pl

ROWS = 32
COLS = 0x40
TILE = 16
SCALE = 1.0 / math.sqrt(COLS)
assert ROWS % TILE == 0


@pl.jit.incore
def scale_rows(x: pl.Tensor, out: pl.Out[pl.Tensor], row: pl.Scalar[pl.INDEX], factor: pl.Scalar[pl.FP32]):
    t = pl.load(x, [row, 0], [TILE, COLS])
    t = pl.mul(pl.cast(t, target_type=pl.FP32), factor)
    out = pl.store(t, [row, 0], out)
    return out


@pl.jit.inline
def add_bias(y: pl.Tensor, bias: pl.Tensor):
    for r in pl.range(0, ROWS, TILE):
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="add_bias"):
            y[r : r + TILE, :] = pl.col_expand_add(y[r : r + TILE, :], bias[:, :])


@pl.jit(auto_scope=False)
def scaled_softmax(
    x: pl.Tensor[[ROWS, COLS], pl.BF16],
    bias: pl.Tensor[[1, COLS], pl.FP32],
    factor: pl.Scalar[pl.FP32],
    y: pl.Out[pl.Tensor[[ROWS, COLS], pl.FP32]],
):
    scaled = pl.create_tensor([ROWS, COLS], dtype=pl.FP32)
    for r in pl.parallel(0, ROWS, TILE):
        scaled = scale_rows(x, scaled, row=r, factor=factor)
    add_bias(scaled, bias)
    with pl.scope():
        for i in pl.spmd(ROWS // TILE, name_hint="softmax"):
            t = scaled[i * TILE : (i + 1) * TILE, :]
            t = pl.mul(t, SCALE)
            top = pl.row_max(t)
            e = pl.exp(pl.row_expand_sub(t, top))
            y[i * TILE : (i + 1) * TILE, :] = pl.row_expand_div(e, pl.row_sum(e))
    return y


def build_specs():
    return [
        TensorSpec("x", [ROWS, COLS], torch.bfloat16, init_value=torch.randn),
        TensorSpec("bias", [1, COLS], torch.float32, init_value=torch.rand),
        ScalarSpec("factor", torch.float32, 0.5),
        TensorSpec("y", [ROWS, COLS], torch.float32, is_output=True),
    ]
