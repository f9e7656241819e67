# A paged cache with sizes that are only named: pl.dynamic dimensions, tensor.dim, scalar casts, reads of
# a page table and a slot mapping, and a tensor whose size follows from a dynamic one.
import pypto.language as pl

BATCH_MAX = 8
HEAD_DIM = 64
PAGE = 16
PAGES_PER_ROW = 4
BATCH = pl.dynamic("BATCH")
POOL = pl.dynamic("POOL")
ROW_TILE = 4


def build_gather_program(head_dim: int = HEAD_DIM):
    @pl.program
    class Gather:
        @pl.function(type=pl.FunctionType.Opaque)
        def gather(
            self,
            new_rows: pl.Tensor[[BATCH, head_dim], pl.FP32],
            slot_mapping: pl.Tensor[[BATCH], pl.INT32],
            block_table: pl.Tensor[[BATCH * PAGES_PER_ROW], pl.INT32],
            pool: pl.Tensor[[POOL, head_dim], pl.FP32],
            out: pl.Out[pl.Tensor[[BATCH, head_dim], pl.FP32]],
        ) -> pl.Tensor[[BATCH, head_dim], pl.FP32]:
            batch = pl.tensor.dim(new_rows, 0)
            tiles = (batch + ROW_TILE - 1) // ROW_TILE
            padded = pl.create_tensor([tiles * ROW_TILE, head_dim], dtype=pl.FP32)
            for b in pl.range(batch):
                slot = pl.cast(pl.tensor.read(slot_mapping, [b]), pl.INDEX)
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="write_cache"):
                    pool = pl.assemble(pool, pl.slice(new_rows, [1, head_dim], [b, 0]), [slot, 0])
            for b in pl.range(batch):
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum_pages"):
                    total = pl.full([1, head_dim], dtype=pl.FP32, value=0.0)
                    for p in pl.range(PAGES_PER_ROW):
                        page = pl.read(block_table, [b * PAGES_PER_ROW + p])
                        rows = pl.slice(pool, [PAGE, head_dim], [pl.cast(page, pl.INDEX) * PAGE, 0])
                        total = pl.add(total, pl.col_sum(rows))
                    padded = pl.assemble(padded, total, [b, 0])
            for t in pl.range(tiles):
                with pl.at(level=pl.Level.CORE_GROUP, name_hint="copy_out"):
                    rows = pl.min(ROW_TILE, batch - t * ROW_TILE)
                    tile = pl.slice(padded, [ROW_TILE, head_dim], [t * ROW_TILE, 0], valid_shape=[rows, head_dim])
                    out = pl.assemble(out, tile, [t * ROW_TILE, 0])
            return out

    return Gather


def build_tensor_specs(batch: int = 6, pages: int = PAGES_PER_ROW):
    import torch

    pool = batch * pages * PAGE

    def init_table():
        return torch.arange(batch * pages)

    def init_slots():
        slots = []
        for b in range(batch):
            slots.append(b * PAGE)
        return torch.tensor(slots, dtype=torch.int32)

    return [
        TensorSpec("new_rows", [batch, HEAD_DIM], torch.float32, init_value=torch.rand),
        TensorSpec("slot_mapping", [batch], torch.int32, init_value=init_slots),
        TensorSpec("block_table", [batch * pages], torch.int32, init_value=init_table),
        TensorSpec("pool", [pool, HEAD_DIM], torch.float32, init_value=torch.randn),
        TensorSpec("out", [batch, HEAD_DIM], torch.float32, is_output=True),
    ]
