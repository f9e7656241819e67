// Hover: what a name stands for, and what an operation means and costs here.
#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/ir/infer.h"
#include "tilewright/ir/walk.h"
#include "tilewright/lsp/features.h"
#include "tilewright/lsp/lookup.h"
#include "tilewright/lsp/op_catalogue.h"
#include "tilewright/lsp/values.h"

namespace tilewright::lsp {
namespace {

using At = std::pair<uint32_t, uint32_t>;

std::string sighting_markdown(const Witness& w, const std::string& path, const At& at) {
  for (const CheckedProgram& p : w.analysis->programs) {
    const auto file = p.names.find(path);
    if (file == p.names.end() || !p.session || !p.session->built()) continue;
    const auto it = file->second.find(at);
    if (it != file->second.end()) return value_markdown(*p.session, it->second);
  }
  return "";
}

std::string constant_markdown(const Analysis& a, const std::string& name) {
  for (const frontend::Argument& g : a.arguments)
    if (g.name == name)
      return fmt::format("`{}` = `{}`: a number of the file; the setting `args` replaces it", name,
                         g.value);
  return "";
}

// Of the class or function that is a program.
std::string program_markdown(const Analysis& a, const std::string& name) {
  for (const CheckedProgram& p : a.programs) {
    if (!p.session || !p.session->built() || p.session->program().name != name) continue;
    const ir::Program& program = p.session->program();
    int64_t scopes = 0;
    ir::for_each_stmt(program.body,
                      [&](const ir::Stmt& s) { scopes += s.as<ir::Scope>() != nullptr; });
    return fmt::format("program **{}**: {}, {}", name,
                       counted(static_cast<int64_t>(program.params.size()), "parameter"),
                       counted(scopes, "scope"));
  }
  return "";
}

// The type that the operation at a place gives, in the first program that has it.
std::string result_markdown(const Analysis& a, const std::string& path, const At& at) {
  for (const CheckedProgram& p : a.programs) {
    if (!p.session || !p.session->built()) continue;
    const ir::Program& program = p.session->program();
    const ir::Op* found = nullptr;
    ir::for_each_op(program.body, [&](const ir::Op& op) {
      if (op.place.line == at.first && op.place.column == at.second && op.place.file == path)
        found = &op;
    });
    if (!found) continue;
    const ir::Var& v = program[found->dst];
    const std::string memory = memory_text(*p.session, found->dst);
    const std::string valid = valid_text(program, found->dst);
    return fmt::format("gives **{}**{}, {}{}", ir::type_text(v),
                       memory.empty() ? "" : " in " + memory, human_bytes(v.bytes()),
                       valid.empty() ? "" : fmt::format(", valid `{}`", valid));
  }
  return "";
}

// Predicted core time of the line.
std::string cost_markdown(const View& view, const std::string& path, uint32_t line) {
  if (!view.prediction) return "";
  for (const auto& times : view.prediction->programs) {
    if (!times) continue;
    for (const report::LineShare& s : times->lines)
      if (s.line == line && s.file == path)
        return fmt::format(
            "this line: {:.2f} us of core time, {:.1f} % of the program's (predicted, {})",
            s.busy_us, 100 * s.share, view.settings->platform);
  }
  return "";
}

std::string op_markdown(const View& view, const NameAt& name, const OpEntry& op) {
  std::string out = fmt::format("```python\n{}\n```", op.signature());
  if (!op.meaning.empty()) out += "\n\n" + op.meaning;
  if (!op.rule.empty()) out += "\n\nrule: " + op.rule;
  for (const Witness& w : witnesses(view)) {
    const auto at = w.place_of(view, name.begin);
    if (!at) continue;
    const std::string result = result_markdown(*w.analysis, view.document->path, *at);
    if (result.empty()) continue;
    out += "\n\n" + result;
    if (view.prediction && view.prediction->analysis == w.analysis)
      if (const auto cost = cost_markdown(view, view.document->path, at->first); !cost.empty())
        out += "\n\n" + cost;
    break;
  }
  return out;
}

std::string name_markdown(const View& view, const NameAt& name) {
  for (const Witness& w : witnesses(view)) {
    const auto at = w.place_of(view, name.range.begin);
    if (!at) continue;
    if (auto text = sighting_markdown(w, view.document->path, *at); !text.empty()) return text;
  }
  for (const Witness& w : witnesses(view))
    if (auto text = constant_markdown(*w.analysis, name.last); !text.empty()) return text;
  for (const Witness& w : witnesses(view))
    if (auto text = program_markdown(*w.analysis, name.last); !text.empty()) return text;
  return "";
}

}  // namespace

Value hover(const View& view, const Value& params) {
  const auto name = name_at(view.document->lines, position_in(view, params));
  if (!name) return nullptr;
  std::string text;
  if (name->path.starts_with("pl.")) {
    if (const OpEntry* op = find_op(name->path.substr(3))) text = op_markdown(view, *name, *op);
  } else if (name->path == name->last) {
    text = name_markdown(view, *name);
  }
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}},
          {"range", view.document->lines.to_json(name->range, view.client.encoding)}};
}

}  // namespace tilewright::lsp
