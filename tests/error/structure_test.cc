// What may stand where: scopes, loops, branches, parameters, and what belongs to one program.
#include "case.h"

namespace error_test {
namespace {

// Builds `work` inside a scope, or bare for the bad twin.
template <class Work>
void in_scope_unless_bad(Builder& p, Twin& t, Work&& work) {
  if (t.bad) {
    work();
    return;
  }
  auto core = p.incore("s");
  work();
}

std::vector<Case> scopes() {
  return {
      {.name = "op_outside_any_scope",
       .codes = {"outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             in_scope_unless_bad(p, t, [&] { assemble(y, exp(x, t.at("exp")), {0, 0}); });
           },
       .message = R"(error: exp outside any scope
  at {exp}, program demo, exp = pl.exp(x)
  the orchestrator only creates, slices, reshapes, assembles and reads scalars; arithmetic runs on a core
  help: put it in a scope: auto core = p.incore("name");
)"},

      {.name = "assign_outside_any_scope",
       .codes = {"outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {32, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             in_scope_unless_bad(p, t, [&] {
               assign(y, slice(x, {16, 64}, {16, 0}), t.at("assign"));
             });
           },
       .message = R"(error: assign outside any scope
  at {assign}, program demo, y = slice
  the orchestrator only creates, slices, reshapes, assembles and reads scalars; arithmetic runs on a core
  help: put it in a scope: auto core = p.incore("name");
)"},

      {.name = "tile_outside_any_scope",
       .codes = {"tile-outside-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor between = t.bad ? p.tile({16, 64}, F32, MemorySpace::Vec, t.at("tile"))
                                    : p.tensor("between", {16, 64}, F32);
             {
               auto core = p.incore("first");
               assemble(between, exp(x), {0, 0});
             }
             auto core = p.incore("second");
             assemble(y, exp(between), {0, 0});
           },
       .message = R"(error: on-chip tile in Vec outside any scope
  at {tile}, program demo, tile = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.Vec)
  a tile lives on a core and so inside a scope
  help: move it into the scope that uses it, or make it a GM tensor with p.tensor
)"},

      {.name = "tile_in_global_memory",
       .codes = {"tile-space"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             Tile e = p.tile({16, 64}, F32, t.bad ? MemorySpace::GM : MemorySpace::Vec, t.at("tile"));
             assemble(e, exp(x), {0, 0});
             assemble(y, e, {0, 0});
           },
       .message = R"(error: tile in GM
  at {tile}, program demo, scope "s", tile = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.MemorySpace.GM)
  a tile lives in a memory of its core; GM is reached by load and store
  help: make a tensor outside the scope and assemble into it
)"},

      {.name = "scope_inside_a_scope",
       .codes = {"nested-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto body = [&] {
               auto inner = p.incore("inner", t.at("inner"));
               assemble(y, exp(x), {0, 0});
             };
             if (t.bad) {
               auto outer = p.incore("outer");
               assemble(y, exp(x), {0, 0});
               body();
             } else {
               body();
             }
           },
       .message = R"(error: scope "inner" inside a scope
  at {inner}, program demo, scope "outer"
  one scope is one task; a scope cannot start another
  help: close the outer scope first; values cross between scopes through GM
)"},

      {.name = "spmd_inside_a_scope",
       .codes = {"nested-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             const auto body = [&] {
               for (Index b : p.spmd(4, {.name = "blocks"}, t.at("spmd")))
                 assemble(y, exp(slice(x, {16, 64}, {b * 16, 0})), {b * 16, 0});
             };
             if (t.bad) {
               auto outer = p.incore("outer");
               body();
             } else {
               body();
             }
           },
       .message = R"(error: spmd inside a scope
  at {spmd}, program demo, scope "outer"
  one scope is one task; a scope cannot start another
  help: close the outer scope first; values cross between scopes through GM
error: scalar i is used outside the scope that makes it
  at tests/error/structure_test.cc:120, program demo, scope "blocks", scalar i
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
error: scalar i is used outside the scope that makes it
  at tests/error/structure_test.cc:120, program demo, scope "blocks", scalar i
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
)"},

      {.name = "scope_for_the_host",
       .codes = {"level"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.at(t.bad ? Level::Host : Level::AIV, "s", {}, t.at("scope"));
             assemble(y, exp(x), {0, 0});
           },
       .message = R"(error: scope at level HOST
  at {scope}, program demo, scope "s"
  a device scope runs on the cores of one cluster
  help: use CORE_GROUP, or AIC / AIV to insist on one kind of core
)"},

      {.name = "valid_shape_of_a_view",
       .codes = {"valid-view"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const SliceOptions eight{.valid_shape = {8, 64}};
             Tensor view = slice(x, {16, 64}, {0, 0}, t.bad ? eight : SliceOptions{}, t.at("view"));
             auto core = p.incore("s");
             assemble(y, fillpad(slice(view, {16, 64}, {0, 0}, eight), Pad::Zero), {0, 0});
           },
       .message = R"(error: slice with a valid shape outside any scope
  at {view}, program demo, slice = pl.slice(x, [16, 64], [0, 0], valid_shape=[8, 64])
  outside a scope a slice is a view of GM; what is valid belongs to the tile that a scope loads
  help: slice exactly the part that is real, or give the valid shape inside the scope
)"},

      {.name = "assemble_that_costs_a_task",
       .step = Step::Hazards,
       .codes = {"assemble-copies"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {32, 64}, F32);
             Tensor part = p.tensor("part", {16, 64}, F32);
             {
               auto core = p.incore("make");
               assemble(part, exp(x), {0, 0});
             }
             assemble(y, part, {0, 0}, t.at("copy"));
             auto core = p.incore("rest");
             assemble(y, exp(slice(t.bad ? part : x, {16, 64}, {0, 0})), {16, 0});
           },
       .message = R"(note: assemble of part costs a copy task of 4 KiB
  at {copy}, program demo, y = pl.assemble(y, part, [0, 0])
  an orchestrator assemble is free only when its source is made by scopes, placed once, and not used afterwards
  help: assemble inside the scope that makes the value
)"},
  };
}

std::vector<Case> loops() {
  return {
      {.name = "chunk_outside_an_auto_scope",
       .codes = {"chunk-outside-auto"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             const int64_t chunk = t.bad ? 2 : 0;
             for (Index i : p.parallel(4, {.chunk = chunk}, t.at("loop"))) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
             }
           },
       .message = R"(error: chunk=2 outside an auto scope
  at {loop}, program demo, parallel loop
  chunk tells an auto scope how many iterations make one task
  help: wrap the loop in auto_incore, or use a parallel loop with a step outside and a range inside the scope
)"},

      {.name = "negative_chunk",
       .codes = {"chunk"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.auto_incore("s");
             for (Index i : p.parallel(4, {.chunk = t.bad ? -2 : 2}, t.at("loop")))
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
           },
       .message = R"(error: chunk of -2
  at {loop}, program demo, scope "s", parallel loop
  a chunk is a positive number of iterations per task
  help: use a chunk of 1 or more
)"},

      {.name = "break_in_parallel",
       .codes = {"break-parallel"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {64, 64}, F32);
             const auto body = [&](const Index& i) {
               {
                 auto stop = p.when(i == 2);
                 p.break_loop(t.at("break"));
               }
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
             };
             if (t.bad)
               for (Index i : p.parallel(4)) body(i);
             else
               for (Index i : p.range(4)) body(i);
           },
       .message = R"(error: break inside parallel
  at {break}, program demo
  iterations of an unordered loop have no 'next': only ordered loops can be cut
  help: use range, or guard the body with when()
)"},

      {.name = "break_in_unroll",
       .codes = {"break-unroll"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {64, 64}, F32);
             auto core = p.incore("s");
             const auto body = [&](const Index& i) {
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
               auto stop = p.when(i == 2);
               p.break_loop(t.at("break"));
             };
             if (t.bad)
               for (Index i : p.unroll(4)) body(i);
             else
               for (Index i : p.range(4)) body(i);
           },
       .message = R"(error: break inside unroll
  at {break}, program demo, scope "s"
  unroll becomes copies of its body, and no loop is left to cut
  help: use range, or guard the body with when()
)"},

      {.name = "break_in_a_chunked_loop",
       .codes = {"break-chunk"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {64, 64}, F32);
             auto core = p.auto_incore("s");
             for (Index i : p.range(4, {.chunk = t.bad ? 2 : 0})) {
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
               auto stop = p.when(i == 2);
               p.break_loop(t.at("break"));
             }
           },
       .message = R"(error: break in a range with chunk=2
  at {break}, program demo, scope "s"
  each chunk is a task of its own, and leaving one does not stop the next
  help: drop the chunk, or guard the body with when()
)"},

      {.name = "break_of_a_loop_around_the_scope",
       .codes = {"break-outside"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.state("y", {64, 64}, F32);
             for (Index i : p.range(4)) {
               {
                 auto core = p.incore("s");
                 assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
                 if (t.bad) p.break_loop(t.at("break"));
               }
               if (!t.bad) p.break_loop();
             }
           },
       .message = R"(error: break outside a loop
  at {break}, program demo, scope "s"
  break belongs to the innermost loop of its scope
  help: remove it, or move it into the loop
)"},

      {.name = "pipeline_outside_any_scope",
       .codes = {"pipeline-outside"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             const auto body = [&](const Index& i) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
             };
             if (t.bad)
               for (Index i : p.pipeline(4, {.stages = 2}, t.at("loop"))) body(i);
             else
               for (Index i : p.parallel(4)) body(i);
           },
       .message = R"(error: pipeline outside any scope
  at {loop}, program demo, pipeline loop
  pipeline overlaps the loads of one core with its work
  help: use range or parallel in the orchestrator
)"},

      {.name = "pipeline_of_no_stages",
       .codes = {"pipeline-stages"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.incore("s");
             for (Index i : p.pipeline(4, {.stages = t.bad ? 0 : 2}, t.at("loop")))
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
           },
       .message = R"(error: pipeline with 0 stages
  at {loop}, program demo, scope "s", pipeline loop
  a pipeline keeps one or more iterations in flight
  help: use 2 stages
)"},

      {.name = "unroll_to_a_runtime_number",
       .codes = {"unroll-bounds"},
       .program =
           [](Builder& p, Twin& t) {
             p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.incore("s");
             for (Index i : p.unroll(4, t.at("loop")))
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
           },
       .message = R"(error: unroll with bounds that are not constants
  at {loop}, program demo, scope "s", unroll loop
  unroll is expanded when the program is compiled
  help: use range for bounds known only at run time
)",
       .edit =
           [](ir::Program& p) {
             auto* loop = p.body[0].as<ir::Scope>()->body[0].as<ir::For>();
             loop->stop = ir::Expr::var(p.params[0].var);
           }},

      {.name = "unroll_of_a_million_statements",
       .codes = {"unroll-size"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.state("y", {16, 64}, F32);
             auto core = p.incore("s");
             for (Index i : p.unroll(t.bad ? 400 : 4, t.at("outer")))
               for (Index j : p.unroll(t.bad ? 900 : 9))
                 assemble(y, add(mul(x, i), j), {0, 0});
           },
       .message = R"(error: unroll of 400 iterations of 2700 statements
  at {outer}, program demo, unroll loop
  unroll copies its body, into at most 1000000 statements
  help: use range
)"},

      {.name = "loop_that_does_not_move",
       .codes = {"loop-step"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index i : p.range(0, 64, t.bad ? 0 : 16, {}, t.at("loop"))) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {t.bad ? 0 : i, 0})), {t.bad ? 0 : i, 0});
             }
           },
       .message = R"(error: loop with step 0
  at {loop}, program demo, range loop
  a loop moves towards its end
  help: use a step of 1
)"},

      {.name = "parallel_inside_a_plain_scope",
       .step = Step::Hazards,
       .codes = {"parallel-in-scope"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             const auto body = [&](const Index& i) {
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
             };
             auto core = p.incore("s");
             if (t.bad)
               for (Index i : p.parallel(4, {}, t.at("loop"))) body(i);
             else
               for (Index i : p.range(4)) body(i);
           },
       .message = R"(warning: parallel loop inside a plain scope
  at {loop}, program demo, scope "s", parallel loop
  one scope execution is one task on one core, so its loops run in order there
  help: put the parallel loop outside the scope, or use an auto scope with chunk
)"},

      {.name = "cpp_break_out_of_a_tile_loop",
       .step = Step::Build,
       .codes = {"cpp-break"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index i : p.range(4, {}, t.at("loop"))) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
               if (t.bad) break;
             }
           },
       .message = R"(error: a C++ break or return left a tile loop
  at {loop}, program demo
  the body of a tile loop is traced once; leaving it early would drop ops
  help: use p.break_loop() for a break in the program, or an if around the rest
)"},

      {.name = "otherwise_without_when",
       .step = Step::Build,
       .codes = {"else"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const auto write = [&](double v) {
               auto core = p.incore("s");
               assemble(y, add(x, v), {0, 0});
             };
             if (!t.bad) {
               auto then = p.when(n > 0);
               write(1.0);
             }
             auto other = p.otherwise(t.at("otherwise"));
             write(2.0);
           },
       .message = R"(error: otherwise() without a when() directly before it
  at {otherwise}, program demo
  an else branch belongs to the branch that was just closed
  help: put otherwise() right after the block of when()
)"},
  };
}

std::vector<Case> parameters() {
  return {
      {.name = "input_is_written",
       .codes = {"writes-input"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache =
                 t.bad ? p.input("cache", {16, 64}, F32) : p.state("cache", {16, 64}, F32);
             auto core = p.incore("s");
             assemble(cache, exp(x), {0, 0}, t.at("write"));
           },
       .message = R"(error: assemble writes parameter cache, which is declared In
  at {write}, program demo, scope "s", cache = pl.assemble(cache, exp, [0, 0])
  an In parameter is never changed; what is written must be declared
  help: declare it Out, or InOut (p.state) if its old contents matter
)"},

      {.name = "input_is_written_through_a_view",
       .codes = {"writes-input"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor cache =
                 t.bad ? p.input("cache", {64, 64}, F32) : p.state("cache", {64, 64}, F32);
             Tensor rows = slice(cache, {16, 64}, {32, 0}).named("rows");
             auto core = p.incore("s");
             assemble(rows, exp(x), {0, 0}, t.at("write"));
           },
       .message = R"(error: assemble writes parameter cache through its view rows, which is declared In
  at {write}, program demo, scope "s", rows = pl.assemble(rows, exp, [0, 0])
  an In parameter is never changed; what is written must be declared
  help: declare it Out, or InOut (p.state) if its old contents matter
)"},

      {.name = "output_is_never_written",
       .codes = {"out-unwritten"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Tensor z = p.output("z", {16, 64}, F32, t.at("z"));
             auto core = p.incore("s");
             assemble(y, exp(x), {0, 0});
             if (!t.bad) assemble(z, neg(x), {0, 0});
           },
       .message = R"(error: output z is never written
  at {z}, program demo, parameter z [16 x 64] f32
  an Out parameter is written whole before the program ends
  help: assemble or assign the result into it
)"},

      {.name = "output_is_replaced",
       .codes = {"rebind"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {32, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {16, 64}, {0, 0})), {0, 0});
             }
             slice(x, {16, 64}, {16, 0}, {}, t.at("slice"));
           },
       .message = R"(error: slice replaces parameter y
  at {slice}, program demo, y = pl.slice(x, [16, 64], [16, 0])
  a parameter is the caller's buffer: it is written, never replaced
  help: assemble the value into it, or assign it inside a scope
)",
       .edit = [](ir::Program& p) { p.body[1].as<ir::Op>()->dst = p.params[1].var; }},

      {.name = "parameter_name_is_taken",
       .step = Step::Build,
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 64}, F32);
             Tensor y = p.output(t.bad ? "x" : "y", {16, 64}, F32, t.at("y"));
             auto core = p.incore("s");
             assemble(y, exp(x), {0, 0});
           },
       .message = R"(error: parameter name "x" is taken or not an identifier
  at {y}, program demo
  parameters are found by name, so each has its own
  help: choose another name
)"},

      {.name = "scalar_name_is_taken",
       .step = Step::Build,
       .codes = {"name"},
       .program =
           [](Builder& p, Twin& t) {
             const Index rows = p.scalar("n");
             const Index shift = p.scalar(t.bad ? "n" : "shift", t.at("shift"));
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, rows + shift));
           },
       .message = R"(error: parameter name "n" is taken or not an identifier
  at {shift}, program demo
  parameters are found by name, so each has its own
  help: choose another name
)"},

      {.name = "program_without_parameters",
       .step = Step::Build,
       .codes = {"no-params"},
       .program =
           [](Builder& p, Twin& t) {
             if (t.bad) return;
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, 0.0));
           },
       .message = R"(error: program "demo" has no parameters
  at {finish}, program demo
  a program works on named parameters
  help: declare inputs and outputs first
)"},

      {.name = "count_with_a_remainder",
       .step = Step::Build,
       .codes = {"exact-div"},
       .program =
           [](Builder& p, Twin& t) {
             const int64_t tile = t.bad ? 24 : 16;
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             for (Index i : p.parallel(p.exact_div(64, tile, t.at("div")))) {
               auto core = p.incore("s");
               assemble(y, exp(slice(x, {tile, 64}, {i * tile, 0})), {i * tile, 0});
             }
           },
       .message = R"(error: 64 is not a multiple of 24: 16 left over
  at {div}, program demo
  a block count is an exact quotient; a remainder would be dropped silently
  help: choose a tile that divides the size, or use ceil_div with a valid shape
)"},
  };
}

std::vector<Case> scalars() {
  return {
      {.name = "scalar_leaves_its_scope",
       .codes = {"scalar-escape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             Index n = 0;
             if (!t.bad) n = p.read(lens, {2});
             {
               auto core = p.incore("first");
               if (t.bad) n = p.read(lens, {2});
               assign(y, p.full({16, 64}, F32, n));
             }
             auto core = p.incore("second");
             assemble(y, p.full({8, 64}, F32, n, t.at("use")), {0, 0});
           },
       .message = R"(error: scalar lens_value is used outside the scope that makes it
  at {use}, program demo, scope "second", scalar lens_value
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
)"},

      {.name = "scalar_leaves_an_spmd_body",
       .codes = {"scalar-escape"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {64, 64}, F32);
             Index n = 0;
             if (!t.bad) n = p.read(lens, {0});
             for (Index b : p.spmd(4, {.name = "blocks"})) {
               if (t.bad) n = p.read(lens, {0});
               assemble(y, p.full({16, 64}, F32, n), {b * 16, 0});
             }
             auto core = p.incore("after");
             assemble(y, p.full({16, 64}, F32, n, t.at("use")), {0, 0});
           },
       .message = R"(error: scalar lens_value is used outside the scope that makes it
  at {use}, program demo, scope "after", scalar lens_value
  only tensors leave a scope; the orchestrator runs ahead and cannot wait for a scalar
  help: read or compute the scalar where it is used, or before the scope
)"},

      {.name = "loop_variable_after_its_loop",
       .codes = {"undefined-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {64, 64}, F32);
             auto core = p.incore("s");
             Index last = 3;
             for (Index i : p.range(4)) {
               assemble(y, exp(slice(x, {16, 64}, {i * 16, 0})), {i * 16, 0});
               if (t.bad) last = i;
             }
             assemble(y, slice(x, {16, 64}, {last * 16, 0}, {}, t.at("slice")), {0, 0});
           },
       .message = R"(error: loop variable i is used outside its loop
  at {slice}, program demo, scope "s", scalar i
  a scalar is set on every path before it is used, and a loop variable ends with its loop
  help: keep the number in a scalar made by let before the loop
)"},

      {.name = "scalar_set_on_one_branch",
       .codes = {"undefined-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             Index row = t.bad ? Index(0) : p.let("row", 0);
             {
               auto then = p.when(n > 2);
               if (t.bad)
                 row = p.let("row", 16);
               else
                 p.set(row, 16);
             }
             auto core = p.incore("s");
             assemble(y, exp(slice(x, {16, 64}, {row, 0}, {}, t.at("slice"))), {0, 0});
           },
       .message = R"(error: scalar row is used before it is set
  at {slice}, program demo, scope "s", scalar row
  a scalar is set on every path before it is used, and a loop variable ends with its loop
  help: set it before the branch or loop that may not run
)",
       .setup = {.scalars = {{"n", 5}}}},

      {.name = "set_of_an_expression",
       .step = Step::Build,
       .codes = {"set"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             const Index row = p.let("row", 0);
             p.set(t.bad ? row + 1 : row, 3, t.at("set"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, row));
           },
       .message = R"(error: set() of something that is not one scalar variable
  at {set}, program demo
  only a scalar made by let() can be changed
  help: name it with p.let first
)"},

      {.name = "index_of_another_program",
       .step = Step::Build,
       .codes = {"foreign-scalar"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             for (int i = 0; i < 8; ++i) other.scalar("n" + std::to_string(i));
             const Index theirs = other.scalar("m");
             const Index ours = p.scalar("m");
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, t.bad ? theirs : ours, t.at("full")));
           },
       .message = R"(error: an index of another program is used
  at {full}, program demo
  an operation works within one program
  help: make the index with the Builder that uses it
)"},

      {.name = "tensor_of_another_program",
       .step = Step::Build,
       .codes = {"foreign-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             Tensor theirs = other.input("x", {16, 64}, F32);
             Tensor ours = p.input("x", {16, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, add(ours, t.bad ? theirs : ours, t.at("add")));
           },
       .message = R"(error: add of tensors that belong to programs demo and other
  at {add}
  an operation works within one program
  help: build both tensors with the same Builder
)"},

      {.name = "read_from_another_program",
       .step = Step::Build,
       .codes = {"foreign-tensor"},
       .program =
           [](Builder& p, Twin& t) {
             Builder other("other");
             Tensor theirs = other.input("lens", {4}, I32);
             Tensor ours = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, p.read(t.bad ? theirs : ours, {0}, t.at("read"))));
           },
       .message = R"(error: read of a tensor that belongs to program other in program demo
  at {read}
  an operation works within one program
  help: read it with the Builder that made it
)"},
  };
}

// ---- the orchestrator, found when the plan is unrolled -----------------------------------------

std::vector<Case> orchestration() {
  return {
      {.name = "trip_count_from_a_task",
       .step = Step::Unroll,
       .codes = {"device-read"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor counts = p.output("counts", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             {
               auto core = p.incore("count");
               assemble(counts, add(slice(lens, {4}, {0}), 1), {0});
             }
             const Index n = p.read(t.bad ? counts : lens, {2}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: the orchestrator reads counts, which tasks write
  at {read}, program demo, counts_value = pl.tensor.read(counts, [2])
  the orchestrator runs ahead of the tasks, so it can only read In parameters
  help: read it inside the scope that needs it
)"},

      {.name = "branch_on_device_data",
       .step = Step::Unroll,
       .codes = {"device-control"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {1, 8}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, 0.0));
             Tile longer = add(lens, 1);
             const Index n = p.read(t.bad ? longer : lens, {0, 0});
             auto then = p.when(n > 3, t.at("when"));
             assemble(y, p.full({8, 64}, F32, 1.0), {0, 0});
           },
       .message = R"(error: a loop or branch depends on a value that a task computes
  at {when}, program demo, scope "s"
  control flow is decided before tasks run: by loop variables, scalar parameters and reads of In parameters
  help: pass the value as an In parameter, or compute both sides and select
)"},

      {.name = "scalar_without_data",
       .step = Step::Unroll,
       .codes = {"no-data"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor lens = p.input("lens", {4}, I32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index n = p.read(lens, {2}, t.at("read"));
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, n));
           },
       .message = R"(error: no data for lens
  at {read}, program demo, lens_value = pl.tensor.read(lens, [2])
  scalars that decide control flow must be known before tasks run
  help: bind the parameter
)",
       .setup = {.unbound = "lens"}},

      {.name = "while_that_never_ends",
       .step = Step::Unroll,
       .codes = {"endless"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor y = p.output("y", {16, 64}, F32);
             const Index k = p.let("k", 0);
             {
               auto body = p.loop_while(k < 8, t.at("while"));
               p.set(k, t.bad ? k : k + 1);
             }
             auto core = p.incore("s");
             assign(y, p.full({16, 64}, F32, k));
           },
       .message = R"(error: a loop runs more than 10000000 times
  at {while}, program demo
  a program ends
  help: check the condition or the bounds
)"},

      {.name = "division_by_a_zero_scalar",
       .step = Step::Unroll,
       .codes = {"division"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             const Index row = p.let("row", Index(32) / (t.bad ? n : n + 1), t.at("let"));
             auto core = p.incore("s");
             assemble(y, exp(slice(x, {16, 64}, {row, 0})), {0, 0});
           },
       .message = R"(error: an index expression divides by zero
  at {let}, program demo
  // and % need a divisor that is not zero
  help: check the divisor
)"},

      {.name = "offset_beyond_64_bits",
       .step = Step::Unroll,
       .codes = {"overflow"},
       .program =
           [](Builder& p, Twin& t) {
             const Index n = p.scalar("n");
             Tensor x = p.input("x", {64, 64}, F32);
             Tensor y = p.output("y", {16, 64}, F32);
             auto core = p.incore("s");
             const int64_t stride = t.bad ? int64_t{1} << 62 : 16;
             assemble(y, exp(slice(x, {16, 64}, {n * stride, 0}, {}, t.at("slice"))), {0, 0});
           },
       .message = R"(error: an index expression does not fit in 64 bits
  at {slice}, program demo, scope "s"
  scalar arithmetic is 64-bit and never wraps
  help: check the shapes and offsets
)",
       .setup = {.scalars = {{"n", 3}}}},

      {.name = "reshape_of_separate_rows",
       .step = Step::Unroll,
       .codes = {"reshape-view"},
       .program =
           [](Builder& p, Twin& t) {
             Tensor x = p.input("x", {16, 128}, F32);
             Tensor y = p.output("y", {8, 128}, F32);
             Tensor half = t.bad ? slice(x, {16, 64}, {0, 0}) : slice(x, {8, 128}, {0, 0});
             half.named("half");
             Tensor flat = reshape(half, {8, 128}, t.at("reshape"));
             auto core = p.incore("s");
             assemble(y, exp(flat), {0, 0});
           },
       .message = R"(error: reshape of half, a slice whose rows are not adjacent
  at {reshape}, program demo, reshape = pl.reshape(half, [8, 128])
  an orchestrator reshape renames the same memory, so it needs adjacent elements
  help: reshape the whole tensor first and slice afterwards
)"},
  };
}

}  // namespace

std::vector<Case> structure_cases() {
  std::vector<Case> all = scopes();
  for (auto& group : {loops(), parameters(), scalars(), orchestration()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Structure, ErrorCase, testing::ValuesIn(structure_cases()), case_name);

// ---- the end of a program ----------------------------------------------------------------------

TEST(Finish, InsideOpenBlocksIsTold) {
  Builder p("demo");
  Twin t(true);
  Tensor x = p.input("x", {16, 64}, F32);
  Tensor y = p.output("y", {16, 64}, F32);
  ir::Program program;
  {
    auto core = p.incore("s");
    assemble(y, exp(x), {0, 0});
    program = p.finish(t.at("finish"));
  }
  EXPECT_EQ(program.diagnostics.text(), t.with_places(R"(error: finish() inside 1 open block
  at {finish}, program demo, scope "s"
  every loop, branch and scope is closed before the program is finished
  help: call finish() after the last closing brace
)"));
}

TEST(Finish, StatementsAfterItAreTold) {
  Builder p("demo");
  Twin t(true);
  p.input("x", {16, 64}, F32);
  const ir::Program program = p.finish();
  try {
    auto core = p.incore("s", t.at("scope"));
    FAIL() << "a scope after finish()";
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostic().text(), t.with_places(R"(error: a statement after finish()
  at {scope}, program demo
  a finished program does not change
  help: call finish() last
)"));
  }
}

}  // namespace error_test
