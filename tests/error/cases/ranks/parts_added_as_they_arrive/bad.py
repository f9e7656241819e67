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
    for peer in pl.range(2):
        pld.tensor.put(data, peer=peer, src=x, atomic=pld.AtomicType.Add)
    pld.tensor.barrier(signal)
    pl.store(pl.load(data, [0, 0], [1, 64]), [0, 0], y)


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
