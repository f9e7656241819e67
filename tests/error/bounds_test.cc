// Every access stays inside its tensor: proved or refuted from the program alone where that is
// possible, checked with the run-time scalars otherwise.
#include "case.h"

namespace error_test {
namespace {

std::vector<Case> proved() {
  return {
      {.name = "slice_past_the_end",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {8, 64}, {t.bad ? 9 : 8, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice reaches element 16 of dimension 0 of x [16 x 64] f32, which has 16
  at {slice}, program demo, scope "s", slice = pl.slice(x, [8, 64], [9, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "slice_before_the_start",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {8, 64}, {t.bad ? -1 : 0, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice reaches element -1 of dimension 0 of x [16 x 64] f32, which has 16
  at {slice}, program demo, scope "s", slice = pl.slice(x, [8, 64], [-1, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "tile_wider_than_the_tensor",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s");
             const int64_t width = t.bad ? 128 : 64;
             Tile part = slice(x, {16, width}, {0, 0}, {}, t.at("slice"));
             assemble(y, t.bad ? part : concat(part, part), {0, 0});
           },
       .message = R"(error: slice reaches element 127 of dimension 1 of x [16 x 64] f32, which has 64
  at {slice}, program demo, scope "s", slice = pl.slice(x, [16, 128], [0, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "one_iteration_too_many",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {80, 64}, F32);
             for (Index i : p.parallel(5).named("i")) {
               auto core = p.incore("s");
               const Index row = t.bad ? i * 16 : min(i, 3) * 16;
               assemble(y, exp(slice(x, {16, 64}, {row, 0}, {}, t.at("slice"))), {i * 16, 0});
             }
           },
       .message = R"(error: slice reaches element 79 of dimension 0 of x [64 x 64] f32, which has 64
  at {slice}, program demo, scope "s", slice = pl.slice(x, [16, 64], [i * 16, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "countdown_from_the_length",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {4, 64}, F32);
             Tensor y = p.state("y", {1, 64}, F32);
             auto core = p.incore("s");
             for (Index i : p.range(t.bad ? 4 : 3, -1, -1))
               assemble(y, slice(x, {1, 64}, {i, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice reaches element 4 of dimension 0 of x [4 x 64] f32, which has 4
  at {slice}, program demo, scope "s", slice = pl.slice(x, [1, 64], [i, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      // i + (n - i) is n, whatever range i has.
      {.name = "offset_through_a_named_scalar",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {4, 64}, F32);
             Tensor y = p.output("y", {4, 64}, F32);
             auto core = p.incore("s");
             for (Index i : p.range(4)) {
               const Index rest = p.let("rest", (t.bad ? 4 : 3) - i);
               assemble(y, slice(x, {1, 64}, {i + rest, 0}, {}, t.at("slice")), {i, 0});
             }
           },
       .message = R"(error: slice reaches element 4 of dimension 0 of x [4 x 64] f32, which has 4
  at {slice}, program demo, scope "s", slice = pl.slice(x, [1, 64], [i + rest, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "last_block_without_a_valid_shape",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {100, 64}, F32);
             Tensor y = p.output("y", {100, 64}, F32);
             for (Index i : p.parallel(ceil_div(100, 16))) {
               auto core = p.incore("s");
               SliceOptions tail;
               if (!t.bad) tail.valid_shape = {min(16, 100 - i * 16), 64};
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0}, tail, t.at("slice"))), {i * 16, 0});
             }
           },
       .message = R"(error: slice reaches element 111 of dimension 0 of x [100 x 64] f32, which has 100
  at {slice}, program demo, scope "s", slice = pl.slice(x, [16, 64], [i * 16, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "head_that_does_not_exist",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {4, 16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, slice(x, {16, 64}, {t.bad ? 4 : 3, 0, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice reaches element 4 of dimension 0 of x [4 x 16 x 64] f32, which has 4
  at {slice}, program demo, scope "s", slice = pl.slice(x, [16, 64], [4, 0, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "slice_of_a_tile_past_its_end",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile e = exp(x).named("e");
             assemble(y, slice(e, {16, 32}, {0, t.bad ? 33 : 32}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: slice reaches element 64 of dimension 1 of e [16 x 64] f32, which has 64
  at {slice}, program demo, scope "s", slice = pl.slice(e, [16, 32], [0, 33])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      // The window is 64 x 16 in the tensor and 16 x 64 on chip.
      {.name = "transposed_load_past_the_end",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 16}, BF16);
             Tensor x = p.input("x", {t.bad ? 32 : 64, 64}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile b = load(x, {0, 0}, {16, 64}, {.target = MemorySpace::Mat, .transpose = true},
                           t.at("load"));
             assemble(y, matmul(a, b), {0, 0});
           },
       .message = R"(error: load reaches element 63 of dimension 0 of x [32 x 64] bf16, which has 32
  at {load}, program demo, scope "s", load = pl.load(x, [0, 0], [64, 16], target_memory=pl.MemorySpace.Mat, transpose=True)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "view_past_the_end",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             Tensor view = slice(x, {8, 64}, {t.bad ? 12 : 8, 0}, {}, t.at("view"));
             auto core = p.incore("s");
             assemble(y, exp(view), {0, 0});
           },
       .message = R"(error: slice reaches element 19 of dimension 0 of x [16 x 64] f32, which has 16
  at {view}, program demo, slice = pl.slice(x, [8, 64], [12, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "read_past_the_end",
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index n = p.read(lens, {t.bad ? 4 : 3}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: read reaches element 4 of dimension 0 of lens [4] i32, which has 4
  at {read}, program demo, lens_value = pl.tensor.read(lens, [4])
  every access stays inside its tensor
  help: check the index
)"},

      {.name = "product_of_ranges_beyond_64_bits",
       .codes = {"overflow"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {1, 64}, F32);
             auto core = p.incore("s");
             const int64_t far = t.bad ? int64_t{1} << 62 : 1;
             for (Index i : p.range(8))
               assemble(y, slice(x, {1, 64}, {i * far, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: an index expression does not fit in 64 bits
  at {slice}, program demo, scope "s"
  scalar arithmetic is 64-bit and never wraps
  help: check the shapes and offsets
)"},
  };
}

std::vector<Case> unrolled() {
  return {
      {.name = "slice_at_a_runtime_position",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Index row = t.bad ? n : min(n, 48);
             assemble(y, exp(slice(x, {16, 64}, {row, 0}, {}, t.at("slice"))), {0, 0});
           },
       .message = R"(error: load reaches elements 60 to 75 of dimension 0 of x [64 x 64] f32, which has 64
  at {slice}, program demo, scope "s", slice = pl.load(x, [n, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)",
       .setup = {.scalars = {{"n", 60}}}},

      {.name = "context_longer_than_the_cache",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {2}, I32);
             Tensor cache = p.input("cache", {64, 64}, F32);
             Tensor y = p.output("y", {2, 64}, F32);
             for (Index b : p.parallel(2).named("b")) {
               const Index length = p.read(lens, {b});
               auto core = p.incore("sum");
               Tile sum = p.full({1, 64}, F32, 0.0);
               for (Index k : p.range(ceil_div(t.bad ? length : min(length, 64), 16)))
                 assign(sum, add(sum, col_sum(slice(cache, {16, 64}, {k * 16, 0}, {}, t.at("slice")))));
               assemble(y, sum, {b, 0});
             }
           },
       .message = R"(error: load reaches elements 64 to 79 of dimension 0 of cache [64 x 64] f32, which has 64 (and 1 more time)
  at {slice}, program demo, scope "sum", slice = pl.load(cache, [i * 16, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)",
       .setup = {.data = {{"lens", {30, 90}}}}},

      {.name = "every_task_reaches_past_the_end",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index i : p.parallel(4)) {
               auto core = p.incore("s");
               const Index column = t.bad ? n : 0;
               assemble(y, exp(slice(x, {16, 64}, {i * 16, column}, {}, t.at("slice"))), {i * 16, 0});
             }
           },
       .message = R"(error: load reaches elements 1 to 64 of dimension 1 of x [64 x 64] f32, which has 64 (and 3 more times)
  at {slice}, program demo, scope "s", slice = pl.load(x, [i * 16, n], [16, 64], target_memory=pl.MemorySpace.Vec)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)",
       .setup = {.scalars = {{"n", 1}}}},

      {.name = "assemble_past_the_end",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.state("y", {64, 64}, F32);
             auto core = p.incore("s");
             assemble(y, exp(x), {t.bad ? 56 : 48, 0}, t.at("assemble"));
           },
       .message = R"(error: store reaches elements 56 to 71 of dimension 0 of y [64 x 64] f32, which has 64
  at {assemble}, program demo, scope "s", y = pl.store(exp, [56, 0], y)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "assemble_past_the_end_of_a_tile",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {8, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile both = p.full({16, 64}, F32, 0.0).named("both");
             assemble(both, exp(x), {t.bad ? 12 : 8, 0}, t.at("assemble"));
             assemble(y, both, {0, 0});
           },
       .message = R"(error: assemble reaches elements 12 to 19 of dimension 0 of both [16 x 64] f32, which has 16
  at {assemble}, program demo, scope "s", both = pl.assemble(both, exp, [12, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)"},

      {.name = "view_at_a_runtime_position",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor view = slice(x, {16, 64}, {t.bad ? n : min(n, 48), 0}, {}, t.at("view"));
             auto core = p.incore("s");
             assemble(y, exp(view), {0, 0});
           },
       .message = R"(error: slice reaches elements 60 to 75 of dimension 0 of x [64 x 64] f32, which has 64
  at {view}, program demo, slice = pl.slice(x, [16, 64], [n, 0])
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)",
       .setup = {.scalars = {{"n", 60}}}},

      {.name = "transposed_load_at_a_runtime_position",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor a = p.input("a", {16, 16}, BF16);
             Tensor x = p.input("x", {128, 16}, BF16);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile b = load(x, {t.bad ? n : 0, 0}, {16, 64},
                           {.target = MemorySpace::Mat, .transpose = true}, t.at("load"));
             assemble(y, matmul(a, b), {0, 0});
           },
       .message = R"(error: load reaches elements 100 to 163 of dimension 0 of x [128 x 16] bf16, which has 128
  at {load}, program demo, scope "s", load = pl.load(x, [n, 0], [64, 16], target_memory=pl.MemorySpace.Mat, transpose=True)
  every access stays inside its tensor
  help: check the offset and the tile; a last partial block needs a valid shape of min(tile, remaining)
)",
       .setup = {.scalars = {{"n", 100}}}},

      {.name = "read_at_a_runtime_position",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index row = p.scalar("row");
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index n = p.read(lens, {t.bad ? row : min(row, 3)}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: read reaches element 7 of dimension 0 of lens [4] i32, which has 4
  at {read}, program demo, lens_value = pl.tensor.read(lens, [row])
  every access stays inside its tensor
  help: check the index
)",
       .setup = {.scalars = {{"row", 7}}}},

      {.name = "read_in_a_scope_at_a_runtime_position",
       .step = Step::Unroll,
       .codes = {"bounds"},
       .program =
           [](Builder& p, Twin& t) {
             const Index row = p.scalar("row");
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const Index n = p.read(lens, {t.bad ? row : max(row, 0)}, t.at("read"));
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: read reaches element -1 of dimension 0 of lens [4] i32, which has 4
  at {read}, program demo, scope "s", lens_value = pl.tensor.read(lens, [row])
  every access stays inside its tensor
  help: check the index
)",
       .setup = {.scalars = {{"row", -1}}}},
  };
}

}  // namespace

std::vector<Case> bounds_cases() {
  std::vector<Case> all = proved();
  const std::vector<Case> more = unrolled();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Bounds, ErrorCase, testing::ValuesIn(bounds_cases()), case_name);

}  // namespace error_test
