#include "tilewright/checkpoint/gguf_split.h"

#include <fmt/format.h>

#include <filesystem>

#include "tilewright/base/diagnostic.h"

namespace tilewright::checkpoint {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& path,
                         const std::string& help) {
  user_error("gguf-split", what, "at " + path,
             "the parts of a GGUF model are files NAME-00001-of-00003.gguf in one directory", help);
}

int64_t number_of(const GgufFile& file, std::string_view key, int64_t otherwise) {
  const GgufValue* v = file.find(key);
  return v ? v->integer().value_or(-1) : otherwise;
}

std::string ending(int64_t part, int64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", part, count);
}

}  // namespace

void read_other_parts(const std::string& path, GgufFile& first, std::vector<MappedFile>& files) {
  const int64_t count = number_of(first, "split.count", 0);
  if (count == 0 || count == 1) return;
  if (count < 0 || count > 99999) refuse(fmt::format("{} parts", count), path, "download it again");
  if (const int64_t part = number_of(first, "split.no", 0); part != 0)
    refuse(fmt::format("this file is part {} of {}", part + 1, count), path,
           fmt::format("open the first part, which ends in {}", ending(1, count)));
  if (!path.ends_with(ending(1, count)))
    refuse(fmt::format("the first of {} parts has another name", count), path,
           fmt::format("rename it so that it ends in {}", ending(1, count)));
  const std::string name = path.substr(0, path.size() - ending(1, count).size());
  for (int64_t part = 2; part <= count; ++part) {
    const std::string other = name + ending(part, count);
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(other, ignored))
      refuse(fmt::format("part {} of {} is missing", part, count), other,
             "download all parts into one directory");
    files.emplace_back(other);
    GgufFile file = read_gguf(files.back().bytes(), other);
    if (number_of(file, "split.no", -1) != part - 1 || number_of(file, "split.count", -1) != count)
      refuse(fmt::format("the file says that it is part {} of {}",
                         number_of(file, "split.no", -1) + 1, number_of(file, "split.count", -1)),
             other, "use the parts of one model under their own names");
    for (TensorView& t : file.tensors) first.tensors.push_back(std::move(t));
  }
  const auto found = static_cast<int64_t>(first.tensors.size());
  if (const int64_t all = number_of(first, "split.tensors.count", found); all != found)
    refuse(fmt::format("{} tensors in {} parts, but the model has {}", found, count, all), path,
           "download all parts again");
}

}  // namespace tilewright::checkpoint
