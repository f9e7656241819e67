// The targets under libFuzzer: files_fuzzer --target=gguf CORPUS.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "targets.h"
#include "tilewright/base/diagnostic.h"

namespace {

const fuzz_files::Target* chosen = nullptr;

}  // namespace

// libFuzzer leaves words that begin with two dashes to us.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i)
    for (const fuzz_files::Target& t : fuzz_files::targets())
      if (std::string_view((*argv)[i]) == "--target=" + t.name) chosen = &t;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (!chosen) __builtin_trap();
  try {
    chosen->run(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const tilewright::UserError&) {  // what a wrong file earns
  }
  return 0;
}
