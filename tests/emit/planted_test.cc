// Mistakes that are planted in emitted text are found: the comparison can fail.
#include <gtest/gtest.h>

#include "built_in.h"
#include "emitted_program.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/emitted.h"

namespace emit_test {
namespace {

session::Request tiny() {
  session::Request request = session::request_for("a2a3sim");
  request.shape = "tiny";
  return request;
}

const catalog::ProgramDef& scope1() { return built_in("qwen3/scope1"); }
const catalog::ProgramDef& mixed() { return built_in("qwen3/scope1-fused-norm"); }

// Replaces every occurrence in one file.
std::vector<emit::File> changed(const std::string& path, const std::string& from,
                                const std::string& to, const catalog::ProgramDef& def = scope1()) {
  std::vector<emit::File> files = session::emit_program(def, tiny(), "planted").files;
  int count = 0;
  for (emit::File& f : files)
    for (std::size_t at = 0; f.path == path && (at = f.text.find(from, at)) != std::string::npos;
         at += to.size(), ++count)
      f.text.replace(at, from.size(), to);
  EXPECT_GT(count, 0) << from << " in " << path;
  return files;
}

// Whether a run says that something is wrong, or gives other values than the sources as they were.
bool is_found(const std::vector<emit::File>& files, const catalog::ProgramDef& def = scope1()) {
  session::Session s(def, tiny());
  EXPECT_TRUE(s.prepare(session::Inputs::All));
  EmittedProgram right(session::emit_program(def, tiny(), "planted").files);
  EmittedProgram wrong(files);
  EXPECT_EQ(right.run(s, 1), "");
  std::vector<HostArray> expected;
  for (HostArray* a : s.bindings().arrays) expected.push_back(a ? a->clone() : HostArray());
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    if (!wrong.run(s, seed).empty()) return true;
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (HostArray* a = s.bindings().arrays[i]; a && !a->same_bits(expected[i])) return true;
  }
  return false;
}

constexpr const char* kNorm = "kernels/aiv/input_norm.cpp";
constexpr const char* kProjection = "kernels/aic/q_proj.cpp";

TEST(Planted, AnotherStride) {
  EXPECT_TRUE(is_found(
      changed(kNorm, "Stride<2048, 2048, 2048, 128, 1>", "Stride<2048, 2048, 2048, 64, 1>")));
}

TEST(Planted, AnotherAddress) {
  EXPECT_TRUE(is_found(changed(kProjection, "TASSIGN(slice_4, 0x0)", "TASSIGN(slice_4, 0x1000)")));
}

TEST(Planted, AnInputThatIsWritten) {
  EXPECT_TRUE(is_found(changed("orchestration.cpp", "input_norm_args.add_output(normed)",
                               "input_norm_args.add_input(normed)")));
}

TEST(Planted, AFlagThatNobodyWaitsFor) {
  EXPECT_TRUE(is_found(changed(kProjection, "wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);", "")));
}

TEST(Planted, AMissingFlag) {
  std::vector<emit::File> files =
      changed(kProjection, "wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);", "");
  for (emit::File& f : files)
    if (f.path == kProjection) {
      const std::string set = "set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);";
      f.text.erase(f.text.find(set), set.size());
    }
  EXPECT_TRUE(is_found(files));
}

constexpr const char* kCubeSide = "kernels/aic/q_proj_aic.cpp";
constexpr const char* kVectorSide = "kernels/aiv/q_proj_aiv.cpp";

TEST(Planted, ASlotThatIsNotGivenBack) {
  EXPECT_TRUE(is_found(changed(kCubeSide,
                               "TFREE<decltype(to_cube), TileSplitAxis::TILE_NO_SPLIT>(to_cube);",
                               "", mixed()),
                       mixed()));
}

TEST(Planted, ATileThatAPopMoves) {
  EXPECT_TRUE(
      is_found(changed(kCubeSide, "to_cube.fifo.V2C_CONSUMER_BUF = static_cast<uint32_t>(",
                       "to_cube.fifo.V2C_CONSUMER_BUF = static_cast<uint32_t>(512 + ", mixed()),
               mixed()));
}

TEST(Planted, AMissingFlagBeforeAPush) {
  EXPECT_TRUE(
      is_found(changed(kVectorSide, "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);", "", mixed()),
               mixed()));
}

TEST(Planted, FlagsOfTheSidesThatDiffer) {
  EXPECT_TRUE(
      is_found(changed(kVectorSide, "TPipe<2, Direction", "TPipe<4, Direction", mixed()), mixed()));
}

}  // namespace
}  // namespace emit_test
