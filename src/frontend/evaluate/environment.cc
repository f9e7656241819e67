#include "tilewright/frontend/evaluate/environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/frontend/evaluate/evaluator.h"

namespace tilewright::frontend {
namespace {

constexpr std::size_t kMostOffered = 1000;  // more can be set, but are not listed

void note_written(World::Choosable& choosable, std::optional<Written> written) {
  if (written) choosable.written.push_back(std::move(*written));
}

}  // namespace

const Value* Environment::find(std::string_view name) const {
  for (const Environment* e = this; e; e = e->outer) {
    if (e->of_class && e != this) continue;
    const auto it = e->values.find(name);
    if (it != e->values.end()) return &it->second;
  }
  return nullptr;
}

const Value& SpecCall::field(std::string_view name) const {
  static const Value kNone{None{}};
  const Value* v = object.find(name);
  return v ? *v : kNone;
}

const Value* ClassInfo::find(std::string_view member) const {
  const auto it = names.values.find(member);
  if (it != names.values.end()) return &it->second;
  for (const ClassInfo* base : bases)
    if (const auto inherited = base->names.values.find(member);
        inherited != base->names.values.end())
      return &inherited->second;
  return nullptr;
}

World::World(Choices choices, Choices command_line, int64_t most_steps)
    : argv(List::of({{std::string()}})),
      choices_(std::move(choices)),
      command_line_(std::move(command_line)),
      most_steps_(most_steps) {
  // Some files look for an option before they import anything. Every choice may be one.
  Choices said = choices_;
  said.insert(command_line_.begin(), command_line_.end());
  for (const auto& [name, value] : said) {
    const auto* flag = value.as<bool>();
    if (flag && !*flag) continue;
    std::string option = "--" + name;
    std::ranges::replace(option, '_', '-');
    argv.data->push_back({option});
    if (!flag) argv.data->push_back({python_text(value, false).value_or("")});
  }
}

const Value* World::option(std::string_view name) {
  if (const Value* v = chosen(name)) return v;
  const auto it = command_line_.find(std::string(name));
  return it == command_line_.end() ? nullptr : &it->second;
}

const Value* World::chosen(std::string_view name) {
  const auto it = choices_.find(std::string(name));
  if (it == choices_.end()) return nullptr;
  used_.insert(it->first);
  return &it->second;
}

void World::offer(std::string_view name, const Value& value, std::optional<Written> written) {
  if (choosable_.size() >= kMostOffered) return;
  if (offered_.insert(std::string(name)).second) {
    choosable_.push_back({std::string(name), value, {}});
    note_written(choosable_.back(), std::move(written));
  } else if (const auto it = std::ranges::find(choosable_, name, &Choosable::name);
             it != choosable_.end() && !it->written.empty()) {
    note_written(*it, std::move(written));  // --arg replaces it there, too
  }
}

void World::offer_first(std::string_view name, const Value& value,
                        std::optional<Written> written) {
  if (!offered_.insert(std::string(name)).second)
    std::erase_if(choosable_, [&](const Choosable& c) { return c.name == name; });
  of_builders_ = std::min(of_builders_, static_cast<std::ptrdiff_t>(choosable_.size()));
  const auto it =
      choosable_.insert(choosable_.begin() + of_builders_++, {std::string(name), value, {}});
  note_written(*it, std::move(written));
}

void World::give_up(const Place& place) const {
  throw TooLong({Severity::Error, "evaluate",
                 fmt::format("evaluating the file takes more than {} steps", most_steps_),
                 fmt::format("at {}", place.text()),
                 "code outside programs is evaluated once, before the programs are read",
                 "check the loops outside programs", place.excerpt(), place});
}

}  // namespace tilewright::frontend
