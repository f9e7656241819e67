import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def step(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    data: pld.DistributedTensor[[1, 64], pl.FP32],
    signal: pld.DistributedTensor[[3, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
    own = pl.load(x, [0, 0], [1, 64])
    pl.store(own, [0, 0], data)
    pld.tensor.barrier(signal)
    total = pld.tile.remote_load(data, peer=0, offsets=[0, 0], shape=[1, 64])
    for peer in pl.range(1, 3):
        part = pld.tile.remote_load(data, peer=peer, offsets=[0, 0], shape=[1, 64])
        total = pl.add(total, part)
    pl.store(total, [0, 0], y)


@pl.jit.host
def host(
    x: pl.Tensor[[3, 1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[3, 1, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer([1, 64], dtype=pl.FP32)
    signal_buffer = pld.alloc_window_buffer([3, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [1, 64], dtype=pl.FP32)
        signal = pld.window(signal_buffer, [3, 1], dtype=pl.INT32)
        step(x[r], y[r], data, signal, r, device=r)
