#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/base/text.h"
#include "tilewright/compile/l0/choose_tile.h"
#include "tilewright/compile/l0/valid_depth.h"
#include "tilewright/compile/l0/whole.h"
#include "tilewright/compile/l0/windows.h"
#include "tilewright/compile/l0/write_product.h"
#include "tilewright/compile/passes/passes.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/print.h"
#include "tilewright/ir/walk.h"

namespace tilewright::compile {
namespace {

using namespace ir;
using enum MemorySpace;

bool is_product(const Op& op) { return op_family(op.kind) == OpFamily::Matmul; }

// Whether some product of the kernel is too large as it is; most kernels have none.
bool needs_tiling(const Program& p, const Kernel& kernel, const platform::Platform& platform) {
  bool found = false;
  for_each_op(kernel.body, [&](const Op& op) {
    found = found || (is_product(op) && !fits_l0(product_of(op, p), platform));
  });
  return found;
}

class ProductTiler {
 public:
  ProductTiler(Plan& plan, Kernel& kernel, UniqueNames& names, PassContext& context)
      : plan_(plan), p_(plan.program), k_(kernel), writer_(p_, names), names_(names),
        context_(context), whole_(plan, kernel), valid_depth_(kernel) {
    for_each_op(kernel.body, [&](const Op& op) {
      const bool feeds = op.kind == OpKind::Move && op.inserted && p_[op.args[0]].space == Mat;
      if (feeds) in_mat_[op.dst] = op.args[0];
    });
  }

  void run() {
    cut_outputs();
    cut_depths(k_.body);
    drop_unread_moves();
    for (const Told& t : told_) tell(t);
  }

 private:
  // ---- windows of the output ----

  void cut_outputs() {
    std::map<VarId, Op> too_large;  // by accumulator: one of its products
    for_each_op(k_.body, [&](const Op& op) {
      if (!is_product(op)) return;
      const Product product = product_of(op, p_);
      const bool fits = sums_in_32_bits(op, p_) ? accumulator_fits(product, context_.platform)
                                                : fits_l0(product, context_.platform);
      if (!fits) too_large.emplace(op.dst, op);
    });
    for (auto& [accumulator, op] : too_large) cut_output(accumulator, op);
  }

  void cut_output(VarId accumulator, const Op& op) {
    OutputWindows windows(plan_, k_, accumulator, in_mat_, whole_);
    std::string obstacle = windows.obstacle();
    Product product = product_of(op, p_);
    product.trips = windows.trips();
    product.can_cut_output = true;
    product.can_cut_depth = sums_in_32_bits(op, p_);
    const auto tile = obstacle.empty() ? choose_l0_tile(product, context_.platform) : std::nullopt;
    if (obstacle.empty() && !tile) obstacle = no_tile(product);
    if (!tile) {
      explain(op, product, obstacle);
      refused_.insert(accumulator);
      return;
    }
    windows.cut(*tile, writer_, names_);
    announce(op, product, *tile);
  }

  // ---- blocks of k ----

  void cut_depths(Block& block) {
    Block out;
    for (Stmt& s : block) {
      const auto* op = s.as<Op>();
      if (!op) {
        for_each_body(s, [&](Block& body) { cut_depths(body); });
      } else if (is_product(*op) && !refused_.contains(op->dst) &&
                 !fits_l0(product_of(*op, p_), context_.platform)) {
        if (auto cut = cut_depth(*op, out)) {
          for (Stmt& part : *cut) out.push_back(std::move(part));
          continue;
        }
      }
      out.push_back(std::move(s));
    }
    block = std::move(out);
  }

  std::optional<Block> cut_depth(const Op& op, const Block& before) {
    Product product = product_of(op, p_);
    std::string obstacle = obstacle_to_parts(op, p_, in_mat_);
    std::optional<Expr> depth;  // where less than K is valid
    if (obstacle.empty()) {
      obstacle = obstacle_to_blocks(op, p_, in_mat_, whole_);
      if (!obstacle.empty()) depth = valid_depth_.of(from_mat(op, in_mat_), before, p_);
      if (depth) obstacle.clear();
      product.equal_blocks = depth.has_value();
    }
    const auto tile = obstacle.empty() ? choose_l0_tile(product, context_.platform) : std::nullopt;
    if (obstacle.empty() && !tile) obstacle = no_tile(product);
    if (!tile) {
      explain(op, product, obstacle);
      return std::nullopt;
    }
    announce(op, product, *tile);
    const Op in_mat = from_mat(op, in_mat_);
    return depth ? writer_.write_valid(in_mat, *depth, tile->k)
                 : writer_.write(in_mat, {0, product.m}, {0, product.n}, tile->k);
  }

  std::string no_tile(const Product& product) const {
    const int64_t step = k_step(product.operands, context_.platform);
    if (product.k % step != 0)
      return fmt::format("K is {}, but blocks of {} must be multiples of {}", product.k,
                         dtype_short_name(product.operands), step);
    const std::string why =
        product.can_cut_depth ? "" : "; a 16-bit result is rounded only once, so K cannot be split";
    return fmt::format("no tile in multiples of {} fits Left, Right and Acc{}",
                       context_.platform.fractal_rows, why);
  }

  // Moves of whole operands that no product reads any more.
  void drop_unread_moves() {
    std::set<VarId> read;
    for_each_op(k_.body, [&](const Op& op) { read.insert(op.args.begin(), op.args.end()); });
    drop_unread_moves(k_.body, read);
  }

  void drop_unread_moves(Block& block, const std::set<VarId>& read) {
    std::erase_if(block, [&](const Stmt& s) {
      const auto* op = s.as<Op>();
      return op && in_mat_.contains(op->dst) && !read.contains(op->dst);
    });
    for (Stmt& s : block)
      for_each_body(s, [&](Block& body) { drop_unread_moves(body, read); });
  }

  // ---- what is said ----

  static std::string text(const Product& p) {
    return fmt::format("product [{} x {}] x [{} x {}]", p.m, p.k, p.k, p.n);
  }

  // The same cut of the same product is told once for a kernel.
  struct Told {
    Product product;
    L0Tile tile;
    Place place;  // of the first
    int64_t count = 1;
  };

  void announce(const Op& op, const Product& product, const L0Tile& tile) {
    const auto same = std::ranges::find_if(
        told_, [&](const Told& t) { return t.product == product && t.tile == tile; });
    if (same == told_.end())
      told_.push_back({product, tile, op.place});
    else
      ++same->count;
  }

  void tell(const Told& t) {
    const std::string several =
        t.count > 1 ? fmt::format(" (and {} more)", counted(t.count - 1, "product")) : "";
    context_.report(
        p_, t.place, k_.name, "",
        {.severity = Severity::Note, .code = "l0-tiling",
         .what = fmt::format("{} is tiled for L0 as m={} n={} k={}: {}, {}{}", text(t.product),
                             t.tile.m, t.tile.n, t.tile.k, counted(t.tile.windows, "window"),
                             counted(t.tile.k_blocks, "k block"), several),
         .law = fmt::format("Left and Right each hold {} of their operand; Acc holds the output "
                            "window that accumulates",
                            t.tile.copies == 1 ? "one k block" : "two k blocks"),
         .help = cost_text(t.product, t.tile)});
  }

  std::string cost_text(const Product& product, const L0Tile& tile) const {
    if (!context_.platform.timing) return "use smaller tiles to replace this choice";
    const double at_once = std::max(tile.load, tile.multiply);
    const std::string trips =
        product.trips > 1 ? fmt::format(" in {} trips", product.trips) : std::string();
    std::string text = fmt::format(
        "no action needed; the product takes about {:.0f} cycles{}: "
        "{:.0f} to fill Left and Right, overlapped with {:.0f} to multiply",
        tile.windows > 1 ? tile.cycles() : at_once, trips, tile.load, tile.multiply);
    if (tile.windows > 1) text += fmt::format(", then {:.0f} to drain the windows", tile.drain);
    return text;
  }

  void explain(const Op& op, const Product& product, const std::string& obstacle) {
    context_.report(p_, op.place, k_.name, written_text(op, p_),
                    {.severity = Severity::Note, .code = "l0-not-tiled",
                     .what = fmt::format("{} is not tiled for L0: {}", text(product), obstacle),
                     .law = "a product too large for Left, Right or Acc is tiled only if its "
                            "operands are whole tiles in Mat; its output is tiled only if it goes "
                            "to GM or to another product",
                     .help = "remove the obstacle, or use smaller tiles"});
  }

  Plan& plan_;
  Program& p_;
  Kernel& k_;
  ProductWriter writer_;
  UniqueNames& names_;
  PassContext& context_;
  WholeValues whole_;
  ValidDepth valid_depth_;
  InMat in_mat_;
  std::vector<Told> told_;
  std::set<VarId> refused_;  // accumulators that could not be cut
};

}  // namespace

void tile_products(Plan& plan, PassContext& context) {
  if (context.platform.one_address_space) return;  // no memory of a product's own
  std::optional<UniqueNames> names;
  for (Kernel& k : plan.kernels) {
    if (!needs_tiling(plan.program, k, context.platform)) continue;
    if (!names) names.emplace(plan.program);
    ProductTiler(plan, k, *names, context).run();
  }
}

}  // namespace tilewright::compile
