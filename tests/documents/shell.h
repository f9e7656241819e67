// Commands as a reader of a document types them.
#pragma once

#include <filesystem>
#include <string>

namespace tilewright::documents {

struct Ran {
  int code = 0;        // 128 + signal if one ended it
  std::string output;  // both streams
};

// In `directory`, with the programs of this build found first.
Ran run_in_shell(const std::string& line, const std::filesystem::path& directory,
                 int seconds_until_interrupt = 0);

// A new directory that looks like the checkout to a reader: `dev run` starts this build's program,
// build/release/bin, examples, docs and out are there, and what commands write stays in it.
std::filesystem::path fresh_checkout(const std::string& name);

}  // namespace tilewright::documents
