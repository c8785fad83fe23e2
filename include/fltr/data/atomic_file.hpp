#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace fltr {

/// A file that appears under its name complete or not at all: written beside it, renamed by `commit`. Without a commit
/// no new file remains, and an existing file is unchanged. Links are followed. Pipes and devices are written directly.
/// Failures are std::system_error with the path in the text.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code none;
    if (std::filesystem::is_symlink(path_, none)) path_ = std::filesystem::weakly_canonical(path_);
    auto const status = std::filesystem::status(path_, none);
    bool const replaces = status.type() == std::filesystem::file_type::regular;
    if (replaces || status.type() == std::filesystem::file_type::not_found) create_partial();
    errno = 0;
    out_.open(partial_.empty() ? path_ : partial_, std::ios::binary | std::ios::trunc);
    if (!out_) {
      int const error = errno;
      remove_partial();
      fail(error);
    }
    if (replaces) std::filesystem::permissions(partial_, status.permissions(), none);
  }
  AtomicFile(AtomicFile const&) = delete;
  AtomicFile& operator=(AtomicFile const&) = delete;
  ~AtomicFile() {
    out_.close();
    remove_partial();
  }

  [[nodiscard]] std::ostream& out() noexcept { return out_; }

  void write(std::span<std::byte const> bytes) {
    out_.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  /// Ends the file and gives it its name. Throws if anything could not be written (a full disk).
  void commit() {
    errno = 0;
    out_.close();
    if (!out_) fail(errno);
    if (partial_.empty()) return;
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) throw std::system_error(error, "cannot write " + path_.string());
    partial_.clear();
  }

 private:
  /// Creates a file beside the target under a name that no other writer uses. A process number alone is not unique:
  /// processes in different containers may have the same number.
  void create_partial() {
    static std::atomic<std::uint64_t> counter{0};
    for (;;) {
      partial_ = path_;
      // The dot is added by itself: g++ 12 warns at -O3 that "." + std::string() overlaps itself (GCC bug 105651).
      partial_ += '.';
      partial_ += std::to_string(::getpid()) + "." + std::to_string(counter++) + ".partial";
      int const descriptor = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) {
        ::close(descriptor);
        return;
      }
      if (errno != EEXIST) {
        int const error = errno;
        partial_.clear();
        fail(error);
      }
    }
  }

  void remove_partial() noexcept {
    if (partial_.empty()) return;
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
    partial_.clear();
  }

  [[noreturn]] void fail(int error) const {
    // errno of an earlier failed write is lost. The most frequent cause is a full disk.
    throw std::system_error(error != 0 ? error : EIO, std::generic_category(),
                            "cannot write " + path_.string() + (error != 0 ? "" : " (is the disk full?)"));
  }

  std::filesystem::path path_;
  std::filesystem::path partial_;  // empty: written directly, or finished
  std::ofstream out_;
};

}  // namespace fltr
