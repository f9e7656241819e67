import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def step(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    data: pld.DistributedTensor[[1, 64], pl.FP32],
    signal: pld.DistributedTensor[[2, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
    own = pl.load(x, [0, 0], [1, 64])
    pl.store(own, [0, 0], data)
    pld.system.notify(
        signal, peer=1 - my_rank, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
    )
    pld.system.notify(
        signal, peer=my_rank, offsets=[1 - my_rank, 0], value=-1, op=pld.NotifyOp.AtomicAdd
    )
    pld.system.wait(signal, offsets=[1 - my_rank, 0], expected=1, cmp=pld.WaitCmp.Ge)
    other = pld.tile.remote_load(data, peer=1 - my_rank, offsets=[0, 0], shape=[1, 64])
    pl.store(other, [0, 0], y)


@pl.jit.host
def host(
    x: pl.Tensor[[2, 1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
    signal_buffer = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [1, 64], dtype=pl.FP32)
        signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
        step(x[r], y[r], data, signal, r, device=r)
