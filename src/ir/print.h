// Programs and plans as stable, readable text. A Program prints in the dialect kernel authors
// already read (Python-like, pl. calls); everything the dialect has no word for is in a comment
// that starts with "# tilewright:", so that reading the text back gives the same program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/ir/forward.h"
#include "tilewright/ir/ids.h"

namespace tilewright::ir {

std::string print(const Program& program);
// Orchestration, then each kernel with arguments, placement and body.
std::string print(const Plan& plan);
// The lowered form of every kernel: storage, then instructions with their units, operands and
// waits. Statements read as in the other listings; what follows them is in comments.
std::string print_lowered(const Plan& plan);
// Tasks with regions and edges; at most `limit` tasks in full.
std::string print(const Plan& plan, const TaskGraph& graph, std::size_t limit = 64);

// A word of the text form, and so not free as a name: `lambda`, `in`, `pl`, ...
bool is_reserved_word(std::string_view word);

// In a listing every variable has its unique name; a message has the names that the author wrote.
enum class Names : uint8_t { Unique, Written };

// One statement on one line, without its body.
std::string statement_text(const Op& op, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const Read& read, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const For& loop, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const Let& let, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const Compute& compute, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const TaskSet& set, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const Signal& signal, const Program& program,
                           Names names = Names::Unique);
std::string statement_text(const ExternalCall& call, const Program& program,
                           Names names = Names::Unique);
// The same for messages.
template <class Statement>
std::string written_text(const Statement& statement, const Program& program) {
  return statement_text(statement, program, Names::Written);
}
// What a scope says of its order, as the arguments of pl.at.
std::vector<std::string> order_arguments(const TaskOrder& order, const Program& program);
// A string as the dialect writes it, quoted and escaped.
std::string string_literal(std::string_view text);
std::string condition_text(const Cond& condition, const Program& program);
// "kernel 3 out_proj [mixed](In x, Out y, scalar i)"
std::string kernel_text(const Plan& plan, KernelId kernel);

}  // namespace tilewright::ir
