// What changed between two texts, as a unified diff that `patch` can apply: for changed programs.
#pragma once

#include <string>

namespace tilewright {

// Three lines of context; empty when the texts are equal. A text that is not there is empty, and
// its name may be "/dev/null". Texts that differ in more than a few thousand lines have one hunk
// that replaces everything between what they begin and end with.
std::string unified_diff(const std::string& before, const std::string& after,
                         const std::string& before_name, const std::string& after_name);

}  // namespace tilewright
