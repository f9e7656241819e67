#include "tilewright/frontend/lower/liveness.h"

#include <algorithm>
#include <iterator>

namespace tilewright::frontend {
namespace {

Names sorted(Names names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Names either(const Names& a, const Names& b) {
  Names out;
  std::ranges::set_union(a, b, std::back_inserter(out));
  return out;
}
Names without(const Names& a, const Names& b) {
  Names out;
  std::ranges::set_difference(a, b, std::back_inserter(out));
  return out;
}
Names both(const Names& a, const Names& b) {
  Names out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}

Names names_in(const Expr* e) {
  Names out;
  if (e) collect_names(*e, out);
  return sorted(std::move(out));
}

Names target_names(const Stmt& s) {
  Names out;
  for (const Expr* t : s.targets)
    if (t->kind == ExprKind::Name) out.push_back(t->text);
  return sorted(std::move(out));
}

// `x = y` and pl.yield_ hand a value on; whether y is read again decides if it must be copied.
bool hands_over(const Expr& value) {
  if (value.kind == ExprKind::Name) return true;
  return value.kind == ExprKind::Call && value.parts[0]->text == "yield_";
}

}  // namespace

void collect_names(const Expr& e, std::vector<std::string_view>& out) {
  if (e.kind == ExprKind::Name) out.push_back(e.text);
  for (const Expr* p : e.parts)
    if (p) collect_names(*p, out);
  for (const Keyword& k : e.keywords) collect_names(*k.value, out);
}

Liveness::Liveness(const Body& body) {
  flow(body);
  live(body);
  live_.clear();
  undo_.clear();
  flows_.clear();
  body_flows_.clear();
  other_flows_.clear();
}

Liveness::Flow Liveness::flow(const Body& body) {
  std::unordered_set<std::string_view> gen, kill;
  Names assigned;
  Flow out;
  for (const Stmt* s : body) {
    const Flow f = flow(*s);
    for (std::string_view n : f.gen)
      if (!kill.contains(n)) gen.insert(n);
    kill.insert(f.kill.begin(), f.kill.end());
    assigned.insert(assigned.end(), f.assigned.begin(), f.assigned.end());
    out.jumps = out.jumps || f.jumps;
  }
  out.gen = sorted({gen.begin(), gen.end()});
  out.kill = sorted({kill.begin(), kill.end()});
  out.assigned = sorted(std::move(assigned));
  return out;
}

Liveness::Flow Liveness::flow(const Stmt& s) {
  Flow f;
  f.gen = names_in(s.value);
  switch (s.kind) {
    case StmtKind::Assign: {
      f.kill = f.assigned = target_names(s);
      for (const Expr* t : s.targets) {
        if (t->kind != ExprKind::Subscript) continue;  // x[a:b] = v reads and writes x
        f.gen = either(f.gen, names_in(t));
        if (t->parts[0]->kind == ExprKind::Name) f.assigned = either(f.assigned, {t->parts[0]->text});
      }
      return f;
    }
    case StmtKind::For:
    case StmtKind::While: {
      Flow body = flow(s.body);
      const Names heads = target_names(s);
      f.assigned = either(body.assigned, heads);
      // What follows a break or continue may not run, so nothing is certainly assigned.
      if (body.jumps) body.kill.clear();
      f.gen = either(f.gen, without(body.gen, heads));
      body_flows_[&s] = std::move(body);
      flows_[&s] = f;
      return f;
    }
    case StmtKind::If: {
      Flow then = flow(s.body);
      Flow other = flow(s.other);
      f.gen = either(f.gen, either(then.gen, other.gen));
      f.kill = both(then.kill, other.kill);
      f.assigned = either(then.assigned, other.assigned);
      f.jumps = then.jumps || other.jumps;
      body_flows_[&s] = std::move(then);
      other_flows_[&s] = std::move(other);
      flows_[&s] = f;
      return f;
    }
    case StmtKind::With: {
      const Flow body = flow(s.body);
      const Names head = s.name.empty() ? Names{} : Names{s.name};
      f.gen = either(f.gen, without(body.gen, head));
      f.kill = either(body.kill, head);
      f.assigned = either(body.assigned, head);
      f.jumps = body.jumps;
      flows_[&s] = f;
      return f;
    }
    case StmtKind::Break:
    case StmtKind::Continue: f.jumps = true; return f;
    default: return f;
  }
}

void Liveness::add_live(const Names& names) {
  for (std::string_view n : names)
    if (live_.insert(n).second) undo_.push_back({n, true});
}

void Liveness::remove_live(const Names& names) {
  for (std::string_view n : names)
    if (live_.erase(n)) undo_.push_back({n, false});
}

void Liveness::roll_back(std::size_t mark) {
  for (; undo_.size() > mark; undo_.pop_back()) {
    if (undo_.back().added)
      live_.erase(undo_.back().name);
    else
      live_.insert(undo_.back().name);
  }
}

void Liveness::live(const Body& body) {
  for (auto it = body.rbegin(); it != body.rend(); ++it) live(**it);
}

// On entry `live_` is what is read after the statement, on exit what is read from it on.
void Liveness::live(const Stmt& s) {
  const auto read_later = [&](const Names& names) {
    Names out;
    std::ranges::copy_if(names, std::back_inserter(out), [&](auto n) { return live_.contains(n); });
    return out;
  };
  const bool loop = s.kind == StmtKind::For || s.kind == StmtKind::While;
  if (loop) {
    const Flow& body = body_flows_[&s];
    Block& b = blocks_[&s];
    b.assigned = body.assigned;
    b.exposed = s.kind == StmtKind::While ? either(body.gen, names_in(s.value)) : body.gen;
    b.read_later = read_later(names_in(s.value));
    // With a jump any read inside may see any assignment inside.
    const Names carried = body.jumps ? body.assigned : both(body.assigned, b.exposed);
    b.merged = either(carried, read_later(body.assigned));
    const Names from_head = flows_[&s].gen;
    add_live(from_head);
    const std::size_t start = mark();
    add_live(b.exposed);
    live(s.body);
    roll_back(start);
    return;
  }
  if (s.kind == StmtKind::If) {
    const Flow& f = flows_[&s];
    Block& b = blocks_[&s];
    b.assigned = f.assigned;
    b.exposed = f.gen;
    b.on_all_paths = f.kill;
    b.merged = read_later(f.assigned);
    for (const Body* branch : {&s.body, &s.other}) {
      const std::size_t start = mark();
      live(*branch);
      roll_back(start);
    }
    remove_live(f.kill);
    add_live(f.gen);
    return;
  }
  if (s.kind == StmtKind::With) {
    const Flow& f = flows_[&s];
    blocks_[&s].assigned = f.assigned;
    live(s.body);
    add_live(names_in(s.value));
    return;
  }
  if (s.kind == StmtKind::Assign && s.value && hands_over(*s.value))
    blocks_[&s].read_later = read_later(names_in(s.value));
  const Flow f = flow(s);
  remove_live(f.kill);
  add_live(f.gen);
}

}  // namespace tilewright::frontend
