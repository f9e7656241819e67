#include "emitted_program.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "shim/tensor.h"
#include "tilewright/base/files.h"
#include "tilewright/golden/golden.h"
#include "tilewright/ir/bindings.h"
#include "tilewright/ir/program.h"
#include "tilewright/session/emitted.h"

namespace emit_test {
namespace {

struct EmittedTensor {  // as in shim/run.hpp
  void* data;
  uint64_t bytes;
  int type;
  uint32_t dimensions;
  uint32_t shape[5];
};

DataType runtime_type(DType t) {
  switch (t) {
    case DType::I8: return DataType::INT8;
    case DType::I16: return DataType::INT16;
    case DType::I32: return DataType::INT32;
    case DType::U8: return DataType::UINT8;
    case DType::U16: return DataType::UINT16;
    case DType::U32: return DataType::UINT32;
    case DType::F16: return DataType::FLOAT16;
    case DType::BF16: return DataType::BFLOAT16;
    default: return DataType::FLOAT32;
  }
}

bool is_kernel(const emit::File& f) { return f.path.starts_with("kernels/"); }

// One translation unit: every kernel in a namespace of its own, then the orchestration.
std::string unit(const std::vector<emit::File>& files) {
  std::string out = "#include \"run.hpp\"\n#include <pto/pto-inst.hpp>\n", list;
  std::size_t n = 0;
  for (const emit::File& f : files) {
    if (!is_kernel(f)) continue;
    out += fmt::format(
        "namespace kernel_{0} {{\n#define kernel_entry entry_{0}\n#include \"{1}\"\n"
        "#undef kernel_entry\n}}\n",
        n, f.path);
    list += fmt::format("    shim::kernel(kernel_{0}::entry_{0}, seed),\n", n++);
  }
  return out + "#include \"orchestration.cpp\"\n" +
         fmt::format(
             R"(extern "C" const char* run_emitted(const EmittedTensor* tensors, uint64_t count,
                                   const uint64_t* scalars, uint64_t scalar_count, uint64_t seed) {{
  static std::string problem;
  shim::runtime() = {{}};
  shim::runtime().kernels = {{
{}  }};
  try {{
    const ChipTaskArgs args = program_args(tensors, count, scalars, scalar_count);
    const int expected = aicpu_orchestration_config(args).expected_arg_count;
    shim::require(expected == static_cast<int>(count), "another number of tensors");
    aicpu_orchestration_entry(args);
    problem = "";
  }} catch (const std::exception& e) {{
    problem = e.what();
  }}
  return problem.c_str();
}}
)",
             list);
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

EmittedProgram::EmittedProgram(const std::vector<emit::File>& files) {
  for (const emit::File& f : files) write_file(directory_ / f.path, f.text);
  write_file(directory_ / "unit.cc", unit(files));
  const std::string log = directory_ / "log", library = directory_ / "emitted.so";
  const std::string command = fmt::format(
      "{} -std=c++20 -O0 -fno-gnu-unique -Wall -Wextra -Wshadow -Werror -shared -fPIC -I {} -I {} "
      "{} -o {} 2> {}",
      TILEWRIGHT_CXX, TILEWRIGHT_SHIM, directory_.path.string(), directory_ / "unit.cc", library,
      log);
  if (std::system(command.c_str()) != 0) throw std::runtime_error(read_text(log));
  library_ = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_) throw std::runtime_error(::dlerror());
}

EmittedProgram::~EmittedProgram() {
  if (library_) ::dlclose(library_);
}

std::string EmittedProgram::run(session::Session& s, uint64_t seed) {
  using Run = const char* (*)(const EmittedTensor*, uint64_t, const uint64_t*, uint64_t, uint64_t);
  const auto run = reinterpret_cast<Run>(::dlsym(library_, "run_emitted"));
  std::vector<EmittedTensor> tensors;
  std::vector<uint64_t> scalars;
  const ir::Program& program = s.program();
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    const ir::Var& v = program[program.params[i].var];
    HostArray* a = s.bindings().arrays[i];
    if (v.scalar) {
      const double value = s.bindings().scalars[i];
      scalars.push_back(is_float(v.dtype) ? std::bit_cast<uint32_t>(static_cast<float>(value))
                                          : static_cast<uint64_t>(static_cast<int64_t>(value)));
      continue;
    }
    EmittedTensor t{a->data(),
                    static_cast<uint64_t>(a->byte_size()),
                    static_cast<int>(runtime_type(v.dtype)),
                    static_cast<uint32_t>(v.shape.size()),
                    {}};
    std::copy(v.shape.begin(), v.shape.end(), t.shape);
    tensors.push_back(t);
  }
  return run(tensors.data(), tensors.size(), scalars.data(), scalars.size(), seed);
}

void expect_emitted_is_golden(const catalog::ProgramDef& def, const session::Request& request) {
  const session::Emitted emitted = session::emit_program(def, request, def.name);
  ASSERT_FALSE(emitted.files.empty()) << emitted.diagnostics.text();
  EmittedProgram program(emitted.files);
  session::Request same = request;
  same.rules = session::kEmittedRules;
  session::Session s(def, same);
  ASSERT_TRUE(s.prepare(session::Inputs::All)) << s.diagnostics().text();
  std::vector<HostArray> inputs, expected;
  for (HostArray* a : s.bindings().arrays) inputs.push_back(a ? a->clone() : HostArray());
  golden::run_program(s.program(), s.bindings());
  for (HostArray* a : s.bindings().arrays) expected.push_back(a ? a->clone() : HostArray());
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      HostArray* a = s.bindings().arrays[i];
      if (!a) continue;
      *a = inputs[i].clone();
      if (s.program().params[i].direction == ir::Direction::Out) a->fill_poison();
    }
    ASSERT_EQ(program.run(s, seed), "");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (const HostArray* a = s.bindings().arrays[i]; a && !a->same_bits(expected[i]))
        ADD_FAILURE() << s.program()[s.program().params[i].var].name << " differs";
    }
  }
}

}  // namespace emit_test
