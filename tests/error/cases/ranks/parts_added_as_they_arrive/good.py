import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit.incore
def step(
    x: pl.Tensor[[1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[1, 64], pl.FP32]],
    data: pld.DistributedTensor[[2, 64], pl.FP32],
    signal: pld.DistributedTensor[[2, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
    for peer in pl.range(2):
        pld.tensor.put(
            data, peer=peer, src=x, dst_offsets=[my_rank, 0], src_offsets=[0, 0], shape=[1, 64]
        )
    pld.tensor.barrier(signal)
    first = pl.load(data, [0, 0], [1, 64])
    second = pl.load(data, [1, 0], [1, 64])
    pl.store(pl.add(first, second), [0, 0], y)


@pl.jit.host
def host(
    x: pl.Tensor[[2, 1, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 1, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer([2, 64], dtype=pl.FP32)
    signal_buffer = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [2, 64], dtype=pl.FP32)
        signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
        step(x[r], y[r], data, signal, r, device=r)
