#include "tilewright/base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "tilewright/base/diagnostic.h"

namespace tilewright {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannot_write(const fs::path& path, const std::string& reason) {
  user_error("file", fmt::format("cannot write \"{}\": {}", path.string(), reason), "",
             "files are written atomically; after a failed write an existing file is unchanged",
             "check that the directory exists, can be written, and has space left");
}

[[noreturn]] void cannot_read(const fs::path& path, const std::string& reason) {
  user_error("file", fmt::format("cannot read \"{}\": {}", path.string(), reason), "",
             "a file that a request names must exist and be readable", "check the path");
}

std::string reason_of(int error) { return error ? std::strerror(error) : "input/output error"; }

// Empty when all went well, else why not.
std::string try_write(const fs::path& path,
                      std::initializer_list<std::span<const std::byte>> parts) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  for (const std::span<const std::byte> bytes : parts)
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  file.close();
  return file ? std::string() : reason_of(errno);
}

}  // namespace

fs::path temporary_beside(const fs::path& path) {
  for (int n = 0;; ++n) {
    fs::path name =
        path.parent_path() / fmt::format(".{}.tmp-{}-{}", path.filename().string(), ::getpid(), n);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(name, error))) return name;
  }
}

AtomicFile::AtomicFile(const std::string& path, std::size_t bytes) {
  std::error_code error;
  // Through symbolic links: the link stays, its target is replaced.
  path_ = fs::weakly_canonical(path, error);
  if (error || path.empty())
    cannot_write(path, path.empty() ? "the name is empty" : error.message());
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) cannot_write(path, "it is a directory");
  if (fs::exists(status)) {
    // A rename would need no permission on the file itself; a read-only file is left alone.
    if (::access(path_.c_str(), W_OK) != 0) cannot_write(path, reason_of(errno));
    in_place_ = !fs::is_regular_file(status);
    if (in_place_) return;
  }
  const fs::path probe = temporary_beside(path_);
  const std::string reason = try_write(probe, {std::vector<std::byte>(bytes)});
  fs::remove(probe, error);
  if (!reason.empty()) cannot_write(path, reason);
}

void AtomicFile::commit(std::string_view text) {
  const fs::path target = in_place_ ? path_ : temporary_beside(path_);
  std::string reason = try_write(target, {std::as_bytes(std::span(text))});
  std::error_code error;
  if (reason.empty() && !in_place_) {
    fs::rename(target, path_, error);
    if (error) reason = error.message();
  }
  if (reason.empty()) return;
  if (!in_place_) fs::remove(target, error);
  cannot_write(path_, reason);
}

void write_bytes(const fs::path& path, std::initializer_list<std::span<const std::byte>> parts) {
  if (const std::string reason = try_write(path, parts); !reason.empty())
    cannot_write(path, reason);
}

FileText try_read_text(const fs::path& path, std::size_t most) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return {"", "it is a directory"};
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return {"", reason_of(errno)};
  FileText out;
  for (std::array<char, 1 << 16> part{}; file && out.text.size() < most;) {
    file.read(part.data(),
              static_cast<std::streamsize>(std::min(part.size(), most - out.text.size())));
    out.text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) out.problem = "reading it failed";
  return out;
}

std::string read_text(const fs::path& path) {
  FileText file = try_read_text(path);
  if (!file.problem.empty()) cannot_read(path, file.problem);
  return std::move(file.text);
}

std::ifstream open_regular_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) cannot_read(path, "it is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status))
    cannot_read(path, "it is not a regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, reason_of(errno));
  return file;
}

}  // namespace tilewright
