import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def step(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    data: pld.DistributedTensor[[4, 64], pl.FP32],
    rows: pld.DistributedTensor[[2, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
    own = pl.load(x, [0, 0], [1, 64])
    pld.system.notify(
        rows, peer=1 - my_rank, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
    )
    pl.store(pl.load(data, [my_rank, 0], [1, 64]), [0, 0], y)


@pl.jit.host
def host(
    x: pl.Tensor[[2, 1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer([4, 64], dtype=pl.FP32)
    rows_buffer = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [4, 64], dtype=pl.FP32)
        rows = pld.window(rows_buffer, [2, 1], dtype=pl.INT32)
        step(x[r], y[r], data, rows, r, device=r)
