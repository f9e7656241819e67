#include "plus_one.h"

#include "tilewright/dsl/ops.h"

namespace tilewright::cli {

using catalog::Arrays;
using catalog::Config;
using catalog::ProgramDef;

ProgramDef plus_one(std::string name, int wrong) {
  ProgramDef def;
  def.name = std::move(name);
  def.summary = "adds one";
  def.build = [](const Config&) {
    dsl::Builder p("plus_one");
    const dsl::Tensor x = p.input("x", {4, 64}, DType::F32);
    const dsl::Tensor y = p.output("y", {4, 64}, DType::F32);
    {
      auto core = p.incore("all");
      dsl::assemble(y, dsl::add(dsl::slice(x, {4, 64}, {0, 0}), 1.0), {0, 0});
    }
    return p.finish();
  };
  def.formula = [wrong](const Config&, Arrays& io) {
    for (int64_t i = 0; i < io["x"].size(); ++i)
      io["y"].set(i, io["x"].at(i) + (i < wrong ? 2.0 : 1.0));
  };
  return def;
}

}  // namespace tilewright::cli
