#pragma once

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fltr/core/compiler.hpp>
#include <fltr/formats/detail/file_error.hpp>

namespace fltr {

/// The bytes of a file, mapped into memory on a page boundary. The bytes in memory may be changed: the mapping is
/// private, so that neither the file nor another process sees the change. A pipe or a terminal cannot be mapped and is
/// read to its end. The file must not be truncated while it is mapped; replacing it by a rename is safe.
class MappedFile {
 public:
  /// Throws std::system_error, "cannot read PATH", if the file cannot be opened or read, or is a folder.
  explicit MappedFile(std::filesystem::path const& path) {
    File const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat status{};
    if (file.descriptor < 0 || ::fstat(file.descriptor, &status) != 0) fail(errno, path);
    if (S_ISDIR(status.st_mode)) fail(EISDIR, path);
    if (!S_ISREG(status.st_mode)) {
      read_all(file.descriptor, path);
      return;
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ == 0) return;  // mmap refuses a length of 0
    void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.descriptor, 0);
    if (at == MAP_FAILED) fail(errno, path);
    mapping_ = static_cast<std::byte*>(at);
    ::madvise(mapping_, size_, MADV_WILLNEED);  // advice only: its failure changes nothing
  }

  MappedFile(MappedFile&& other) noexcept
      : mapping_(std::exchange(other.mapping_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        read_(std::move(other.read_)) {}
  MappedFile& operator=(MappedFile other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(size_, other.size_);
    std::swap(read_, other.read_);
    return *this;
  }
  ~MappedFile() {
    if (mapping_ != nullptr) ::munmap(mapping_, size_);
  }

  [[nodiscard]] std::span<std::byte> bytes() & noexcept {
    return mapping_ != nullptr ? std::span(mapping_, size_) : std::span(read_);
  }
  [[nodiscard]] std::span<std::byte const> bytes() const& noexcept {
    return mapping_ != nullptr ? std::span<std::byte const>(mapping_, size_) : std::span<std::byte const>(read_);
  }
  FLTR_UNAVAILABLE("the bytes are those of a MappedFile, which must not be a temporary: give it a name")
  std::span<std::byte const> bytes() const&&;
  [[nodiscard]] std::string_view text() const& noexcept {
    return {reinterpret_cast<char const*>(bytes().data()), bytes().size()};
  }
  FLTR_UNAVAILABLE("the text is that of a MappedFile, which must not be a temporary: give it a name")
  std::string_view text() const&&;

 private:
  struct File {
    int descriptor;
    ~File() {
      if (descriptor >= 0) ::close(descriptor);
    }
  };

  [[noreturn]] static void fail(int error, std::filesystem::path const& path) {
    detail::throw_cannot_read(path, detail::error_code_of(error));
  }

  void read_all(int descriptor, std::filesystem::path const& path) {
    for (std::size_t size = 0;;) {
      if (read_.size() - size < 65'536) read_.resize(2 * read_.size() + 65'536);
      auto const got = ::read(descriptor, read_.data() + size, read_.size() - size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno, path);
      size += static_cast<std::size_t>(got);
      if (got == 0) return read_.resize(size);
    }
  }

  std::byte* mapping_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte> read_;
};

}  // namespace fltr
