#include "tilewright/checkpoint/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tilewright/base/diagnostic.h"

namespace tilewright::checkpoint {
namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  user_error("model-file", fmt::format("cannot read {}: {}", path, why), "in the model's files",
             "every file of a model must be a readable regular file",
             "check the path and its permissions");
}

struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

}  // namespace

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status {};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) refuse_file(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) refuse_file(path, "it is not a file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // an empty mapping is an error of mmap
  void* at = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.value, 0);
  if (at == MAP_FAILED) refuse_file(path, std::strerror(errno));
  data_ = static_cast<const std::byte*>(at);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(const_cast<std::byte*>(data_), size_);
}

void release_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGE_SIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + bytes.size()) / page * page;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace tilewright::checkpoint
