// Nothing is read before it is written, element by element: in global memory, in tiles, in
// accumulators and in outputs.
#include "case.h"

namespace error_test {
namespace {

std::vector<Case> in_global_memory() {
  return {
      // A padded slab of Q: 16 rows for the cube, 8 of them real.
      {.name = "padded_slab_half_written",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor q = p.input("q", {8, 64}, BF16);
             Tensor k = p.input("k", {32, 64}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             Tensor slab = p.tensor("slab", {16, 64}, BF16);
             {
               auto core = p.incore("pad");
               assemble(slab, slice(q, {8, 64}, {0, 0}), {0, 0}, t.at("write"));
               if (!t.bad) assemble(slab, p.full({8, 64}, BF16, 0.0), {8, 0});
             }
             auto core = p.incore("qk");
             Tile a = slice(slab, {16, 64}, {0, 0}, {}, t.at("read")).named("a");
             assemble(y, matmul(a, k, {.b_trans = true}), {0, 0});
           },
       .message = R"(error: load needs [0:16, 0:64] of slab, but [8:16, 0:64] was never written
  at {read}, program demo, scope "qk", a = pl.load(slab, [0, 0], [16, 64], target_memory=pl.MemorySpace.Mat)
  nothing is read before it is written; it is written at {write}
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "tensor_that_nobody_writes",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor zero = p.tensor("zero", {16, 64}, F32);
             if (!t.bad) {
               auto core = p.incore("clear");
               assign(zero, p.full({16, 64}, F32, 0.0));
             }
             auto core = p.incore("s");
             assemble(y, add(x, slice(zero, {16, 64}, {0, 0}, {}, t.at("read"))), {0, 0});
           },
       .message = R"(error: load needs [0:16, 0:64] of zero, which was never written
  at {read}, program demo, scope "s", slice = pl.load(zero, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  nothing is read before it is written; nothing has written it yet
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "output_read_before_it_is_written",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = t.bad ? p.output("y", {16, 64}, F32) : p.state("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, add(slice(y, {16, 64}, {0, 0}, {}, t.at("read")), x), {0, 0});
           },
       .message = R"(error: load needs [0:16, 0:64] of y, which was never written
  at {read}, program demo, scope "s", slice = pl.load(y, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  nothing is read before it is written; nothing has written it yet
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "loop_that_runs_no_iteration",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor last = p.tensor("last", {16, 64}, F32);
             for (Index i : p.range(t.bad ? n : n + 1)) {
               auto core = p.incore("keep");
               assemble(last, exp(slice(x, {16, 64}, {i * 16, 0})), {0, 0});
             }
             auto core = p.incore("use");
             assemble(y, slice(last, {16, 64}, {0, 0}, {}, t.at("read")), {0, 0});
           },
       .message = R"(error: load needs [0:16, 0:64] of last, which was never written
  at {read}, program demo, scope "use", slice_1 = pl.load(last, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  nothing is read before it is written; nothing has written it yet
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "value_made_on_one_branch",
       .step = Step::Unroll,
       .codes = {"undefined-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto make = [&] {
               auto core = p.incore("make");
               return exp(x).named("e");
             };
             const auto made_if_positive = [&] {
               auto then = p.when(n > 0);
               return make();
             };
             Tensor e = t.bad ? made_if_positive() : make();
             auto core = p.incore("use");
             assemble(y, neg(slice(e, {16, 64}, {0, 0}, {}, t.at("read"))), {0, 0});
           },
       .message = R"(error: e is read before anything has made it
  at {read}, program demo, scope "use", slice = pl.load(e, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  a tensor exists once the statement that makes it has run
  help: make it before the branch or loop that may not run
)"},

      {.name = "value_updated_on_a_path_that_did_not_make_it",
       .step = Step::Unroll,
       .codes = {"undefined-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto make = [&] {
               auto core = p.incore("make");
               Tile both = p.tensor("both", {16, 64}, F32);
               assemble(both, slice(x, {8, 64}, {0, 0}), {0, 0});
               return both;
             };
             const auto made_if_positive = [&] {
               auto then = p.when(n > 0);
               return make();
             };
             Tensor both = t.bad ? made_if_positive() : make();
             {
               auto core = p.incore("update");
               assemble(both, slice(x, {8, 64}, {8, 0}), {8, 0}, t.at("write"));
             }
             if (t.bad) {
               auto core = p.incore("use");
               assign(y, exp(x));
               return;
             }
             auto core = p.incore("use");
             assemble(y, slice(both, {16, 64}, {0, 0}), {0, 0});
           },
       .message = R"(error: both is written before anything has made it
  at {write}, program demo, scope "update", both = pl.store(slice_1, [8, 0], both)
  a tensor exists once the statement that makes it has run
  help: make it before the branch or loop that may not run
)"},

      {.name = "view_of_a_tensor_that_is_not_made",
       .step = Step::Unroll,
       .codes = {"undefined-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             const auto make = [&] {
               auto core = p.incore("make");
               return exp(x).named("e");
             };
             const auto made_if_positive = [&] {
               auto then = p.when(n > 0);
               return make();
             };
             Tensor e = t.bad ? made_if_positive() : make();
             Tensor half = slice(e, {8, 64}, {8, 0}, {}, t.at("view"));
             auto core = p.incore("use");
             assemble(y, neg(half), {0, 0});
           },
       .message = R"(error: e is used before anything has made it
  at {view}, program demo, slice = pl.slice(e, [8, 64], [8, 0])
  a tensor exists once the statement that makes it has run
  help: make it before the branch or loop that may not run
)"},

      {.name = "view_older_than_the_write",
       .step = Step::Unroll,
       .codes = {"stale-view"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache = p.state("cache", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto take = [&] { return slice(cache, {16, 64}, {0, 0}).named("rows"); };
             const auto update = [&] {
               auto core = p.incore("update");
               assemble(cache, exp(x), {0, 0}, t.at("write"));
             };
             const auto use = [&](const Tensor& rows) {
               auto core = p.incore("use");
               assemble(y, neg(slice(rows, {16, 64}, {0, 0}, {}, t.at("read"))), {0, 0});
             };
             if (t.bad) {
               Tensor rows = take();
               update();
               use(rows);
             } else {
               update();
               use(take());
             }
           },
       .message = R"(error: rows was sliced before its tensor was written as cache (at {write})
  at {read}, program demo, scope "use", slice_1 = pl.load(rows, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  after a tensor is updated, a view taken earlier is an old name for new contents and must not be read
  help: take the slice after the write
)"},

      {.name = "half_a_tile_leaves_its_scope",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {8, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto first = [&] {
               auto core = p.incore("first");
               Tile both = p.tensor("both", {16, 64}, F32);
               assemble(both, exp(x), {0, 0}, t.at("write"));
               if (!t.bad) assemble(both, neg(x), {8, 0});
               return both;
             };
             Tensor both = first();
             auto core = p.incore("second");
             assemble(y, slice(both, {16, 64}, {0, 0}, {}, t.at("read")), {0, 0});
           },
       .message = R"(error: load needs [0:16, 0:64] of both, but [8:16, 0:64] was never written
  at {read}, program demo, scope "second", slice = pl.load(both, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  nothing is read before it is written; it is written at {write}
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "scalar_read_of_unwritten_memory",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor counts = p.tensor("counts", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("count");
               assemble(counts, add(slice(lens, {2}, {0}), 1), {0}, t.at("write"));
             }
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, p.read(counts, {t.bad ? 3 : 1}, t.at("read"))));
           },
       .message = R"(error: read needs [0:1, 3:4] of counts, which was never written
  at {read}, program demo, scope "s", counts_value = pl.tensor.read(counts, [3])
  nothing is read before it is written; it is written at {write}
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "add_to_unwritten_memory",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor sum = t.bad ? p.output("sum", {16, 64}, F32) : p.state("sum", {16, 64}, F32);
             auto core = p.incore("s");
             assemble_add(sum, exp(x), {0, 0}, t.at("add"));
           },
       .message = R"(error: assemble_add needs [0:16, 0:64] of sum, which was never written
  at {add}, program demo, scope "s", sum = pl.store(exp, [0, 0], sum, atomic=pl.AtomicType.Add)
  nothing is read before it is written; nothing has written it yet
  help: write all of it first, or slice only the part that is written
)"},

      {.name = "output_partly_written",
       .step = Step::Unroll,
       .codes = {"out-partial"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32, t.at("y"));
             for (Index i : p.parallel(t.bad ? 3 : 4)) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0}, t.at("write"));
             }
           },
       .message = R"(error: output y: 1024 of 4096 elements are never written, the first at [48:64, 0:64]
  at {y}, program demo, parameter y [64 x 64] f32
  an Out parameter is written whole before the program ends; it is written at {write}
  help: cover it with blocks that leave no remainder, or declare it InOut
)"},
  };
}

std::vector<Case> on_chip() {
  return {
      {.name = "tile_half_written",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {8, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile both = p.tensor("both", {16, 64}, F32, t.at("tile"));
             assemble(both, x, {0, 0});
             if (!t.bad) assemble(both, x, {8, 0});
             assemble(y, exp(both, t.at("read")), {0, 0});
           },
       .message = R"(error: exp needs [0:16, 0:64] of both [16 x 64] f32, but [8:16, 0:64] was never written
  at {read}, program demo, scope "s", exp = pl.exp(both)
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      {.name = "slice_of_the_unwritten_half",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {8, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             auto core = p.incore("s");
             Tile both = p.tensor("both", {16, 64}, F32, t.at("tile"));
             assemble(both, x, {0, 0});
             assemble(y, slice(both, {8, 64}, {t.bad ? 4 : 0, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice needs [4:12, 0:64] of both [16 x 64] f32, but [8:12, 0:64] was never written
  at {slice}, program demo, scope "s", slice = pl.slice(both, [8, 64], [4, 0])
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      {.name = "accumulator_never_started",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 256}, BF16);
             Tensor w = p.weight("w", {256, 64}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile acc = p.accumulator({16, 64}, F32, t.at("acc"));
             if (!t.bad) assign(acc, p.full({16, 64}, F32, 0.0));
             for (Index k : p.range(4))
               matmul_acc(acc, slice(x, {16, 64}, {0, k * 64}), slice(w, {64, 64}, {k * 64, 0}), {},
                          t.at("matmul"));
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: matmul_acc needs [0:16, 0:64] of acc [16 x 64] f32, which was never written
  at {matmul}, program demo, scope "s", acc = pl.matmul_acc(acc, slice_1_Left, slice_Right)
  nothing is read before it is written; it is made at {acc}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      // Zero times an undefined number is not zero when the number is a NaN.
      {.name = "clearing_by_multiplication",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile sum = p.tensor("sum", {16, 64}, F32, t.at("tile"));
             if (t.bad)
               assign(sum, mul(sum, 0.0, t.at("mul")));
             else
               assign(sum, p.full({16, 64}, F32, 0.0));
             assemble(y, sum, {0, 0});
           },
       .message = R"(error: mul needs [0:16, 0:64] of sum [16 x 64] f32, which was never written
  at {mul}, program demo, scope "s", sum = pl.mul(sum, 0.0)
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      {.name = "tile_of_an_earlier_trip",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.incore("s");
             const auto make = [&] { return p.tensor("kept", {16, 64}, F32, t.at("tile")); };
             const auto trip = [&](const Index& i, const Tile& kept) {
               {
                 auto then = p.when(i == 0);
                 assign(kept, exp(x));
               }
               assemble(y, neg(kept, t.at("read")), {i * 16, 0});
             };
             if (t.bad) {
               for (Index i : p.range(4)) trip(i, make());
             } else {
               Tile kept = make();
               for (Index i : p.range(4)) trip(i, kept);
             }
           },
       .message = R"(error: neg needs [0:16, 0:64] of kept [16 x 64] f32, which was never written (and 2 more times)
  at {read}, program demo, scope "s", neg = pl.neg(kept)
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      {.name = "add_to_an_unwritten_tile",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile sum = p.tensor("sum", {16, 64}, F32, t.at("tile"));
             if (!t.bad) assign(sum, p.full({16, 64}, F32, 0.0));
             assemble_add(sum, exp(x), {0, 0}, t.at("add"));
             assemble(y, sum, {0, 0});
           },
       .message = R"(error: assemble_add needs [0:16, 0:64] of sum [16 x 64] f32, which was never written
  at {add}, program demo, scope "s", sum = pl.assemble(sum, exp, [0, 0], atomic=pl.AtomicType.Add)
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      // Device data chooses the row, so none is known to be written.
      {.name = "insert_at_a_row_that_data_chooses",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor rows = p.input("rows", {1, 8}, I32);
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Index row = p.read(add(rows, 1), {0, 0});
             Tile all = p.tensor("all", {16, 64}, F32, t.at("tile"));
             if (!t.bad) assign(all, p.full({16, 64}, F32, 0.0));
             assemble(all, x, {row, 0});
             assemble(y, exp(all, t.at("exp")), {0, 0});
           },
       .message = R"(error: exp needs [0:16, 0:64] of all [16 x 64] f32, which was never written
  at {exp}, program demo, scope "s", exp = pl.exp(all)
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},

      {.name = "scalar_read_of_an_unwritten_tile",
       .step = Step::Unroll,
       .codes = {"undefined-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {1, 64}, F32);
             Tensor y = p.output("y", {1, 64}, F32);
             auto core = p.incore("s");
             Tile sums = p.tensor("sums", {1, 2}, F32, t.at("tile"));
             assemble(sums, row_sum(x), {0, 0});
             const Scalar s = p.read_float(sums, {0, t.bad ? 1 : 0}, t.at("read"));
             assemble(y, mul(x, s), {0, 0});
           },
       .message = R"(error: read needs [0:1, 1:2] of sums [1 x 2] f32, which was never written
  at {read}, program demo, scope "s", sums_value = pl.tensor.read(sums, [0, 1])
  nothing is read before it is written; it is made at {tile}
  help: write all of it first; a new tile's contents are undefined, not zero
)"},
  };
}

}  // namespace

std::vector<Case> defined_cases() {
  std::vector<Case> all = in_global_memory();
  const std::vector<Case> more = on_chip();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Defined, ErrorCase, testing::ValuesIn(defined_cases()), case_name);

}  // namespace error_test
