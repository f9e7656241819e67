// Documents are named by URIs, files by paths.
#pragma once

#include <string>

namespace tilewright::lsp {

// The path of a file: URI, decoded and normalised. For any other document, such as
// untitled:Untitled-1, the URI itself, which is not the path of any file.
std::string path_of_uri(const std::string& uri);
std::string uri_of_path(const std::string& path);

}  // namespace tilewright::lsp
