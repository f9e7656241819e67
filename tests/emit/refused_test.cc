// What cannot be emitted is refused by name, and nothing is written.
#include <gtest/gtest.h>

#include <filesystem>

#include "temporary_directory.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/emit/directory.h"
#include "tilewright/session/emitted.h"

namespace emit_test {
namespace {

using namespace tilewright;
using namespace tilewright::dsl;

catalog::ProgramDef definition(std::function<void(Builder&)> write) {
  catalog::ProgramDef def;
  def.name = "refused";
  def.keys = [](const std::string&, const catalog::Machine&) {
    return std::vector<catalog::Key>{};
  };
  def.build = [write = std::move(write)](const catalog::Config&) {
    Builder p("refused");
    write(p);
    return p.finish();
  };
  return def;
}

std::string refusal(const catalog::ProgramDef& def) {
  const session::Emitted e = session::emit_program(def, session::request_for("a2a3sim"), "refused");
  EXPECT_TRUE(e.files.empty());
  EXPECT_TRUE(e.diagnostics.has_errors());
  for (const Diagnostic& d : e.diagnostics.list())
    if (d.severity == Severity::Error) return d.what;
  return "";
}

TEST(Refused, RowsThatDoNotFillUnitsOf32Bytes) {
  EXPECT_EQ(refusal(definition([](Builder& p) {
              const Tensor x = p.input("x", {16, 4}, DType::F32);
              const Tensor y = p.output("y", {16, 4}, DType::F32);
              auto core = p.incore("narrow");
              assemble(y, add(slice(x, {16, 4}, {0, 0}).named("tile"), 1.0), {0, 0});
            })),
            "a tile with 16 rows of 16 bytes in tile = pl.load(x, [0, 0], [16, 4], "
            "target_memory=pl.MemorySpace.Vec)");
}

TEST(Refused, ArithmeticInBf16) {
  EXPECT_EQ(refusal(definition([](Builder& p) {
              const Tensor x = p.input("x", {16, 64}, DType::BF16);
              const Tensor y = p.output("y", {16, 64}, DType::BF16);
              auto core = p.incore("half");
              const Tile tile = slice(x, {16, 64}, {0, 0}).named("tile");
              assemble(y, add(tile, tile).named("twice"), {0, 0});
            })),
            "TADD of BF16 in twice = pl.add(tile, tile)");
}

TEST(Refused, AnOperationWithoutAForm) {
  EXPECT_EQ(refusal(definition([](Builder& p) {
              const Tensor x = p.input("x", {16, 64}, DType::F32);
              const Tensor y = p.output("y", {16, 1}, DType::I32);
              auto core = p.incore("best");
              assemble(y, row_argmax(slice(x, {16, 64}, {0, 0}).named("tile")).named("at"), {0, 0});
            })),
            "pl.row_argmax has no emitted form in at = pl.row_argmax(tile)");
}

// The sum of a product, computed on in the same scope.
catalog::ProgramDef product_and_sum(int64_t rows) {
  return definition([rows](Builder& p) {
    const Tensor x = p.input("x", {rows, 64}, DType::BF16);
    const Tensor w = p.weight("w", {64, 64}, DType::BF16);
    const Tensor y = p.output("y", {rows, 64}, DType::F32);
    auto core = p.incore("both");
    const Tile sum = matmul(slice(x, {rows, 64}, {0, 0}), slice(w, {64, 64}, {0, 0})).named("sum");
    assemble(y, add(sum, 1.0), {0, 0});
  });
}

TEST(Refused, AProductOfFewRowsThatIsHandedOver) {
  EXPECT_EQ(refusal(product_and_sum(4)),
            "a tile of 4 x 64 elements that is handed over in sum = pl.move(sum, "
            "target_memory=pl.MemorySpace.Vec)");
  const session::Emitted whole =
      session::emit_program(product_and_sum(16), session::request_for("a2a3sim"), "emitted");
  EXPECT_FALSE(whole.files.empty()) << whole.diagnostics.text();
}

TEST(Directory, ReplacesOnlyWhatItWrote) {
  const TemporaryDirectory place;
  const std::vector<emit::File> files{{"orchestration.cpp", "one"}, {"kernels/aiv/a.cpp", "two"}};
  emit::Directory(place / "out").write(files);
  emit::Directory(place / "out").write(files);
  EXPECT_TRUE(std::filesystem::exists(place / "out/kernels/aiv/a.cpp"));
  std::filesystem::create_directory(place / "out/data");
  EXPECT_THROW(emit::Directory(place / "out"), UserError);
}

TEST(Directory, LeavesNothingWhenNothingIsWritten) {
  const TemporaryDirectory place;
  { const emit::Directory unused(place / "out"); }
  EXPECT_TRUE(std::filesystem::is_empty(place.path));
}

}  // namespace
}  // namespace emit_test
