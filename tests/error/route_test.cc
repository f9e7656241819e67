// Which memories an op can read and write, the ways between them, and the cores of a scope.
#include "case.h"

namespace error_test {
namespace {

using enum MemorySpace;

std::vector<Case> loads_and_moves() {
  return {
      {.name = "load_into_left",
       .codes = {"load-target"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile left = load(a, {0, 0}, {16, 64}, {.target = t.bad ? Left : Mat}, t.at("load"));
             assemble(y, matmul(left, b), {0, 0});
           },
       .message = R"(error: load from GM into Left
  at {load}, program demo, scope "s", load = pl.load(a, [0, 0], [16, 64], target_memory=pl.MemorySpace.Left)
  a load from GM can only land in Vec or Mat
  help: load into Mat and move the tile from there
)"},

      {.name = "transposed_load_into_vec",
       .codes = {"load-transpose"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {64, 16}, F32);
             auto core = p.incore("s");
             Tile turned = load(x, {0, 0}, t.bad ? Shape{64, 16} : Shape{16, 64},
                                {.target = Vec, .transpose = t.bad}, t.at("load"));
             assemble(y, t.bad ? turned : transpose(turned), {0, 0});
           },
       .message = R"(error: transposed load into Vec
  at {load}, program demo, scope "s", load = pl.load(x, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec, transpose=True)
  only a load into Mat can transpose
  help: use target Mat, or transpose() the tile
)"},

      {.name = "load_of_a_tile",
       .codes = {"load-tile"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {8, 64}, F32);
             auto core = p.incore("s");
             Tile e = exp(x).named("e");
             Tile half = t.bad ? load(e, {8, 0}, {8, 64}, {}, t.at("load")) : slice(e, {8, 64}, {8, 0});
             assemble(y, half, {0, 0});
           },
       .message = R"(error: load of e, which is a tile of this scope
  at {load}, program demo, scope "s", load = pl.load(e, [8, 0], [8, 64], target_memory=pl.MemorySpace.Vec)
  load brings a GM tensor on chip
  help: use slice or move
)"},

      {.name = "move_from_vec_to_left",
       .codes = {"route"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile staged = load(a, {0, 0}, {16, 64}, {.target = t.bad ? Vec : Mat}).named("staged");
             assemble(y, matmul(move(staged, Left, t.at("move")), b), {0, 0});
           },
       .message = R"(error: move of staged from Vec to Left
  at {move}, program demo, scope "s", move = pl.move(staged, target_memory=pl.MemorySpace.Left)
  a2a3 has no direct way from Vec to Left
  help: GM loads land in Vec or Mat; Mat feeds Left and Right; Acc drains to GM
)"},

      {.name = "move_to_global_memory",
       .codes = {"tile-space"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(y, move(exp(x), t.bad ? GM : Vec, t.at("move")), {0, 0});
           },
       .message = R"(error: move of a tile to GM
  at {move}, program demo, scope "s", move = pl.move(exp, target_memory=pl.MemorySpace.GM)
  a tile lives in a memory of its core; GM is reached by load and store
  help: make a tensor outside the scope and assemble into it
)"},

      {.name = "vector_op_on_a_cube_operand",
       .codes = {"route"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile staged = load(x, {0, 0}, {16, 64}, {.target = t.bad ? Mat : Vec}).named("staged");
             assemble(y, exp(staged, t.at("exp")), {0, 0});
           },
       .message = R"(error: staged is in Mat and exp needs it in Vec
  at {exp}, program demo, scope "s", exp = pl.exp(staged)
  a2a3 has no way from Mat to Vec
  help: make or load it in Vec, or pass it through GM between two scopes
)"},

      {.name = "store_from_mat",
       .codes = {"route"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile staged = load(x, {0, 0}, {16, 64}, {.target = t.bad ? Mat : Vec}).named("staged");
             assemble(y, staged, {0, 0}, t.at("store"));
           },
       .message = R"(error: staged is in Mat and store needs it in Vec
  at {store}, program demo, scope "s", y = pl.store(staged, [0, 0], y)
  a2a3 has no way from Mat to Vec
  help: make or load it in Vec, or pass it through GM between two scopes
)"},
  };
}

std::vector<Case> results() {
  return {
      {.name = "accumulator_also_written_by_add",
       .codes = {"accumulator"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor resid = p.input("resid", {16, 32}, F32);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile acc = p.accumulator({16, 32});
             if (t.bad)
               assign(acc, add(resid, 1.0, t.at("add")));
             else
               assign(acc, matmul(a, b));
             matmul_acc(acc, a, b);
             assemble(y, t.bad ? acc : add(acc, resid), {0, 0});
           },
       .message = R"(error: accumulator acc is also written by add
  at {add}, program demo, scope "s", acc = pl.add(resid_whole, 1.0)
  matmul_acc adds in the cube's own memory; nothing but a matmul, or a fill with zero, can put a value there
  help: start the chain with matmul, or add(x, matmul(a, b)) in vector memory
)"},

      {.name = "accumulator_that_starts_at_one",
       .codes = {"accumulator-init"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile acc = p.full({16, 32}, F32, t.bad ? 1.0 : 0.0, t.at("full")).named("acc");
             matmul_acc(acc, a, b);
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: accumulator acc starts at 1
  at {full}, program demo, scope "s", acc = pl.full([16, 32], dtype=pl.FP32, value=1.0)
  the cube can clear its accumulator but not fill it with a number
  help: start with matmul or full(0), and add the number afterwards
)"},

      {.name = "accumulator_that_starts_at_a_runtime_number",
       .codes = {"accumulator-init"},
       .program =
           [](Builder& p, Twin& t) {
             const Scalar start = p.float_scalar("start");
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile acc = p.full({16, 32}, F32, t.bad ? start : 0.0, t.at("full")).named("acc");
             matmul_acc(acc, a, b);
             assemble(y, t.bad ? acc : add(acc, start), {0, 0});
           },
       .message = R"(error: accumulator acc starts at a number known only at run time
  at {full}, program demo, scope "s", acc = pl.full([16, 32], dtype=pl.FP32, value=start)
  the cube can clear its accumulator but not fill it with a number
  help: start with matmul or full(0), and add the number afterwards
)"},

      {.name = "accumulation_in_vec",
       .codes = {"accumulator"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile acc = p.tile({16, 32}, F32, t.bad ? Vec : Acc).named("acc");
             assign(acc, p.full({16, 32}, F32, 0.0));
             matmul_acc(acc, a, b, {}, t.at("matmul"));
             assemble(y, acc, {0, 0});
           },
       .message = R"(error: matmul_acc adds to acc, a tile in Vec
  at {matmul}, program demo, scope "s", acc = pl.matmul_acc(acc, a_whole, b_whole)
  matmul_acc adds in the cube's own memory, Acc
  help: make the tile with p.accumulator
)"},

      {.name = "vector_result_in_acc",
       .codes = {"result-space"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile e = p.tile({16, 64}, F32, t.bad ? Acc : Vec).named("e");
             assign(e, exp(x, t.at("exp")));
             assemble(y, e, {0, 0});
           },
       .message = R"(error: exp writes e, a tile in Acc
  at {exp}, program demo, scope "s", e = pl.exp(x_whole)
  vector ops write Vec and matmuls write Acc; only loads and moves reach the other memories
  help: make the result where its op writes, and move it
)"},

      {.name = "product_in_mat",
       .codes = {"result-space"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.incore("s");
             Tile product = p.tile({16, 32}, F32, t.bad ? Mat : Acc).named("product");
             assign(product, matmul(a, b, {}, t.at("matmul")));
             if (!t.bad) assemble(y, product, {0, 0});
             if (t.bad) assign(y, p.full({16, 32}, F32, 0.0));
           },
       .message = R"(error: matmul writes product, a tile in Mat
  at {matmul}, program demo, scope "s", product = pl.matmul(a_whole, b_whole, out_dtype=pl.FP32)
  vector ops write Vec and matmuls write Acc; only loads and moves reach the other memories
  help: make the result where its op writes, and move it
)"},
  };
}

std::vector<Case> levels() {
  return {
      {.name = "matmul_on_the_vector_core",
       .codes = {"level-core"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor a = p.input("a", {16, 64}, BF16);
             Tensor b = p.weight("b", {64, 32}, BF16);
             Tensor y = p.output("y", {16, 32}, F32);
             auto core = p.at(t.bad ? Level::AIV : Level::AIC, "s");
             assemble(y, matmul(load(a, {0, 0}, {16, 64}, {.target = Mat}, t.at("load")), b), {0, 0});
           },
       .message = R"(error: cube work in a scope at level AIV
  at {load}, program demo, scope "s", b_whole = pl.load(b, [0, 0], [64, 32], target_memory=pl.MemorySpace.Mat)
  AIC is the cube core and AIV the vector core
  help: use CORE_GROUP, which takes both
)"},

      {.name = "exp_on_the_cube_core",
       .codes = {"level-core"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.at(t.bad ? Level::AIC : Level::CoreGroup, "s");
             Tile part = slice(x, {16, 64}, {0, 0}, {}, t.at("slice")).named("part");
             assemble(y, exp(part), {0, 0});
           },
       .message = R"(error: vector work in a scope at level AIC
  at {slice}, program demo, scope "s", part = pl.load(x, [0, 0], [16, 64], target_memory=pl.MemorySpace.Vec)
  AIC is the cube core and AIV the vector core
  help: use CORE_GROUP, which takes both
)"},
  };
}

}  // namespace

std::vector<Case> route_cases() {
  std::vector<Case> all = loads_and_moves();
  for (const auto& group : {results(), levels()}) all.insert(all.end(), group.begin(), group.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Route, ErrorCase, testing::ValuesIn(route_cases()), case_name);

}  // namespace error_test
