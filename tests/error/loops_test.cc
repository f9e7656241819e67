// Loops and branches: what can go wrong only in C++, because its own control flow writes the
// program down. The other rules of loops are files, in cases/loops.
#include "builder_case.h"

namespace error_test {

std::vector<BuilderCase> loops_cases() {
  return {
      {.name = "cpp_break_out_of_a_tile_loop",
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
  an else branch must directly follow its if branch
  help: put otherwise() right after the block of when()
)"},
  };
}

}  // namespace error_test
