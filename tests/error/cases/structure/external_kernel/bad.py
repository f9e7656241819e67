import pypto.language as pl


@pl.jit.extern(core_type="aiv", source="double.cpp")
def double(x: pl.Tensor, y: pl.Out[pl.Tensor]) -> pl.Tensor: ...


@pl.jit
def demo(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    y = double(x, y)
