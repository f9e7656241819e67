// The page at "/": a chat with the model, in one file that fetches nothing but answers.
#pragma once

#include <string>

namespace tilewright::serve {

const std::string& chat_page();

}  // namespace tilewright::serve
