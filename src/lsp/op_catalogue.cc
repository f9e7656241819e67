#include "tilewright/lsp/op_catalogue.h"

#include <algorithm>
#include <map>

#include "tilewright/base/dtype.h"
#include "tilewright/base/memory_space.h"
#include "tilewright/base/text.h"
#include "tilewright/frontend/lower/words.h"
#include "tilewright/lsp/data.h"

namespace tilewright::lsp {
namespace {

struct DocRow {
  std::string rule, meaning;
};

std::string trimmed_cell(std::string_view cell) {
  const std::size_t from = std::min(cell.find_first_not_of(' '), cell.size());
  const std::size_t to = cell.find_last_not_of(' ');
  return std::string(cell.substr(from, to == std::string_view::npos ? 0 : to + 1 - from));
}

// "`add`, `sub` `(a, b)`", "`exp(x)`, `log(x)`", "`row_expand_add`, `_sub` `(x, v)`".
std::vector<std::string> names_in_cell(const std::string& cell) {
  std::vector<std::string> out;
  const std::vector<std::string> parts = split(cell, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    const std::string name = parts[i].substr(0, parts[i].find('('));
    if (name.empty()) continue;
    if (name.starts_with('_') && !out.empty())
      out.push_back(out.front().substr(0, out.front().rfind('_')) + name);
    else
      out.push_back(name);
  }
  return out;
}

// The rows of the tables of operations.
std::map<std::string, DocRow> documented_ops() {
  std::map<std::string, DocRow> out;
  bool inside = false;
  for (const std::string& line : split(data_files().front().text, '\n')) {
    if (line.starts_with("## ")) inside = line == "## Operations";
    if (!inside || !line.starts_with("| `")) continue;
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 4) continue;
    for (const std::string& name : names_in_cell(cells[1]))
      out.try_emplace(name, DocRow{trimmed_cell(cells[2]), trimmed_cell(cells[3])});
  }
  return out;
}

std::vector<std::string> words_of(const std::vector<std::string_view>& list) {
  return {list.begin(), list.end()};
}

std::vector<OpEntry> make_catalogue() {
  const auto docs = documented_ops();
  std::vector<OpEntry> out;
  for (const frontend::PlWord& w : frontend::pl_words())
    out.push_back({std::string(w.name), "", std::string(w.meaning), false,
                   words_of(w.signature.positional), words_of(w.signature.keywords)});
  for (int i = 0; i < ir::kOpCount; ++i) {
    const auto kind = static_cast<ir::OpKind>(i);
    const std::string name(ir::op_name(kind));
    if (kind == ir::OpKind::Copy || kind == ir::OpKind::GatherMask) continue;
    const frontend::Signature s = frontend::op_signature(kind);
    OpEntry entry{name, "", "", true, words_of(s.positional), words_of(s.keywords)};
    if (kind == ir::OpKind::ScatterMask) entry.name = "scatter";
    if (const auto it = docs.find(name); it != docs.end()) {
      entry.rule = it->second.rule;
      entry.meaning = it->second.meaning;
    }
    if (kind == ir::OpKind::Create)
      entry.meaning = "a tensor in GM outside a scope, a tile inside; its contents are undefined";
    if (kind == ir::OpKind::Full) entry.meaning = "a tile of which every element is `value`";
    if (kind == ir::OpKind::Arange)
      entry.meaning = "one row of integers that count up from `start`";
    // A cast of tiles is an operation, which the front end reads as a word of its own.
    const auto word = std::ranges::find(out, entry.name, &OpEntry::name);
    if (word == out.end()) {
      out.push_back(std::move(entry));
    } else {
      word->rule = entry.rule;
      word->meaning = entry.meaning.empty() ? word->meaning : entry.meaning;
      word->operation = true;
    }
  }
  std::ranges::sort(out, {}, &OpEntry::name);
  return out;
}

}  // namespace

std::string OpEntry::signature() const {
  std::vector<std::string> all = positional;
  if (!keywords.empty()) all.emplace_back("*");
  all.insert(all.end(), keywords.begin(), keywords.end());
  return "pl." + name + "(" + join(all, ", ") + ")";
}

const std::vector<OpEntry>& op_catalogue() {
  static const std::vector<OpEntry> kAll = make_catalogue();
  return kAll;
}

const OpEntry* find_op(std::string_view word) {
  for (const std::string_view prefix : {"tile.", "tensor."})
    if (word.starts_with(prefix)) word.remove_prefix(prefix.size());
  const auto find = [](std::string_view name) -> const OpEntry* {
    const auto it = std::ranges::find(op_catalogue(), name, &OpEntry::name);
    return it == op_catalogue().end() ? nullptr : &*it;
  };
  if (word == "create" || word == "create_tile") word = ir::op_name(ir::OpKind::Create);
  if (const OpEntry* entry = find(word)) return entry;
  const auto kind = frontend::op_spelled(word);
  return kind ? find(ir::op_name(*kind)) : nullptr;
}

const std::vector<std::string>& pl_constants() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> out{"Tensor",      "Out",      "InOut",    "Scalar", "program",
                                 "function",    "jit",      "dynamic",  "Level",  "FunctionType",
                                 "MemorySpace", "PadValue", "SplitMode"};
    for (const char* t : {"FP32", "FP16", "BF16", "INT8", "INT16", "INT32", "INT64", "UINT8",
                          "UINT16", "UINT32", "UINT64", "BOOL", "INDEX"})
      out.emplace_back(t);
    for (const char* l : {"CORE_GROUP", "AIC", "AIV"}) out.push_back(std::string("Level.") + l);
    for (const MemorySpace s : kMemorySpaces)
      if (s != MemorySpace::GM) out.push_back("MemorySpace." + std::string(memory_space_name(s)));
    return out;
  }();
  return kAll;
}

}  // namespace tilewright::lsp
