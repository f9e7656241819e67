// The table of docs/qwen3.md: what each variant costs in tasks and GM traffic. Made here, so that
// the document cannot drift: a test compares the two.
#pragma once

#include <string>

namespace qwen3_test {

std::string variant_table();  // markdown

}  // namespace qwen3_test
