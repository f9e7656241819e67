// JSON strings as bytes. A string that a schema leaves open may be spelled in any way that JSON
// allows. Everything else - names of properties, values, strings with a pattern or a format - has
// one spelling: characters as themselves, and only those escaped that must be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/tokens/grammar/nfa.h"

namespace tilewright::tokens::grammar {

inline constexpr int32_t kLastCode = 0x10FFFF;

// The one spelling of a text, without quotes.
std::string spelled(std::string_view text);
// With quotes.
std::string spelled_string(std::string_view text);

// Edges from `from` to `to` for one character of the code points, in its one spelling. Surrogates
// are left out.
void add_characters(Nfa& nfa, Nfa::Node from, Nfa::Node to, int32_t low, int32_t high);

// What follows the opening quote of a string of any characters, spelled in any way, the closing
// quote included. The rule counts characters: those that a pair of surrogates writes count once.
void add_any_string(Nfa& nfa);

// The same, in the one spelling, for every text but those of `except`. For the names of additional
// properties, which must not be names that a schema declares.
void add_string_except(Nfa& nfa, const std::vector<std::string>& except);

}  // namespace tilewright::tokens::grammar
