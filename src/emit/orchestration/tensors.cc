#include "tilewright/emit/orchestration/tensors.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"

namespace tilewright::emit {

using namespace ir;

namespace {

constexpr std::size_t kMostDimensions = 5;  // of a tensor of the runtime

std::vector<std::string> numbers(const ir::Var& v) {
  std::vector<std::string> out;
  for (int64_t n : v.shape) out.push_back(fmt::format("{}", n));
  return out;
}

}  // namespace

bool Tensors::known(VarId v) const {
  return std::ranges::any_of(blocks_, [&](const auto& b) { return b.contains(v); });
}

std::size_t Tensors::rank(VarId v) const {
  for (const auto& b : blocks_)
    if (const auto it = b.find(v); it != b.end()) return it->second;
  return p_[v].shape.size();
}

void Tensors::take(VarId v, std::size_t rank) { blocks_.back()[v] = rank; }

bool Tensors::usable(VarId v, const Place& place) {
  if (!known(v)) {
    refusals_.add(
        place, fmt::format("{} is used outside of the block that makes it", p_[v].written_name()),
        "a tensor lives until the end of the block that makes it", "create it before the block");
    return false;
  }
  return true;
}

void Tensors::list(const std::string& name, const std::vector<std::string>& values) {
  out_.line(fmt::format("const uint32_t {}[] = {{{}}};", name, join(values, ", ")));
}

void Tensors::parameter(VarId v, int number) {
  out_.line(fmt::format("[[maybe_unused]] const ChipTensor& {} = orch_args.tensor({}).ref();",
                        spell_.name(v), number));
  take(v, p_[v].shape.size());
}

void Tensors::describe(VarId v) {
  const Var& var = p_[v];
  const auto type = runtime_type(var.dtype);
  if (!type || var.shape.size() > kMostDimensions) {
    refusals_.add(var.place,
                  fmt::format("{} is a tensor of {} with {} dimensions", var.written_name(),
                              dtype_name(var.dtype), var.shape.size()),
                  "the runtime has tensors of integers of 8 to 32 bits, FP16, BF16 or FP32 with up "
                  "to 5 dimensions",
                  "use another element type or fewer dimensions");
    return;
  }
  const std::string name = spell_.name(v);
  list(name + "_shape", numbers(var));
  out_.line(fmt::format("TensorCreateInfo {0}_info({0}_shape, {1}, {2}{3});", name,
                        var.shape.size(), *type, var.untracked ? ", true" : ""));
}

void Tensors::made(VarId v, const std::string& outputs, std::size_t number) {
  out_.line(fmt::format("[[maybe_unused]] const ChipTensor& {} = {}.get_ref({});", spell_.name(v),
                        outputs, number));
  take(v, p_[v].shape.size());
}

void Tensors::create(const Op& op) {
  const std::string name = spell_.name(op.dst);
  if (op.place.known()) out_.line("// " + op.place.text() + "  " + p_[op.dst].name);
  describe(op.dst);
  if (op.scalar)
    out_.line(fmt::format("{}_info.set_initial_value({});", name,
                          spell_.text(*op.scalar, p_[op.dst].dtype)));
  out_.line(fmt::format("TaskOutputTensors {0}_alloc = alloc_tensors({0}_info);", name));
  made(op.dst, name + "_alloc", 0);
}

void Tensors::slice(const Op& op) {
  if (!usable(op.args[0], op.place)) return;
  const std::string name = spell_.name(op.dst);
  const std::size_t full = rank(op.args[0]);
  std::vector<std::string> extents(full - p_[op.dst].shape.size(), "1"), offsets;
  for (const std::string& n : numbers(p_[op.dst])) extents.push_back(n);
  offsets.resize(full - op.offset.size(), "0");
  for (const Expr& e : op.offset)
    offsets.push_back(fmt::format("static_cast<uint32_t>({})", spell_.text(e)));
  list(name + "_shape", extents);
  list(name + "_offset", offsets);
  out_.line(fmt::format("[[maybe_unused]] const ChipTensor {0} = {1}.view({0}_shape, {0}_offset);",
                        name, spell_.name(op.args[0])));
  take(op.dst, full);
}

void Tensors::reshape(const Op& op) {
  if (!usable(op.args[0], op.place)) return;
  const std::string name = spell_.name(op.dst);
  list(name + "_shape", numbers(p_[op.dst]));
  out_.line(fmt::format("[[maybe_unused]] const ChipTensor {0} = {1}.reshape({0}_shape, {2});",
                        name, spell_.name(op.args[0]), p_[op.dst].shape.size()));
  take(op.dst, p_[op.dst].shape.size());
}

void Tensors::read(const Read& r) {
  if (!usable(r.array, r.place)) return;
  std::vector<std::string> index(rank(r.array) - r.index.size(), "0");
  for (const Expr& e : r.index)
    index.push_back(fmt::format("static_cast<uint32_t>({})", spell_.text(e)));
  const auto type = cpp_type(p_[r.array].dtype);
  const bool exact = type && p_[r.array].dtype != DType::BF16 && p_[r.array].dtype != DType::F16;
  if (!exact) {
    refusals_.add(r.place,
                  fmt::format("a read of {}, a tensor of {}", p_[r.array].written_name(),
                              dtype_name(p_[r.array].dtype)),
                  "the orchestration reads integers of 8 to 32 bits and FP32",
                  "read it inside a scope");
    return;
  }
  out_.open("{");
  list("index", index);
  out_.line(fmt::format("{} = static_cast<{}>(get_tensor_data<{}>({}, {}, index));",
                        spell_.name(r.var), spell_.scalar_type(r.var), *type, spell_.name(r.array),
                        index.size()));
  out_.close();
}

}  // namespace tilewright::emit
