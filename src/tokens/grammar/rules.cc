#include "tilewright/tokens/grammar/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/text.h"
#include "tilewright/tokens/grammar/formats.h"
#include "tilewright/tokens/grammar/keywords.h"
#include "tilewright/tokens/grammar/regex.h"
#include "tilewright/tokens/grammar/strings.h"

namespace tilewright::tokens::grammar {
namespace {

constexpr int kMostSpaces = 32, kMostTabs = 16;  // of an indent

}  // namespace

RuleId RuleWriter::reserve_rule() {
  automaton_.rules.emplace_back();
  return static_cast<RuleId>(automaton_.rules.size() - 1);
}

RuleId RuleWriter::add_rule(const Nfa& nfa) {
  const RuleId rule = reserve_rule();
  write(rule, nfa);
  return rule;
}

RuleId RuleWriter::value(const Schemas& schemas) {
  Schemas key = schemas;
  std::ranges::sort(key);
  const auto [at, is_new] = values_.try_emplace(std::move(key), 0);
  if (is_new) {
    at->second = reserve_rule();
    unwritten_.push_back({at->second, schemas});
  }
  return at->second;
}

Automaton RuleWriter::finish(const Nfa& root) {
  const RuleId rule = add_rule(root);
  while (!unwritten_.empty()) {
    const auto [next, schemas] = std::move(unwritten_.back());
    unwritten_.pop_back();
    write_value(next, schemas);
  }
  automaton_.root = rule;
  return std::move(automaton_);
}

void RuleWriter::write_value(RuleId rule, const Schemas& schemas) {
  Nfa nfa(budget_);
  for (const Alternative& a : alternatives_of(schemas, budget_))
    nfa.accept(add_alternative(nfa, nfa.start(), a));
  write(rule, nfa);
}

RuleWriter::Node RuleWriter::space(Nfa& nfa, Node from) {
  const Node to = nfa.add();
  nfa.empty(from, to);
  nfa.edge(from, to, ' ', ' ');
  nfa.call(nfa.byte(from, '\n'), to, indent());
  return to;
}

RuleWriter::Node RuleWriter::close(Nfa& nfa, Node from, char bracket, Guard guard) {
  const Node to = nfa.byte(from, bracket, guard), spaced = nfa.byte(from, ' ', guard);
  nfa.call(nfa.byte(from, '\n', guard), spaced, indent());
  const auto symbol = static_cast<Symbol>(bracket);
  nfa.edge(spaced, to, symbol, symbol);
  return to;
}

RuleWriter::Node RuleWriter::colon(Nfa& nfa, Node from) {
  const Node behind = nfa.byte(from, ':'), to = nfa.byte(behind, ' ');
  nfa.empty(behind, to);
  return to;
}

RuleWriter::Node RuleWriter::name(Nfa& nfa, Node from, std::string_view text) {
  return colon(nfa, nfa.text(from, spelled_string(text)));
}

RuleId RuleWriter::indent() {
  if (indent_) return *indent_;
  Nfa nfa(budget_);
  nfa.accept(nfa.start());
  for (const auto& [c, most] : {std::pair{' ', kMostSpaces}, {'\t', kMostTabs}}) {
    Node at = nfa.start();
    for (int i = 0; i < most; ++i) nfa.accept(at = nfa.byte(at, c));
  }
  indent_ = add_rule(nfa);
  return *indent_;
}

RuleWriter::Node RuleWriter::add_alternative(Nfa& nfa, Node from, const Alternative& a) {
  if (a.values) return add_values(nfa, from, a);
  const Node to = nfa.add();
  const Types types = a.made_types();
  if (types & kNull) nfa.empty(nfa.text(from, "null"), to);
  if (types & kBool) {
    nfa.empty(nfa.text(from, "true"), to);
    nfa.empty(nfa.text(from, "false"), to);
  }
  if (types & kFraction) {
    nfa.empty(add_number(nfa, from, a.range, budget_), to);
  } else if (types & kInteger) {
    nfa.empty(add_integer(nfa, from, a.range, budget_), to);
  }
  if ((types & kString) && a.min_length <= a.max_length) nfa.empty(add_string(nfa, from, a), to);
  if ((types & kArray) && a.min_items <= a.max_items) nfa.empty(add_array(nfa, from, a), to);
  if (types & kObject) nfa.empty(add_object(nfa, from, a), to);
  return to;
}

RuleWriter::Node RuleWriter::add_values(Nfa& nfa, Node from, const Alternative& a) {
  const Node to = nfa.add();
  for (const SchemaNode* value : *a.values) {
    const Types type = type_of_value(*value);
    if ((type & a.types) == 0) continue;
    if ((type & kNumber) != 0) {
      if (const auto d = decimal_of(value->text); d && !a.range.holds(*d)) continue;
    } else if ((type & a.spoken_of) != 0) {
      refuse_schema(*a.values_from, "enum or const stands beside keywords that restrict its values",
                    "beside enum and const, only type and bounds of numbers are supported",
                    "leave out the other keywords, and the values that they exclude");
    }
    nfa.empty(add_literal(nfa, from, *value), to);
  }
  return to;
}

RuleWriter::Node RuleWriter::add_literal(Nfa& nfa, Node from, const SchemaNode& value) {
  switch (value.kind) {
    case Json::Kind::Null: return nfa.text(from, "null");
    case Json::Kind::Bool: return nfa.text(from, value.boolean ? "true" : "false");
    case Json::Kind::Number: return nfa.text(from, value.text);
    case Json::Kind::String: return nfa.text(from, spelled_string(value.text));
    case Json::Kind::Array:
    case Json::Kind::Object: break;
  }
  const bool object = value.is(Json::Kind::Object);
  from = nfa.byte(from, object ? '{' : '[');
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i != 0) from = nfa.byte(from, ',');
    from = space(nfa, from);
    if (object) from = name(nfa, from, value.keys[i]);
    from = add_literal(nfa, from, value.items[i]);
  }
  return close(nfa, from, object ? '}' : ']');
}

RuleWriter::Node RuleWriter::add_string(Nfa& nfa, Node from, const Alternative& a) {
  const Node to = nfa.add();
  const bool any = a.patterns.empty() && a.formats.empty();
  nfa.call(nfa.byte(from, '"'), to,
           any ? any_string(a.min_length, a.max_length) : pattern_string(a));
  return to;
}

RuleId RuleWriter::any_string(uint32_t min, uint32_t max) {
  const auto [at, is_new] = strings_.try_emplace({min, max}, 0);
  if (!is_new) return at->second;
  Nfa nfa(budget_);
  add_any_string(nfa);
  const RuleId rule = at->second = add_rule(nfa);
  automaton_.rules[rule].min = min;
  automaton_.rules[rule].max = max;
  automaton_.rules[rule].any_string = true;
  return rule;
}

RuleId RuleWriter::pattern_string(const Alternative& a) {
  if (a.patterns.size() + a.formats.size() > 1) {
    const SchemaNode& second = a.formats.empty() ? *a.patterns[1] : *a.formats.back();
    refuse_schema(second, "a string has two patterns or formats",
                  "a string has at most one of pattern and format",
                  "write one pattern that asks for both");
  }
  const SchemaNode& from = a.formats.empty() ? *a.patterns[0] : *a.formats[0];
  const std::string regex = a.formats.empty() ? from.text : *find_format(from.text);
  const auto [at, is_new] = patterns_.try_emplace({regex, a.min_length, a.max_length}, 0);
  if (!is_new) return at->second;
  Nfa nfa(budget_);
  const Node last =
      add_pattern(nfa, nfa.start(), regex, a.min_length, a.max_length, from.where(), budget_);
  nfa.accept(nfa.byte(last, '"'));
  return at->second = add_rule(nfa);
}

RuleWriter::Node RuleWriter::add_array(Nfa& nfa, Node from, const Alternative& a) {
  const Node to = nfa.add();
  nfa.call(nfa.byte(from, '['), to, items(a));
  return to;
}

// What follows "[", the bracket at the end included. The rule counts the items behind the prefix.
RuleId RuleWriter::items(const Alternative& a) {
  const auto prefix = static_cast<uint32_t>(a.prefix.size());
  const bool unsaid = a.items.kind == Rest::Kind::Unsaid;
  const bool more = a.max_items > prefix && a.items.kind != Rest::Kind::None &&
                    (!unsaid || prefix == 0 || a.min_items > prefix);
  const RuleId rule = reserve_rule();
  Nfa nfa(budget_);
  const Node end = nfa.add();
  nfa.accept(end);
  Node at = nfa.start();  // behind `i` items
  for (uint32_t i = 0; i < prefix; ++i) {
    if (i >= a.min_items) nfa.empty(close(nfa, at, ']'), end);
    if (i == a.max_items) break;
    const Node next = nfa.add();
    nfa.call(space(nfa, i == 0 ? at : nfa.byte(at, ',')), next, value(a.prefix[i]));
    at = next;
  }
  if (a.max_items >= prefix) {
    if (a.min_items <= prefix) nfa.empty(close(nfa, at, ']'), end);
    if (more) {
      const RuleId item = value(a.items.schemas);
      const Node behind = nfa.add();
      nfa.call(space(nfa, prefix == 0 ? at : nfa.byte(at, ',')), behind, item, true);
      nfa.call(space(nfa, nfa.byte(behind, ',', Guard::More)), behind, item, true);
      nfa.empty(close(nfa, behind, ']', Guard::Enough), end);
    }
  }
  automaton_.rules[rule].min = a.min_items > prefix ? a.min_items - prefix : 0;
  automaton_.rules[rule].max = a.max_items == kUnlimited ? kUnlimited : a.max_items - prefix;
  if (a.max_items < prefix) automaton_.rules[rule].max = kUnlimited;
  write(rule, nfa);
  return rule;
}

RuleWriter::Node RuleWriter::add_object(Nfa& nfa, Node from, const Alternative& a) {
  const std::size_t count = a.properties.size();
  std::size_t required = 0;  // behind the last property that must be there
  for (std::size_t i = 0; i < count; ++i)
    if (a.properties[i].required) required = i + 1;

  // names[i]: a name of property i or a later one comes; behind[i]: the value of property i - 1 was
  // the last one.
  std::vector<Node> names(count + 1), behind(count + 1);
  for (std::size_t i = 0; i <= count; ++i) {
    names[i] = nfa.add();
    behind[i] = nfa.add();
  }
  const Node to = nfa.add(), open = space(nfa, nfa.byte(from, '{'));
  nfa.empty(open, names[0]);
  if (required == 0) nfa.edge(open, to, '}', '}');
  for (std::size_t i = 0; i < count; ++i) {
    const Property& p = a.properties[i];
    nfa.call(name(nfa, names[i], p.name), behind[i + 1], value(p.schemas));
    if (!p.required) nfa.empty(names[i], names[i + 1]);
  }
  const bool closed = a.is_closed();
  if (!closed) nfa.empty(add_more_members(nfa, names[count], a), behind[count]);
  for (std::size_t i = 0; i <= count; ++i) {
    if (i < count || !closed) nfa.empty(space(nfa, nfa.byte(behind[i], ',')), names[i]);
    if (i >= required) nfa.empty(close(nfa, behind[i], '}'), to);
  }
  return to;
}

// A member that no property names.
RuleWriter::Node RuleWriter::add_more_members(Nfa& nfa, Node from, const Alternative& a) {
  const Node named = nfa.add(), to = nfa.add();
  RuleId names = 0;
  if (a.properties.empty()) {
    names = any_string(0, kUnlimited);
  } else {
    std::vector<std::string> declared;
    for (const Property& p : a.properties) declared.push_back(p.name);
    Nfa other(budget_);
    add_string_except(other, declared);
    names = add_rule(other);
  }
  nfa.call(nfa.byte(from, '"'), named, names);
  nfa.call(colon(nfa, named), to, value(a.additional.schemas));
  return to;
}

}  // namespace tilewright::tokens::grammar
