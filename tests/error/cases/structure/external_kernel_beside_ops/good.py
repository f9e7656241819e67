import pypto.language as pl


@pl.jit.extern(core_type="aiv", source="scale.cpp")
def scale(x: pl.Tensor, y: pl.Out[pl.Tensor]) -> pl.Tensor: ...


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],
):
    part = x[0:4, :]
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        y = scale(part, y)
