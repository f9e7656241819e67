#include "tilewright/ir/pipe.h"

namespace tilewright::ir {

std::string_view core_side_name(CoreSide s) { return s == CoreSide::Cube ? "cube" : "vector"; }

std::string_view pipe_name(Pipe p) {
  switch (p) {
    case Pipe::Scalar: return "scalar";
    case Pipe::Mte2: return "MTE2";
    case Pipe::Mte1: return "MTE1";
    case Pipe::Cube: return "M";
    case Pipe::Fixpipe: return "FIXP";
    case Pipe::Vector: return "V";
    case Pipe::Mte3: return "MTE3";
  }
  return "";
}

}  // namespace tilewright::ir
