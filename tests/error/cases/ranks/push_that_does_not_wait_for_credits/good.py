import pypto.language as pl
import pypto.language.distributed as pld


@pl.jit
def step(
    x: pl.Tensor[[16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    data: pld.DistributedTensor[[16, 64], pl.FP32],
    signal: pld.DistributedTensor[[2, 1], pl.INT32],
    my_rank: pl.Scalar[pl.INT32],
):
    credit = None
    for epoch in pl.range(3):
        with pl.spmd(4, name_hint="push", deps=[credit]) as push:
            block = pl.tile.get_block_idx()
            pld.tensor.put(
                data, peer=1 - my_rank, src=x,
                dst_offsets=[block * 4, 0], src_offsets=[block * 4, 0], shape=[4, 64],
            )
            pld.system.notify(
                signal, peer=1 - my_rank, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
            )
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="take", deps=[push]) as take:
            pld.system.wait(
                signal, offsets=[1 - my_rank, 0], expected=epoch * 5 + 4, cmp=pld.WaitCmp.Ge
            )
            y = pl.store(pl.load(data, [0, 0], [16, 64]), [0, 0], y)
            pld.system.notify(
                signal, peer=1 - my_rank, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
            )
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="credit", deps=[take]) as credit:
            pld.system.wait(
                signal, offsets=[1 - my_rank, 0], expected=epoch * 5 + 5, cmp=pld.WaitCmp.Ge
            )


@pl.jit.host
def host(
    x: pl.Tensor[[2, 16, 64], pl.FP32],
    y: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]],
):
    data_buffer = pld.alloc_window_buffer([16, 64], dtype=pl.FP32)
    signal_buffer = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        data = pld.window(data_buffer, [16, 64], dtype=pl.FP32)
        signal = pld.window(signal_buffer, [2, 1], dtype=pl.INT32)
        step(x[r], y[r], data, signal, r, device=r)
