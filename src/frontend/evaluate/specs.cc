#include "tilewright/frontend/evaluate/specs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/frontend/evaluate/functions.h"
#include "tilewright/frontend/evaluate/interpreter.h"
#include "tilewright/frontend/torch/torch.h"
#include "tilewright/frontend/file.h"

namespace tilewright::frontend {
namespace {

// Executes something of the file that may fail in any way without harm to the program.
template <class Action>
Value leniently(const Action& action) {
  try {
    return action();
  } catch (const UserError& e) {
    return unknown(e.diagnostic().what, {});
  } catch (const PythonRaise& raised) {
    return unknown(raised.text, raised.place);
  }
}

// `if __name__ == "__main__":`
bool is_main_part(const Stmt& s) {
  return s.kind == StmtKind::If && s.value->kind == ExprKind::Compare &&
         dotted_path(*s.value->parts[0]) == "__name__";
}

class SpecReader {
 public:
  SpecReader(World& world, Modules& modules, const Stmt& program)
      : world_(world), modules_(modules), module_(modules.main()) {
    if (const Stmt* entry = entry_function(program))
      for (const Parameter& p : entry->parameters) wanted_.insert(std::string(p.name));
    program_ = &program;
  }

  Specs run() {
    run_main_part(world_, modules_);
    Specs out;
    std::vector<std::size_t> best;
    std::size_t most = 0;
    const Launch* from = nullptr;
    const auto consider = [&](const std::vector<std::size_t>& specs, const Launch* l = nullptr) {
      const std::size_t named = count_wanted(specs);
      if (named <= most) return;
      most = named;
      best = specs;
      from = l;
    };
    for (const bool compiles : {false, true})  // a start tells more than a compilation
      for (const Launch& l : world_.launches)
        if (const auto* f = l.program.as<Function>();
            f && f->def == program_ && l.compiles == compiles) {
          out.started = true;
          if (!from) from = &l;
          consider(specs_in(l.specs), &l);
          if (const auto* u = l.specs.as<Unknown>(); u && out.unread.empty())
            out.unread = cause_text(*u);
        }
    if (best.empty())
      for (const Launch& l : world_.launches) consider(specs_in(l.specs), &l);
    if (best.empty()) consider(all_specs());
    if (best.empty()) try_spec_functions(consider);
    if (!best.empty()) out.unread.clear();
    if (from) {
      module_.names.values = from->globals;
      out.compiles = from->compiles;
      const auto* other = out.started ? nullptr : from->program.as<Function>();
      if (other && other->def) out.of = std::string(other->def->name);
    }
    for (std::size_t i : best) out.list.push_back(read(world_.specs[i]));
    if (!out.started) out.stopped = world_.main_stopped;
    return out;
  }

 private:
  // What the main part made, whether or not it got as far as starting a program with it.
  std::vector<std::size_t> all_specs() const {
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < world_.specs.size(); ++i)
      if (const auto* name = world_.specs[i].field("name").as<std::string>()) by_name[*name] = i;
    std::vector<std::size_t> out;
    for (const auto& entry : by_name) out.push_back(entry.second);
    return out;
  }

  template <class Consider>
  void try_spec_functions(const Consider& consider) {
    for (const Stmt* s : module_.parsed->body()) {
      if (s->kind != StmtKind::Function || !makes_inputs(s->name)) continue;
      const Value* f = module_.names.find(s->name);
      if (!f || !f->as<Function>()) continue;
      CallValues args;
      for (const Parameter& p : s->parameters)
        if (!p.initial && p.kind == Parameter::Kind::Plain)
          args.keywords.emplace_back(std::string(p.name), unknown(std::string(p.name), {}));
      consider(specs_in(leniently([&] {
        return Interpreter(world_, modules_, module_.names).call_value(*f, args, s->at);
      })));
    }
  }

  // The specs in a list or dictionary, as places in world_.specs.
  std::vector<std::size_t> specs_in(const Value& v) const {
    std::vector<std::size_t> out;
    if (const auto number = spec_number(v)) return {*number};
    const auto add = [&](const Value& part) {
      const auto inner = specs_in(part);
      out.insert(out.end(), inner.begin(), inner.end());
    };
    if (const auto* l = v.as<List>())
      for (const Value& item : l->items()) add(item);
    if (const auto* d = v.as<Dict>())
      for (const auto& entry : *d->data) add(entry.second);
    return out;
  }

  std::size_t count_wanted(const std::vector<std::size_t>& specs) const {
    return static_cast<std::size_t>(std::ranges::count_if(specs, [&](std::size_t i) {
      const auto* name = world_.specs[i].field("name").as<std::string>();
      return name && wanted_.contains(*name);
    }));
  }

  TensorSpec read(const SpecCall& call) {
    TensorSpec out;
    out.place = call.place;
    out.scalar = call.scalar;
    if (const auto* name = call.field("name").as<std::string>()) out.name = *name;
    out.dtype = torch_dtype(call.field("dtype"));
    if (call.scalar) {
      if (const auto init = initialiser_of(call.field("value"))) out.value = init->shift;
      return out;
    }
    if (const auto* dims = call.field("shape").as<List>())
      for (const Value& d : dims->items()) {
        const auto size = d.integer();
        if (!size) {
          out.shape.clear();
          out.unread_shape = d.as<Unknown>() ? cause_text(*d.as<Unknown>()) : kind_text(d);
          break;
        }
        out.shape.push_back(*size);
      }
    if (const auto* u = call.field("shape").as<Unknown>()) out.unread_shape = cause_text(*u);
    const Value& given = call.field("init_value");
    if (given.as<None>()) return out;
    const auto* is_output = call.field("is_output").as<bool>();
    out.initialised_output = is_output && *is_output;
    const Value init = !given.as<Function>() ? given : leniently([&] {
      return Interpreter(world_, modules_, module_.names).initial_values(call, {});
    });
    out.init = initialiser_of(init);
    if (const auto* m = init.as<Made>(); m && out.init && out.init->kind == Initialiser::Kind::Values &&
                                         element_count(m->tensor->shape) != element_count(out.shape))
      out.init.reset();
    if (!out.init)
      out.unread = init.as<Unknown>() ? cause_text(*init.as<Unknown>()) : kind_text(init);
    return out;
  }

  World& world_;
  Modules& modules_;
  ModuleInfo& module_;
  const Stmt* program_ = nullptr;
  std::set<std::string> wanted_;
};

}  // namespace

void run_main_part(World& world, Modules& modules) {
  if (world.main_started) return;
  world.main_started = true;
  ModuleInfo& module = modules.main();
  for (const Stmt* s : module.parsed->body()) {
    if (!is_main_part(*s)) continue;
    const Bindings before = module.names.values;
    module.names.bind("__name__", {std::string("__main__")});
    const Value end = leniently([&] {
      Interpreter(world, modules, module.names).run(s->body);
      return Value{None{}};
    });
    if (const auto* u = end.as<Unknown>(); u && u->cause->what != "SystemExit")
      world.main_stopped = cause_text(*u);
    module.names.values = before;
  }
}

Specs read_specs(World& world, Modules& modules, const Stmt& program) {
  return SpecReader(world, modules, program).run();
}

}  // namespace tilewright::frontend
