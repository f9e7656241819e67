// Programs compiled for a machine and executed at their addresses, compared with their meaning.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tilewright/compile/compile.h"
#include "tilewright/dsl/ops.h"
#include "tilewright/golden/exact.h"

namespace exact_test {

using namespace tilewright;

inline constexpr DType F32 = DType::F32, BF16 = DType::BF16, I32 = DType::I32;

// A program, the machine it is compiled for, its inputs and the outputs it means.
struct Subject {
  ir::Plan plan;
  ir::TaskGraph graph;
  std::vector<ir::Param> params;
  std::vector<HostArray> before, after;  // by parameter; empty for scalars
  std::vector<double> scalars;
  platform::Platform platform;
};

// `arrays` and `scalars` by parameter. Throws when the program does not compile.
Subject make_subject(const ir::Program& program, const platform::Platform& platform,
                     std::vector<HostArray> arrays, std::vector<double> scalars,
                     const compile::Budget& budget = {});
// Inputs are random in [-2, 2), integers in [0, 4). A name is that of a built-in machine.
Subject make_subject(const ir::Program& program, const platform::Platform& platform);
Subject make_subject(const ir::Program& program, const std::string& platform);
Subject make_subject(const std::string& platform, const std::function<void(dsl::Builder&)>& body);

struct Outcome {
  golden::ExactResult result;
  bool same_bits = false;  // outputs are what the program means
  bool clean() const { return result.findings.empty() && same_bits; }
  std::string text() const;
};
Outcome run(const Subject& subject, const ir::Plan& plan, golden::ExactOptions options = {});

// In program order and in `seeds` random interleavings.
void expect_exact(const Subject& subject, int seeds = 20, Here here = {});

}  // namespace exact_test
