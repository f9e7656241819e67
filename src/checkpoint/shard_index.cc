#include "tilewright/checkpoint/shard_index.h"

#include <fmt/format.h>

#include <unordered_set>

#include "tilewright/base/diagnostic.h"
#include "tilewright/base/json_reader.h"
#include "tilewright/base/text.h"

namespace tilewright::checkpoint {
namespace {

constexpr std::size_t kMaxFiles = 1000;  // each is an open mapping

// A name inside the directory: an index must not reach other files.
void check_file_name(const JsonReader& r, std::string_view file) {
  if (!file.ends_with(".safetensors") || file.find_first_of("/\\") != std::string_view::npos ||
      file.find('\0') != std::string_view::npos)
    r.fail(fmt::format("{} is not the name of a safetensors file", quote(file)));
}

}  // namespace

ShardIndex read_shard_index(std::string_view text, const std::string& origin) {
  ShardIndex index;
  std::unordered_map<std::string, std::size_t> numbers;
  JsonReader r(text, origin);
  r.begin_object();
  while (const auto field = r.next_key()) {
    if (*field != "weight_map") {
      r.skip();
      continue;
    }
    r.begin_object();
    while (const auto key = r.next_key()) {
      const std::string tensor(*key);
      const std::string file(r.string());
      check_file_name(r, file);
      const auto [at, is_new] = numbers.emplace(file, index.files.size());
      if (is_new) index.files.push_back(file);
      if (index.files.size() > kMaxFiles) r.fail(fmt::format("more than {} files", kMaxFiles));
      if (!index.map.emplace(tensor, at->second).second)
        user_error("tensor-twice", fmt::format("tensor {} is listed twice", tensor), r.place(),
                   "tensor names are unique", "download the index again");
    }
  }
  r.finish();
  if (index.files.empty()) r.fail("weight_map is missing or empty");
  return index;
}

void check_is_indexed(const ShardIndex& index, const std::string& tensor, const std::string& file,
                      const std::string& origin) {
  const auto at = index.map.find(tensor);
  if (at == index.map.end() || index.files[at->second] != file)
    user_error("tensor-extra",
               fmt::format("tensor {} is in {}, but the index lists it {}", tensor, file,
                           at == index.map.end() ? "nowhere" : "in " + index.files[at->second]),
               fmt::format("at {}, tensor {}", origin, tensor),
               "the index lists every tensor with its file",
               "download the files and the index again");
}

void check_index_is_complete(const ShardIndex& index, const std::vector<TensorView>& tensors,
                             const std::string& origin) {
  std::unordered_set<std::string_view> found;
  for (const TensorView& t : tensors) found.insert(t.name);
  for (const auto& [tensor, file] : index.map)
    if (!found.contains(tensor))
      user_error("tensor-missing",
                 fmt::format("tensor {} is not in {}, where the index lists it", tensor,
                             index.files[file]),
                 "at " + origin, "the index lists every tensor with its file",
                 "download the files and the index again");
}

}  // namespace tilewright::checkpoint
