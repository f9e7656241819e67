#include "tilewright/results/printed_lines.h"

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/frontend/frontend.h"
#include "tilewright/ir/plan.h"
#include "tilewright/ir/print.h"
#include "tilewright/session/predict.h"

namespace tilewright::results {
namespace {

bool same_kernels(const ir::Plan& a, const ir::Plan& b) {
  return std::ranges::equal(a.kernels, b.kernels, {}, &ir::Kernel::name, &ir::Kernel::name);
}

// Copies of the arrays that decide which tasks exist; they are small.
catalog::Arrays copies_of(const catalog::Arrays& arrays) {
  catalog::Arrays out;
  for (const auto& [name, array] : arrays.all()) out.add(name, array.clone());
  return out;
}

}  // namespace

std::optional<PrintedLines> printed_lines(session::Session& s) {
  PrintedLines out{s.name() + ", as show prints it", {}, {}};
  const std::string text = ir::print(s.program());
  out.text = split(text, '\n');
  try {
    const frontend::Lowered again = frontend::File::parse(out.name, text).lower("", {});
    session::Session other(again.program, s.request());
    if (!other.build() || !other.compile() || !same_kernels(*s.plan(), *other.plan()) ||
        !other.use_inputs(copies_of(s.arrays()), s.scalars()) || !other.unroll())
      return std::nullopt;
    const ir::RunRecord record =
        session::simulate(other, other.machine(), {.keep_slices = true, .progress = {}});
    out.shares = report::line_shares(*other.plan(), record);
  } catch (const UserError&) {  // the program uses something that cannot be written as text
    return std::nullopt;
  }
  return out;
}

}  // namespace tilewright::results
