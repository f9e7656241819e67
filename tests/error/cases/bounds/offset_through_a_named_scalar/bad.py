# i + (n - i) is n, whatever range i has.
# tilewright: program demo
import pypto.language as pl


@pl.jit
def demo(
    x: pl.Tensor[[4, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[4, 64], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="s"):
        for i in pl.range(4):
            rest = 4 - i
            y = pl.assemble(y, pl.slice(x, [1, 64], [i + rest, 0]), [i, 0])
