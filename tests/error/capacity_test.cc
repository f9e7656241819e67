// Everything alive in a scope fits its core's memories, machine by machine; and the operand budgets
// of the tilelet contract.
#include "case.h"

namespace error_test {
namespace {

// y = exp(x) for one tile of `columns` columns; what is alive is that tile.
std::function<void(Builder&, Twin&)> one_tile(int64_t bad_columns, int64_t good_columns) {
  return [=](Builder& p, Twin& t) {
    const Shape shape = {16, t.bad ? bad_columns : good_columns};
    Tensor x = p.input("x", shape, F32);
    Tensor y = p.output("y", shape, F32);
    auto core = p.incore("s");
    Tile part = slice(x, shape, {0, 0}, {}, t.at("slice")).named("part");
    assemble(y, exp(part, t.at("exp")), {0, 0});
  };
}

// y = a @ b in one piece.
std::function<void(Builder&, Twin&)> one_matmul(Shape bad_mkn, Shape good_mkn) {
  return [=](Builder& p, Twin& t) {
    const Shape& d = t.bad ? bad_mkn : good_mkn;
    Tensor a = p.input("a", {d[0], d[1]}, BF16);
    Tensor b = p.weight("b", {d[1], d[2]}, BF16);
    Tensor y = p.output("y", {d[0], d[2]}, F32);
    auto core = p.incore("s");
    assemble(y, matmul(a, b, {}, t.at("matmul")), {0, 0});
  };
}

std::vector<Case> vector_memory() {
  return {
      {.name = "vec_of_a2a3_where_a5_has_room",
       .codes = {"capacity"},
       .program = one_tile(3200, 3200),
       .message = R"(error: Vec buffer overflow in scope "s": 204800 bytes needed, 196608 available on a2a3 (188416 safe)
  at {slice}, program demo, scope "s", tile part [16 x 3200] f32 = 200 KiB
    alive at the peak  tile              bytes  place
    part               [16 x 3200] f32  204800  {slice}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [8 x 3200] fits
)",
       .setup = {.good_platform = "a5"}},

      {.name = "vec_of_a5",
       .codes = {"capacity"},
       .program = one_tile(4096, 3584),
       .message = R"(error: Vec buffer overflow in scope "s": 262144 bytes needed, 253952 available on a5 (245760 safe)
  at {slice}, program demo, scope "s", tile part [16 x 4096] f32 = 256 KiB
    alive at the peak  tile              bytes  place
    part               [16 x 4096] f32  262144  {slice}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [8 x 4096] fits
)",
       .setup = {.platform = "a5"}},

      {.name = "vec_of_a2a3_above_the_safe_limit",
       .step = Step::Hazards,
       .codes = {"capacity-unsafe"},
       .program = one_tile(3000, 2900),
       .message = R"(warning: Vec buffer use above the safe limit in scope "s": 192000 bytes needed, 196608 available on a2a3 (188416 safe)
  at {slice}, program demo, scope "s", tile part [16 x 3000] f32 = 187.5 KiB
    alive at the peak  tile              bytes  place
    part               [16 x 3000] f32  192000  {slice}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [8 x 3000] fits
)"},

      {.name = "vec_of_a5_above_the_safe_limit",
       .step = Step::Hazards,
       .codes = {"capacity-unsafe"},
       .program = one_tile(3900, 3800),
       .message = R"(warning: Vec buffer use above the safe limit in scope "s": 249600 bytes needed, 253952 available on a5 (245760 safe)
  at {slice}, program demo, scope "s", tile part [16 x 3900] f32 = 243.8 KiB
    alive at the peak  tile              bytes  place
    part               [16 x 3900] f32  249600  {slice}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [8 x 3900] fits
)",
       .setup = {.platform = "a5"}},

      // A question of kernel authors: in a scope this is a tile, in the orchestrator it would be GM.
      {.name = "residual_made_inside_the_scope",
       .codes = {"capacity"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 8192}, F32);
             Tensor y = p.output("y", {16, 8192}, F32);
             const auto normalise = [&](const Tensor& resid) {
               for (Index k : p.range(64)) {
                 Tile block = slice(x, {16, 128}, {0, k * 128}, {}, t.at("block"));
                 assemble(resid, add(block, 1.0), {0, k * 128});
                 assemble(y, slice(resid, {16, 128}, {0, k * 128}), {0, k * 128});
               }
             };
             if (t.bad) {
               auto core = p.incore("post_norm");
               normalise(p.tensor("resid1", {16, 8192}, F32, t.at("resid")));
             } else {
               Tensor resid = p.tensor("resid1", {16, 8192}, F32);
               auto core = p.incore("post_norm");
               normalise(resid);
             }
           },
       .message = R"(error: Vec buffer overflow in scope "post_norm": 532480 bytes needed, 196608 available on a2a3 (188416 safe)
  at {resid}, program demo, scope "post_norm", tile resid1 [16 x 8192] f32 = 512 KiB
    alive at the peak  tile              bytes  place
    resid1             [16 x 8192] f32  524288  {resid}
    slice              [16 x 128] f32     8192  {block}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [4 x 8192] fits; or keep resid1 a GM tensor and slice it
)"},

      {.name = "many_tiles_alive_at_once",
       .codes = {"capacity"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t n = t.bad ? 1024 : 512;
             Tensor x = p.input("x", {16, n}, F32);
             Tensor y = p.output("y", {16, 1}, F32);
             auto core = p.incore("softmax");
             Tile part = slice(x, {16, n}, {0, 0}, {}, t.at("slice")).named("part");
             Tile shifted = sub(part, 1.0, t.at("sub")).named("shifted");
             Tile weights = exp(shifted, t.at("exp")).named("weights");
             Tile total = row_sum(weights, t.at("sum")).named("total");
             Tile sum = add(row_sum(part), row_sum(shifted)).named("sum");
             assemble(y, add(total, sum), {0, 0});
           },
       .message = R"(error: Vec buffer overflow in scope "softmax": 262272 bytes needed, 196608 available on a2a3 (188416 safe)
  at {slice}, program demo, scope "softmax", tile part [16 x 1024] f32 = 64 KiB
    alive at the peak  tile             bytes  place
    part               [16 x 1024] f32  65536  {slice}
    shifted            [16 x 1024] f32  65536  {sub}
    weights            [16 x 1024] f32  65536  {exp}
    weights (scratch)  [16 x 1024] f32  65536  {exp}
    total              [16 x 1] f32       128  {sum}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [8 x 1024] fits
)"},
  };
}

std::vector<Case> cube_memories() {
  return {
      {.name = "acc_of_a2a3_where_a5_has_room",
       .codes = {"capacity"},
       .program = one_matmul({128, 64, 512}, {128, 64, 512}),
       .message = R"(error: Acc buffer overflow in scope "s": 262144 bytes needed, 131072 available on a2a3
  at {matmul}, program demo, scope "s", tile matmul [128 x 512] f32 = 256 KiB
    alive at the peak  tile              bytes  place
    matmul             [128 x 512] f32  262144  {matmul}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [64 x 512] fits
)",
       .setup = {.good_platform = "a5"}},

      {.name = "acc_of_a5",
       .codes = {"capacity"},
       .program = one_matmul({256, 16, 512}, {128, 16, 512}),
       .message = R"(error: Acc buffer overflow in scope "s": 524288 bytes needed, 262144 available on a5
  at {matmul}, program demo, scope "s", tile matmul [256 x 512] f32 = 512 KiB
    alive at the peak  tile              bytes  place
    matmul             [256 x 512] f32  524288  {matmul}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [128 x 512] fits
)",
       .setup = {.platform = "a5"}},

      {.name = "left_operand_too_large",
       .codes = {"capacity"},
       .program = one_matmul({128, 512, 64}, {64, 512, 64}),
       .message = R"(error: Left buffer overflow in scope "s": 131072 bytes needed, 65536 available on a2a3
  at {matmul}, program demo, scope "s", tile a_whole_Left [128 x 512] bf16 = 128 KiB
    alive at the peak  tile               bytes  place
    a_whole_Left       [128 x 512] bf16  131072  {matmul}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [64 x 512] fits
)"},

      {.name = "right_operand_too_large",
       .codes = {"capacity"},
       .program = one_matmul({16, 512, 128}, {16, 512, 64}),
       .message = R"(error: Right buffer overflow in scope "s": 131072 bytes needed, 65536 available on a2a3
  at {matmul}, program demo, scope "s", tile b_whole_Right [512 x 128] bf16 = 128 KiB
    alive at the peak  tile               bytes  place
    b_whole_Right      [512 x 128] bf16  131072  {matmul}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [256 x 128] fits
)"},

      {.name = "staging_in_mat_too_large",
       .codes = {"capacity"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t k = t.bad ? 4096 : 2048;
             Tensor a = p.input("a", {16, k}, BF16);
             Tensor b = p.weight("b", {k, 96}, BF16);
             Tensor y = p.output("y", {16, 96}, F32);
             auto core = p.incore("s");
             Tile all = load(b, {0, 0}, {k, 96}, {.target = MemorySpace::Mat}, t.at("load"));
             Tile first = slice(a, {16, 256}, {0, 0}, {}, t.at("first")).named("first");
             Tile acc = matmul(first, slice(all, {256, 96}, {0, 0}));
             for (Index i : p.range(256, k, 256))
               matmul_acc(acc, slice(a, {16, 256}, {0, i}), slice(all, {256, 96}, {i, 0}));
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: Mat buffer overflow in scope "s": 794624 bytes needed, 524288 available on a2a3
  at {load}, program demo, scope "s", tile load [4096 x 96] bf16 = 768 KiB
    alive at the peak  tile               bytes  place
    load               [4096 x 96] bf16  786432  {load}
    first              [16 x 256] bf16     8192  {first}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [2048 x 96] fits
)"},

      {.name = "bias_of_a2a3_where_a5_has_room",
       .codes = {"capacity"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 512}, BF16);
             Tensor bias = p.weight("bias", {1, 512}, F32);
             Tensor y = p.output("y", {16, 512}, F32);
             auto core = p.incore("s");
             assemble(y, matmul_bias(a, b, bias, {}, t.at("matmul")), {0, 0});
           },
       .message = R"(error: Bias buffer overflow in scope "s": 2048 bytes needed, 1024 available on a2a3
  at {matmul}, program demo, scope "s", tile bias_whole_Bias [1 x 512] f32 = 2 KiB
    alive at the peak  tile           bytes  place
    bias_whole_Bias    [1 x 512] f32   2048  {matmul}
  everything alive in a scope must fit its core's memories at the same time
  help: a tile of [1 x 256] fits
)",
       .setup = {.good_platform = "a5"}},
  };
}

std::vector<Case> pipelines_and_budgets() {
  return {
      {.name = "pipeline_deeper_than_its_memory",
       .step = Step::Hazards,
       .codes = {"pipeline-depth"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 2048}, BF16);
             Tensor b = p.weight("b", {2048, 128}, BF16);
             Tensor y = p.output("y", {16, 128}, F32);
             auto core = p.incore("s", t.at("scope"));
             Tile acc = p.accumulator({16, 128});
             assign(acc, p.full({16, 128}, F32, 0.0));
             for (Index k : p.pipeline(16, {.stages = t.bad ? 16 : 14}))
               matmul_acc(acc, slice(a, {16, 128}, {0, k * 128}), slice(b, {128, 128}, {k * 128, 0}));
             assemble(y, acc, {0, 0});
           },
       .message = R"(note: Mat holds 14 of a pipelined loop's iterations at a time
  at {scope}, program demo, scope "s"
  a pipeline of F stages keeps F copies of every loaded tile
  help: smaller tiles leave room for deeper overlap
)"},

      {.name = "vector_operand_above_its_budget",
       .codes = {"budget", "budget"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t n = t.bad ? 64 : 32;
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             for (Index i : p.parallel(64 / n)) {
               auto core = p.incore("s");
               Tile part = slice(x, {16, n}, {0, i * n}, {}, t.at("slice")).named("part");
               assemble(y, exp(part, t.at("exp")), {0, i * n});
             }
           },
       .message = R"(error: vector operand part [16 x 64] f32 takes 4096 bytes, the budget is 2048
  at {slice}, program demo, scope "s", part = pl.load(x, [0, i * 64], [16, 64], target_memory=pl.MemorySpace.Vec)
  under an operand budget every vector operand or result and every cube operand stays within its number of bytes
  help: use a smaller tile, or raise the budget
error: vector operand exp [16 x 64] f32 takes 4096 bytes, the budget is 2048
  at {exp}, program demo, scope "s", exp = pl.exp(part)
  under an operand budget every vector operand or result and every cube operand stays within its number of bytes
  help: use a smaller tile, or raise the budget
)",
       .setup = {.budget = {.vector = 2048, .cube = 16384}}},

      {.name = "cube_operand_above_its_budget",
       .codes = {"budget"},
       .program = one_matmul({16, 128, 128}, {16, 128, 64}),
       .message = R"(error: cube operand b_whole_Right [128 x 128] bf16 takes 32768 bytes, the budget is 16384
  at {matmul}, program demo, scope "s", b_whole_Right = pl.move(b_whole, target_memory=pl.MemorySpace.Right)
  under an operand budget every vector operand or result and every cube operand stays within its number of bytes
  help: use a smaller tile, or raise the budget
)",
       .setup = {.budget = {.vector = 2048, .cube = 16384}}},
  };
}

}  // namespace

std::vector<Case> capacity_cases() {
  std::vector<Case> all = vector_memory();
  for (const auto& group : {cube_memories(), pipelines_and_budgets()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Capacity, ErrorCase, testing::ValuesIn(capacity_cases()), case_name);

}  // namespace error_test
