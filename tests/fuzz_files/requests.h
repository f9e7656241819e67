// Bodies of requests to `tilewright serve`, as its endpoints read them.
#pragma once

#include <string>
#include <vector>

namespace fuzz_files {

void run_chat_request(const std::string& bytes);
void run_text_request(const std::string& bytes);
std::vector<std::string> chat_request_seeds();
std::vector<std::string> text_request_seeds();

}  // namespace fuzz_files
