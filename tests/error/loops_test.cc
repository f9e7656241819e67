// Loops, branches and jumps: where they may stand and what their numbers may be.
#include "case.h"

namespace error_test {
namespace {

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

}  // namespace

std::vector<Case> loops_cases() {
  return loops();
}

INSTANTIATE_TEST_SUITE_P(Loops, ErrorCase, testing::ValuesIn(loops_cases()), case_name);

}  // namespace error_test
