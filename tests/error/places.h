// Places in a program that is written in C++ move with every edit, so its message names them:
// {slice} is where the slice stands.
#pragma once

#include <map>
#include <string>

namespace error_test {

using Places = std::map<std::string, std::string>;  // "slice" -> "tests/error/types_test.cc:42"

// {name} becomes the place, and the reverse.
std::string with_places(std::string message, const Places& places);
std::string with_names(std::string message, const Places& places);

}  // namespace error_test
