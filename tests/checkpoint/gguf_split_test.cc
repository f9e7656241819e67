// GGUF models in several files.
#include "tilewright/checkpoint/gguf_split.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../temporary_directory.h"
#include "support.h"

namespace checkpoint_test {
namespace {

void write(const std::string& path, uint32_t part, uint32_t count, const std::string& tensor,
           uint32_t tensors = 2) {
  GgufBuilder b;
  b.u32("split.no", part);
  b.u32("split.count", count);
  b.u32("split.tensors.count", tensors);
  b.tensor(tensor, {4}, 0, std::string(16, 'x'));
  std::ofstream(path, std::ios::binary) << b.file();
}

std::vector<std::string> names_of(const std::string& path) {
  std::vector<checkpoint::MappedFile> files;
  files.emplace_back(path);
  checkpoint::GgufFile file = checkpoint::read_gguf(files[0].bytes(), path);
  checkpoint::read_other_parts(path, file, files);
  std::vector<std::string> names;
  for (const checkpoint::TensorView& t : file.tensors) names.push_back(t.name);
  return names;
}

TEST(GgufSplit, TensorsOfAllParts) {
  const TemporaryDirectory d;
  write(d / "m-00001-of-00002.gguf", 0, 2, "a");
  write(d / "m-00002-of-00002.gguf", 1, 2, "b");
  EXPECT_EQ(names_of(d / "m-00001-of-00002.gguf"), (std::vector<std::string>{"a", "b"}));
}

TEST(GgufSplit, MistakesAreNamed) {
  const TemporaryDirectory d;
  const std::string first = d / "m-00001-of-00002.gguf", second = d / "m-00002-of-00002.gguf";
  const auto told = [](const std::string& path, const std::string& what) {
    const std::string text = error_of([&] { names_of(path); });
    EXPECT_TRUE(text.starts_with("error: " + what)) << text;
  };
  write(first, 0, 2, "a");
  told(first, "part 2 of 2 is missing");
  write(second, 0, 2, "b");
  told(first, "the file says that it is part 1 of 2");
  write(second, 1, 2, "b");
  told(second, "this file is part 2 of 2");
  write(d / "model.gguf", 0, 2, "a");
  told(d / "model.gguf", "the first of 2 parts has another name");
  write(first, 0, 2, "a", 3);
  told(first, "2 tensors in 2 parts, but the model has 3");
}

}  // namespace
}  // namespace checkpoint_test
