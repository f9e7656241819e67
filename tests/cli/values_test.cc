// Values of one's own: a program file run on .npy files and compared with others.
#include <gtest/gtest.h>

#include <fstream>

#include "support.h"
#include "tilewright/data/npy.h"

namespace tilewright::cli {
namespace {

// acc += x * s in the first n rows; sum = x + x.
constexpr const char* kLayer = R"(
import pypto.language as pl

@pl.program
class Layer:
    @pl.function(type=pl.FunctionType.Opaque)
    def main(
        self,
        n: pl.Scalar[pl.INT32],
        s: pl.Scalar[pl.FP32],
        x: pl.Tensor[[4, 32], pl.BF16],
        acc: pl.InOut[pl.Tensor[[4, 32], pl.FP32]],
        sum: pl.Out[pl.Tensor[[4, 32], pl.FP32]],
    ) -> pl.Tensor[[4, 32], pl.FP32]:
        for i in pl.range(n):
            with pl.incore():
                t = pl.cast(pl.slice(x, [1, 32], [i, 0]), target_type=pl.FP32)
                acc = pl.assemble(acc, pl.add(pl.slice(acc, [1, 32], [i, 0]), pl.mul(t, s)), [i, 0])
        with pl.incore():
            t = pl.cast(pl.slice(x, [4, 32], [0, 0]), target_type=pl.FP32)
            sum = pl.assemble(sum, pl.add(t, t), [0, 0])
        return acc
)";

class Values : public testing::Test {
 protected:
  Values() {
    std::ofstream(dir_ / "layer.py") << kLayer;
    for (const char* part : {"golden", "golden/in", "golden/out"})
      fs::create_directory(dir_.path / part);
    // 1 + 2^-9 rounds to the BF16 1.
    write("in/x.npy", DType::F32, {4, 32}, 1 + 0x1p-9);
    write("in/acc.npy", DType::F32, {4, 32}, 10);
    data::write_npy_scalar(golden() / "in/n.npy", DType::I32, 4);
    data::write_npy_scalar(golden() / "in/s.npy", DType::F32, 3);
    write("out/acc.npy", DType::F32, {4, 32}, 13);
    write("out/sum.npy", DType::F32, {4, 32}, 2);
  }

  fs::path golden() const { return dir_.path / "golden"; }
  void write(const std::string& name, DType dtype, const Shape& shape, double value) const {
    HostArray array(dtype, shape);
    for (int64_t i = 0; i < array.size(); ++i) array.set(i, value);
    data::write_npy(golden() / name, array);
  }
  // `flags` with @ for the directory.
  Outcome run(std::string flags) const {
    for (std::size_t at = 0; (at = flags.find('@')) != std::string::npos;)
      flags.replace(at, 1, dir_.path.string());
    return call("run " + (dir_ / "layer.py") + " " + flags);
  }

  const TemporaryDirectory dir_;
};

TEST_F(Values, AreReadAndCompared) {
  for (const char* platform : {"cpu", "a2a3sim"}) {
    const Outcome o = run("--replay @/golden --expect @/golden -p " + std::string(platform));
    EXPECT_EQ(o.code, kFine) << o.err;
    EXPECT_TRUE(contains(o.out, "acc: PASS (128/128 elements matched)\n")) << o.out;
    EXPECT_TRUE(contains(o.out, "sum: PASS (128/128 elements matched)\n")) << o.out;
    EXPECT_TRUE(contains(o.out, "the program and 3 random task orders give the same bits"));
    EXPECT_TRUE(contains(o.out, "\nPASS ("));
  }
  data::write_npy_scalar(golden() / "in/n.npy", DType::I32, 3);
  const Outcome o = run("--replay @/golden --expect @/golden");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.out, "acc: FAIL (96/128 elements matched)\n")) << o.out;
}

TEST_F(Values, OfSomeOutputsSkipTheRest) {
  fs::remove(golden() / "out/acc.npy");
  const Outcome o = run("--replay @/golden --expect @/golden");
  EXPECT_EQ(o.code, kFine) << o.err;
  EXPECT_TRUE(contains(o.out, "acc: SKIPPED (128 elements, nothing to compare with)\n")) << o.out;
  EXPECT_TRUE(contains(o.out, "sum: PASS"));
  EXPECT_TRUE(contains(o.out, "\nSKIPPED ("));
}

TEST_F(Values, SavedByOneRunAreTakenByAnother) {
  ASSERT_EQ(run("--replay @/golden --save-data @/saved").code, kFine);
  for (const char* flags :
       {"--replay @/saved --expect @/golden", "--replay @/saved --expect @/saved",
        "--replay @/saved/in --expect @/saved/out"}) {
    const Outcome o = run(flags);
    EXPECT_EQ(o.code, kFine) << o.err;
    EXPECT_TRUE(contains(o.out, "\nPASS (")) << flags << o.out;
  }
}

TEST_F(Values, ThatAreMissingOrDamagedAreTheRequestsFault) {
  const auto refused = [&](const char* flags, const std::string& what) {
    const Outcome o = run(flags);
    EXPECT_EQ(o.code, kMistake) << flags;
    EXPECT_TRUE(o.err.starts_with("error: " + what)) << o.err;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 4) << o.err;
  };
  refused("--expect @/nowhere", "there is no directory \"" + (dir_ / "nowhere") + "\"");
  refused("--replay @/nowhere", "there is no directory");
  refused("--expect @/golden/in/x.npy", "there is no directory");
  refused("--arg n=1 --arg s=1 --replay @/golden/out", "no file for 1 input: x");
  refused("--replay @", "no file for 4 inputs: n, s, x, acc");
  refused("--arg n=1 --replay @", "no file for 3 inputs: s, x, acc");
  refused("--arg n=1 --arg s=1 --expect @", "no file for any output: acc, sum");
  refused("--replay @/golden/in --expect @/golden/in",
          "acc.npy would be both input and expected value of acc");
  refused("--replay @/golden --arg n=2", "--arg n=2 together with " + (dir_ / "golden/in/n.npy"));
  refused("--replay @/golden --seed 2", "--seed together with --replay");

  fs::resize_file(golden() / "in/x.npy", 200);
  refused("--replay @/golden", "float32 (4, 32) needs 512 bytes, but 72 follow the header");
  fs::remove(golden() / "out/sum.npy");
  fs::create_directory(golden() / "out/sum.npy");
  refused("--arg n=2 --arg s=1 --expect @/golden",
          "cannot read \"" + (dir_ / "golden/out/sum.npy") + "\": it is a directory");
}

TEST_F(Values, ThatDoNotFitAreTheProgramsFaultAndToldAtOnce) {
  write("in/x.npy", DType::F32, {32, 4}, 1);
  write("in/acc.npy", DType::I32, {4, 32}, 1);
  Outcome o = run("--replay @/golden");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(
      contains(o.err, "the file has [32 x 4] float32, but the parameter is [4 x 32] BF16\n"))
      << o.err;
  EXPECT_TRUE(contains(o.err, "the file has [4 x 32] int32, but the parameter is [4 x 32] FP32\n"));
  write("out/sum.npy", DType::F32, {4}, 1);
  o = run("--arg n=2 --arg s=1 --expect @/golden");
  EXPECT_EQ(o.code, kFailed);
  EXPECT_TRUE(contains(o.err, "the file has [4] float32, but the parameter is [4 x 32] FP32\n"));
  EXPECT_FALSE(contains(o.out, "run on"));
}

}  // namespace
}  // namespace tilewright::cli
