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
/// nothing remains, and a file that was there before stays as it was. A link is followed; what is not a file (a pipe, a
/// device) is written to as it is. Failures are std::system_error with the path in the text.
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
  /// Makes a file beside the target under a name that nobody else uses. The number of the process alone would not do:
  /// processes in different containers may have the same one.
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
    // An earlier write that failed leaves no reason behind; it is most often a full disk.
    throw std::system_error(error != 0 ? error : EIO, std::generic_category(),
                            "cannot write " + path_.string() + (error != 0 ? "" : " (is the disk full?)"));
  }

  std::filesystem::path path_;
  std::filesystem::path partial_;  // empty: written directly, or finished
  std::ofstream out_;
};

}  // namespace fltr
