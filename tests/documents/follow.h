// A document followed as a reader would, from its first command to its last.
#pragma once

#include <string>

#include "document.h"

namespace tilewright::documents {

// "examples/tutorial/first.py, saved as project.py"
struct Quote {
  std::string path, saved_as;
};

Quote quote_of(const std::string& mark);

// Runs every command, and compares what it prints with what the document says. With
// TILEWRIGHT_RENEW_DOCUMENTS set, writes what is printed into the document instead.
void follow(const Document& document, const std::string& name);

}  // namespace tilewright::documents
