// A scalar read in a loop that it does not depend on: once before the loop is enough.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/improve/findings/look.h"
#include "tilewright/improve/rewrites/rewrites.h"
#include "tilewright/ir/walk.h"

namespace tilewright::improve {
namespace {

using namespace ir;

bool depends_on_body(const Read& read, const For& loop) {
  std::set<VarId> made{loop.var};
  bool written = false;
  for_each_stmt(loop.body, [&](const Stmt& s) {
    if (const VarId v = scalar_defined(s); v.valid() && v != read.var) made.insert(v);
    for_each_array_use(s, [&](VarId v, bool write) {
      written = written || (write && v == read.array);
    });
  });
  bool used = written;
  for (const Expr& e : read.index)
    e.for_each_var([&](VarId v) { used = used || made.contains(v); });
  return used;
}

struct Found {
  Read read;
  const Stmt* loop = nullptr;  // the outermost that it can leave
  int64_t trips = 1;
};

int64_t trips_of(const For& loop) {
  if (!loop.start.is_constant() || !loop.stop.is_constant()) return 2;  // more than one
  return std::max<int64_t>(0, (loop.stop.constant() - loop.start.constant() + loop.step - 1) /
                                  loop.step);
}

std::vector<Found> invariant_reads(Program& p) {
  std::vector<Found> all;
  for_each_inside(p.body, [&](Stmt& s, const std::vector<Stmt*>& around) {
    const Read* read = s.as<Read>();
    if (!read || !p.param_of(read->array)) return;  // what a task computes stays where it is
    Found f{*read, nullptr, 1};
    for (auto it = around.rbegin(); it != around.rend(); ++it) {
      if ((*it)->as<If>() || (*it)->as<While>()) break;
      const For* loop = (*it)->as<For>();
      if (!loop) continue;
      if (depends_on_body(*read, *loop)) break;
      f.loop = *it;
      f.trips *= trips_of(*loop);
    }
    if (f.loop && f.trips > 1) all.push_back(f);
  });
  return all;
}

bool erase_read(Block& block, VarId var) {
  const auto it = std::ranges::find_if(block, [&](const Stmt& s) {
    const Read* r = s.as<Read>();
    return r && r->var == var;
  });
  if (it != block.end()) {
    block.erase(it);
    return true;
  }
  bool done = false;
  for (Stmt& s : block)
    for_each_body(s, [&](Block& body) { done = done || erase_read(body, var); });
  return done;
}

bool insert_before(Block& block, const Stmt* loop, const Read& read) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (&block[i] == loop) {
      block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), Stmt{read});
      return true;
    }
    bool done = false;
    for_each_body(block[i], [&](Block& body) { done = done || insert_before(body, loop, read); });
    if (done) return true;
  }
  return false;
}

}  // namespace

void hoist_invariant_reads(const Subject& s, Rewrites& out) {
  Program copy = s.program;
  const std::size_t count = invariant_reads(copy).size();
  for (std::size_t i = 0; i < count; ++i) {
    Program changed = s.program;
    const Found f = invariant_reads(changed)[i];
    // The loop's address stays valid until something is put in front of it.
    if (!erase_read(changed.body, f.read.var) || !insert_before(changed.body, f.loop, f.read))
      continue;
    out.push_back({"invariant-read",
                   fmt::format("{} is read {} times where once is enough",
                               s.program[f.read.array].written_name(), f.trips),
                   Where{f.read.place}, "read it before the loop", std::move(changed)});
  }
}

}  // namespace tilewright::improve
