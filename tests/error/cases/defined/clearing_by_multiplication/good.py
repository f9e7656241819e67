# Zero times an undefined number is not zero when the number is a NaN.
# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        sum = pl.create_tensor([16, 64], dtype=pl.FP32)
        sum = pl.full([16, 64], dtype=pl.FP32, value=0.0)
        y = pl.assemble(y, sum, [0, 0])
