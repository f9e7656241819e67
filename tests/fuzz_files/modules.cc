#include "modules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "../temporary_directory.h"
#include "tilewright/base/diagnostic.h"
#include "tilewright/compile/compile.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"
#include "tilewright/platform/platform.h"

namespace fuzz_files {
namespace {

namespace fs = std::filesystem;
using namespace tilewright;

constexpr const char* kNames[] = {"main.py", "a.py", "b.py", "pkg/__init__.py", "pkg/c.py"};
constexpr std::size_t kMostStatements = 2000;  // of a program that is compiled
constexpr int64_t kMostSteps = 300'000;        // a loop without end costs the fuzzer little

std::map<std::string, std::string> split_files(const std::string& bytes) {
  std::map<std::string, std::string> files;
  std::string* file = &files[kNames[0]];
  std::istringstream in(bytes);
  for (std::string line; std::getline(in, line);) {
    const bool starts = line.starts_with("#: ") &&
                        std::ranges::find(kNames, line.substr(3)) != std::end(kNames);
    if (starts)
      file = &files[line.substr(3)];
    else
      *file += line + "\n";
  }
  return files;
}

void compile_program(const ir::Program& program) {
  const std::string listing = ir::print(program);
  const auto lines = static_cast<std::size_t>(std::ranges::count(listing, '\n'));
  Diagnostics told;
  if (lines <= kMostStatements)
    (void)compile::compile(program, platform::builtin_platform("a2a3"), {}, told);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

void run_modules(const std::string& bytes) {
  static const TemporaryDirectory directory;
  for (const char* name : kNames) fs::remove(directory / name);
  for (const auto& [name, text] : split_files(bytes)) {
    fs::create_directories(fs::path(directory / name).parent_path());
    std::ofstream(directory / name, std::ios::binary) << text;
  }
  auto file = frontend::File::read(directory / kNames[0]);
  file.limit_steps(kMostSteps);
  for (const std::string& name : file.programs()) {
    try {
      (void)file.arguments(name, {});
      const ir::Program program = file.lower(name, {}).program;
      if (!program.diagnostics.has_errors()) compile_program(program);
    } catch (const UserError&) {  // a guard or a missing size of this program
    }
  }
}

std::vector<std::string> module_seeds() {
  std::vector<std::string> out;
  const fs::path source(TILEWRIGHT_SOURCE);
  for (const char* root : {"tests/fuzz_files/modules", "tests/frontend/programs",
                           "tests/error/cases"})
    for (const auto& entry : fs::recursive_directory_iterator(source / root))
      if (entry.path().extension() == ".py" && entry.file_size() < 16384)
        out.push_back(text_of(entry.path()));
  return out;
}

}  // namespace fuzz_files
