#include "tilewright/ir/lowered.h"

namespace tilewright::ir {

std::string_view action_name(Action a) {
  switch (a) {
    case Action::Name: return "name";
    case Action::Load: return "load";
    case Action::Store: return "store";
    case Action::Move: return "move";
    case Action::Drain: return "drain";
    case Action::Clear: return "clear";
    case Action::Matmul: return "matmul";
    case Action::Vector: return "vector";
    case Action::Push: return "push";
    case Action::Pop: return "pop";
    case Action::Read: return "read";
  }
  return "";
}

std::string_view wait_name(Wait::For why) {
  switch (why) {
    case Wait::For::Data: return "data";
    case Wait::For::Room: return "room";
    case Wait::For::Overwrite: return "overwrite";
  }
  return "";
}

std::string_view group_name(const Group& g) {
  struct Visitor {
    std::string_view operator()(const ChainGroup&) { return "chain"; }
    std::string_view operator()(const StripGroup&) { return "strip"; }
    std::string_view operator()(const SoftmaxGroup&) { return "softmax"; }
    std::string_view operator()(const MergeGroup&) { return "merge"; }
  };
  return std::visit(Visitor{}, g.what);
}

}  // namespace tilewright::ir
