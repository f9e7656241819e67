#include "tilewright/lsp/documents.h"

#include <fmt/format.h>

#include "tilewright/lsp/uri.h"

namespace tilewright::lsp {
namespace {

std::string with_change(std::string text, const Value& change, Encoding e) {
  const std::string fresh = string_member(change, "text");
  const Value& range = optional_member(change, "range");
  if (range.is_null()) return fresh;
  const Lines lines(std::move(text));
  const std::size_t begin = lines.offset(lines.from_json(member(range, "start"), e));
  const std::size_t end = lines.offset(lines.from_json(member(range, "end"), e));
  if (end < begin) throw RpcError(ErrorCode::InvalidParams, "a range ends before it begins");
  std::string out = lines.text();
  return out.replace(begin, end - begin, fresh);
}

}  // namespace

void Documents::put(const std::string& uri, std::string text, int64_t version) {
  const std::string path = path_of_uri(uri);
  auto fresh =
      std::make_shared<const Document>(Document{uri, path, version, Lines(std::move(text))});
  const std::lock_guard lock(mutex_);
  by_path_[path] = std::move(fresh);
}

void Documents::open(const std::string& uri, std::string text, int64_t version) {
  put(uri, std::move(text), version);
}

void Documents::change(const std::string& uri, const Value& changes, int64_t version, Encoding e) {
  const DocumentPtr old = find(uri);
  if (!old) throw RpcError(ErrorCode::InvalidParams, fmt::format("{} is not open", uri));
  if (!changes.is_array()) throw RpcError(ErrorCode::InvalidParams, "contentChanges is not a list");
  std::string text = old->text();
  for (const Value& c : changes) text = with_change(std::move(text), c, e);
  put(old->uri, std::move(text), version);
}

bool Documents::close(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  return by_path_.erase(path_of_uri(uri)) > 0;
}

DocumentPtr Documents::find(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  const auto it = by_path_.find(path_of_uri(uri));
  return it == by_path_.end() ? nullptr : it->second;
}

DocumentMap Documents::all() const {
  const std::lock_guard lock(mutex_);
  return by_path_;
}

}  // namespace tilewright::lsp
