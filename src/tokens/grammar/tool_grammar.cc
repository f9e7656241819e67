#include "tilewright/tokens/grammar/tool_grammar.h"

#include <fmt/format.h>

#include <set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/text.h"
#include "tilewright/tokens/grammar/document.h"
#include "tilewright/tokens/grammar/opening.h"
#include "tilewright/tokens/grammar/rules.h"
#include "tilewright/tokens/grammar/strings.h"

namespace tilewright::tokens::grammar {
namespace {

using Node = Nfa::Node;

class ToolWriter {
 public:
  ToolWriter(const std::vector<Tool>& tools, const std::string& origin, const ToolRules& rules,
             const Vocabulary& vocabulary)
      : tools_(tools), origin_(origin), rules_(rules), vocabulary_(vocabulary), budget_(origin) {}

  Automaton write() {
    read_tools();
    Nfa root(budget_);
    Node begin = root.start();
    if (rules_.opening == Opening::Reasoning) begin = add_opening(root, begin, rules_.opening);
    const bool free = rules_.choice == ToolChoice::Auto;
    switch (rules_.format) {
      case ToolFormat::Tagged: write_tagged(root, begin, free); break;
      case ToolFormat::Listed: write_listed(root, begin, free); break;
      case ToolFormat::Bare: write_bare(root, begin, free); break;
    }
    return writer_.finish(root);
  }

 private:
  void read_tools() {
    const auto read = [&](const std::string& text, const std::string& origin) {
      documents_.push_back(read_schema(text, origin));
      return &documents_.back()->root;
    };
    const SchemaNode* object = read(R"({"type": "object"})", origin_);
    std::set<std::string> names;
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      if (!names.insert(tools_[i].name).second)
        user_error("tools", fmt::format("two tools have the name {}", quote(tools_[i].name)),
                   fmt::format("at {}, #/{}", origin_, i), "a tool is called by its name",
                   "rename one of them");
      arguments_.push_back({object});
      if (!tools_[i].parameters.empty())
        arguments_.back().push_back(
            read(tools_[i].parameters, fmt::format("{}/{}/function/parameters", origin_, i)));
    }
  }

  // {"name": NAME, "arguments": ARGUMENTS}; gives the node behind it.
  Node add_call(Nfa& nfa, Node from, std::string_view arguments) {
    const Node names = RuleWriter::name(nfa, writer_.space(nfa, nfa.byte(from, '{')), "name");
    const Node called = nfa.add();
    for (std::size_t i = 0; i < tools_.size(); ++i) {
      const Node named = nfa.text(names, spelled_string(tools_[i].name));
      const Node key = writer_.space(nfa, nfa.byte(named, ','));
      nfa.call(RuleWriter::name(nfa, key, arguments), called, writer_.value(arguments_[i]));
    }
    return writer_.close(nfa, called, '}');
  }

  static Node maybe(Nfa& nfa, Node from, char c) {
    const Node to = nfa.byte(from, c);
    nfa.empty(from, to);
    return to;
  }

  void write_tagged(Nfa& nfa, Node begin, bool free) {
    const Node open = free ? add_free_text(nfa, begin, "<tool_call>", true)
                           : nfa.text(maybe(nfa, begin, '\n'), "<tool_call>");
    const Node call = add_call(nfa, maybe(nfa, open, '\n'), "arguments");
    const Node closed = nfa.text(maybe(nfa, call, '\n'), "</tool_call>");
    nfa.accept(closed);
    if (rules_.several) nfa.empty(closed, begin);
  }

  void write_listed(Nfa& nfa, Node begin, bool free) {
    const bool token = vocabulary_.has(kToolCalls);
    constexpr std::string_view kMarker = "[TOOL_CALLS]";
    Node open = 0;
    if (free) {
      open = add_free_text(nfa, begin, kMarker, true,
                           token ? std::optional(kToolCalls) : std::nullopt);
    } else if (token) {
      open = nfa.add();
      nfa.edge(begin, open, kToolCalls, kToolCalls);
    } else {
      open = nfa.text(maybe(nfa, begin, ' '), kMarker);
    }
    const Node list = nfa.byte(maybe(nfa, open, ' '), '['), item = writer_.space(nfa, list);
    const Node call = add_call(nfa, item, "arguments");
    if (rules_.several) nfa.empty(writer_.space(nfa, nfa.byte(call, ',')), item);
    nfa.accept(writer_.close(nfa, call, ']'));
  }

  static void loop_on_space(Nfa& nfa, Node node) {
    for (const Symbol s : {' ', '\t', '\n', '\r'}) nfa.edge(node, node, s, s);
  }

  // The whole answer is a call. When it may be text as well, an answer that begins as a call is
  // one: the colon behind {"name" is then a colon of a call.
  void write_bare(Nfa& nfa, Node begin, bool free) {
    const Node lead = nfa.add(), call = nfa.add();
    nfa.empty(begin, lead);
    nfa.empty(lead, call);
    nfa.edge(lead, call, kPythonTag, kPythonTag);
    nfa.accept(add_call(nfa, call, "parameters"));
    if (!free) return;
    const Node text = nfa.add();
    nfa.edge(text, text, 0, kSymbols - 1);
    nfa.accept(text);
    // What follows is text unless it is one of `bytes`.
    const auto leave = [&](Node node, std::string_view bytes) {
      nfa.accept(node);
      for (Symbol s = 0; s < kSymbols; ++s) {
        const bool python = node == lead && s == kPythonTag;
        const bool kept = s < 256 && bytes.find(static_cast<char>(s)) != std::string_view::npos;
        if (!python && !kept) nfa.edge(node, text, s, s);
      }
    };
    loop_on_space(nfa, lead);
    leave(lead, " \t\n\r{");
    Node at = nfa.byte(lead, '{');
    loop_on_space(nfa, at);
    leave(at, " \t\n\r\"");
    at = nfa.byte(at, '"');
    for (const char c : std::string_view("name\"")) {
      leave(at, std::string_view(&c, 1));
      at = nfa.byte(at, c);
    }
    loop_on_space(nfa, at);
    leave(at, " \t\n\r:");
  }

  const std::vector<Tool>& tools_;
  const std::string& origin_;
  const ToolRules& rules_;
  const Vocabulary& vocabulary_;
  Budget budget_;
  RuleWriter writer_{budget_};
  std::vector<std::unique_ptr<const SchemaDocument>> documents_;
  std::vector<Schemas> arguments_;  // by tool
};

}  // namespace

std::shared_ptr<const Grammar> compile_tools(const std::vector<Tool>& tools,
                                             const std::string& origin, const ToolRules& rules,
                                             std::shared_ptr<const Vocabulary> vocabulary) {
  Automaton automaton = ToolWriter(tools, origin, rules, *vocabulary).write();
  if (!trim(automaton))
    user_error("tools", "no call satisfies the parameters of any tool", "at " + origin,
               "a required call needs a tool whose parameters allow some arguments",
               "add a tool, or correct the schemas of the parameters");
  return std::make_shared<const Grammar>(std::move(automaton), std::move(vocabulary));
}

}  // namespace tilewright::tokens::grammar
