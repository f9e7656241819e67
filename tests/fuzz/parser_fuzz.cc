// The parser fuzzer: any bytes are read as a program file. Whatever they are, reading them ends in
// a program or in an error; it does not crash, hang or take unbounded memory.
//   ./dev fuzz 600
#include <cstdint>
#include <string>

#include "tilewright/base/diagnostic.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/print.h"

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    frontend::File file = frontend::File::parse("fuzz.py", text);
    file.limit_steps(300'000);  // a loop without end costs the fuzzer little
    for (const std::string& name : file.programs()) {
      try {
        (void)file.arguments(name, {});
        const ir::Program program = file.lower(name, {}).program;
        if (!program.diagnostics.has_errors()) (void)ir::print(program);
      } catch (const UserError&) {  // a guard or a missing size of this program
      }
    }
  } catch (const UserError&) {  // no program file
  }
  return 0;
}
