// The texts that are open in the editor. They take precedence over files on disk: importers of an
// open module see its unsaved text.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/lsp/positions.h"

namespace tilewright::lsp {

// One version of a document; immutable.
struct Document {
  std::string uri, path;
  int64_t version = 0;
  Lines lines;

  const std::string& text() const { return lines.text(); }
};
using DocumentPtr = std::shared_ptr<const Document>;
using DocumentMap = std::map<std::string, DocumentPtr>;  // by path

// Written by one thread, read by any.
class Documents {
 public:
  void open(const std::string& uri, std::string text, int64_t version);
  // Applies the contentChanges of didChange, whole texts or ranges, in order. Throws RpcError when
  // the document is not open or a change is malformed; the document then stays as it was.
  void change(const std::string& uri, const Value& changes, int64_t version, Encoding e);
  bool close(const std::string& uri);

  DocumentPtr find(const std::string& uri) const;  // null when it is not open
  DocumentMap all() const;

 private:
  void put(const std::string& uri, std::string text, int64_t version);

  mutable std::mutex mutex_;
  DocumentMap by_path_;
};

}  // namespace tilewright::lsp
