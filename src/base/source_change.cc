#include "tilewright/base/source_change.h"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/files.h"
#include "tilewright/base/text.h"

namespace tilewright {
namespace {

// Where a place is in a text; columns count characters of UTF-8.
std::size_t offset_of(const std::string& text, const Place& place) {
  std::size_t at = 0;
  for (uint32_t line = 1; line < place.line; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return at;
    ++at;
  }
  const auto continues = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
  };
  for (uint32_t column = 1; column < place.column && at < text.size(); ++column)
    do ++at;
    while (continues(at));
  return at;
}

std::string replaced(const std::string& text, std::vector<Replacement> replacements) {
  // From the end, so that places before stay where they are.
  std::ranges::sort(replacements, [](const Replacement& a, const Replacement& b) {
    const Place &pa = a.old.place, &pb = b.old.place;
    return std::pair(pa.line, pa.column) > std::pair(pb.line, pb.column);
  });
  std::string out = text;
  for (const Replacement& r : replacements) {
    const std::size_t at = offset_of(text, r.old.place);
    if (at == std::string::npos || text.compare(at, r.old.text.size(), r.old.text) != 0)
      user_error("source-changed",
                 fmt::format("the file no longer contains {} at this position", quote(r.old.text)),
                 fmt::format("at {}", r.old.place.text()),
                 "a constant is written back only if the file has not changed since it was read",
                 "run the command again");
    out.replace(at, r.old.text.size(), r.text);
  }
  return out;
}

}  // namespace

std::vector<SourceChange> replace_in_files(const std::vector<Replacement>& replacements) {
  std::vector<SourceChange> out;
  for (const Replacement& r : replacements) {
    const std::string& path = r.old.place.file;
    if (std::ranges::find(out, path, &SourceChange::path) != out.end()) continue;
    std::vector<Replacement> here;
    for (const Replacement& other : replacements)
      if (other.old.place.file == path) here.push_back(other);
    std::string text = read_text(path);
    std::string after = replaced(text, std::move(here));
    out.push_back({path, std::move(text), std::move(after)});
  }
  return out;
}

}  // namespace tilewright
