// Atomic file output: a file is written beside its destination and then renamed. A destination
// that cannot be written is found before any work is done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tilewright {

// A name beside `path` that nothing has yet and no other process will choose.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

// Tries the destination when constructed (UserError if `bytes` bytes cannot be written there);
// `commit` makes the text appear. Nothing lies about in between, even if the process is killed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path, std::size_t bytes = 0);

  void commit(std::string_view text);

 private:
  std::filesystem::path path_;
  bool in_place_ = false;  // a device or a pipe: a rename would replace it
};

// A file as text, or why it cannot be read: for callers that say it in their own words. Pipes and
// devices are read to their end. `most` bounds what is read of an endless one.
struct FileText {
  std::string text;
  std::string problem;  // "it is a directory"; empty when the file was read
};
FileText try_read_text(const std::filesystem::path& path, std::size_t most = SIZE_MAX);

// These throw UserError when the file system says no.
// The parts, one after the other.
void write_bytes(const std::filesystem::path& path,
                 std::initializer_list<std::span<const std::byte>> parts);
std::string read_text(const std::filesystem::path& path);
// For a file that is read piece by piece and has a size: no pipe, no device, no directory.
std::ifstream open_regular_file(const std::filesystem::path& path);

}  // namespace tilewright
