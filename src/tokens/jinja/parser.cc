#include "tilewright/tokens/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright::tokens::jinja {
namespace {

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  std::vector<Stmt> run() {
    std::vector<Stmt> all = statements({});
    if (!done()) fail(fmt::format("'{}' closes nothing", ahead(1).text));
    return all;
  }

 private:
  using Words = std::initializer_list<std::string_view>;

  // Up to a block that begins with one of `ends`, which is left where it is.
  std::vector<Stmt> statements(Words ends) {
    const Depth depth(*this);
    std::vector<Stmt> out;
    while (!done()) {
      if (here().kind == TokenKind::Text) {
        Stmt s = make(StmtKind::Text);
        s.text = take().text;
        out.push_back(std::move(s));
      } else if (take_if(TokenKind::Begin, "{{")) {
        Stmt s = make(StmtKind::Output);
        s.expr = expression_or_list();
        need(TokenKind::End, "}}");
        out.push_back(std::move(s));
      } else {
        const std::string word = ahead(1).text;
        if (std::ranges::find(ends, word) != ends.end() || is_closing(word)) return out;
        need(TokenKind::Begin, "{%");
        out.push_back(block());
      }
    }
    return out;
  }

  static bool is_closing(const std::string& word) {
    return word.starts_with("end") || word == "else" || word == "elif";
  }

  Stmt make(StmtKind kind) const {
    Stmt s;
    s.kind = kind;
    s.line = here().line;
    return s;
  }

  void end_block() { need(TokenKind::End, "%}"); }
  void closing(std::string_view word) {
    if (!here().is(TokenKind::Begin, "{%") || !ahead(1).is(TokenKind::Name, word))
      fail(fmt::format("'{}' is missing", word));
    take();
    take();
  }

  Stmt block() {
    if (take_name("if")) return if_block();
    if (take_name("for")) return for_block();
    if (take_name("set")) return set_block();
    if (take_name("macro")) return macro_block();
    for (const auto& [word, kind] :
         {std::pair("break", StmtKind::Break), std::pair("continue", StmtKind::Continue)})
      if (take_name(word)) {
        if (loops_ == 0) fail(fmt::format("'{}' outside a loop", word));
        Stmt s = make(kind);
        end_block();
        return s;
      }
    fail(fmt::format("the block '{}' is not supported", here().text));
  }

  // Behind `if` or `elif`; an elif is an if in the other branch.
  Stmt if_block() {
    const Depth depth(*this);
    Stmt s = make(StmtKind::If);
    s.expr = expression_or_list();
    end_block();
    s.body = statements({"elif", "else", "endif"});
    if (here().is(TokenKind::Begin, "{%") && ahead(1).is(TokenKind::Name, "elif")) {
      take();
      take();
      s.other.push_back(if_block());
      return s;  // the innermost has taken the endif
    }
    if (here().is(TokenKind::Begin, "{%") && ahead(1).is(TokenKind::Name, "else")) {
      closing("else");
      end_block();
      s.other = statements({"endif"});
    }
    closing("endif");
    end_block();
    return s;
  }

  Stmt for_block() {
    Stmt s = make(StmtKind::For);
    do s.names.push_back(name());
    while (take_op(","));
    need(TokenKind::Name, "in");
    s.expr = disjunction();  // an `if` behind it is the loop's own
    if (take_name("if")) s.condition.push_back(expression());
    if (here().is(TokenKind::Name, "recursive")) fail("recursive loops are not supported");
    end_block();
    ++loops_;
    s.body = statements({"else", "endfor"});
    --loops_;
    if (here().is(TokenKind::Begin, "{%") && ahead(1).is(TokenKind::Name, "else")) {
      closing("else");
      end_block();
      s.other = statements({"endfor"});
    }
    closing("endfor");
    end_block();
    return s;
  }

  Stmt set_block() {
    Stmt s = make(StmtKind::Set);
    s.names.push_back(name());
    if (take_op(".")) {
      s.field = name();
    } else {
      while (take_op(",")) s.names.push_back(name());
    }
    if (take_op("=")) {
      s.expr = expression_or_list();
      end_block();
      return s;
    }
    if (here().is(TokenKind::Operator, "|")) fail("filters of a set block are not supported");
    if (!s.field.empty() || s.names.size() > 1) fail("a set block has one name");
    s.kind = StmtKind::SetBlock;
    end_block();
    s.body = statements({"endset"});
    closing("endset");
    end_block();
    return s;
  }

  Stmt macro_block() {
    Stmt s = make(StmtKind::Define);
    s.macro = std::make_shared<Macro>();
    s.macro->name = name();
    need_op("(");
    while (!here().is(TokenKind::Operator, ")")) {
      s.macro->parameters.push_back(name());
      if (take_op("=")) {
        s.macro->defaults.push_back(expression());
      } else if (!s.macro->defaults.empty()) {
        fail("a parameter without a default after one with a default");
      }
      if (!take_op(",")) break;
    }
    need_op(")");
    end_block();
    const int outside = std::exchange(loops_, 0);
    s.macro->body = statements({"endmacro"});
    loops_ = outside;
    closing("endmacro");
    end_block();
    return s;
  }

  int loops_ = 0;
};

}  // namespace

std::vector<Stmt> parse_template(std::string_view source, const std::string& origin) {
  return Parser(lex(source, origin), origin).run();
}

}  // namespace tilewright::tokens::jinja
